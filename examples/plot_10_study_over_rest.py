"""
A study over REST: a program labels, asks for forecasts, and reads the answer
=============================================================================

A study is a session in a database, and ``activefs serve`` gives it pages for people and an API for programs. You learn
how a program gets a token, asks for rows, answers them, and fetches what the study knows. The server below is a real
one, on a free port of the machine that built this page.
"""

import atexit
import io
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import matplotlib.pyplot as plt
import pandas as pd
from pyarrow import csv

from activefs import Study
from activefs.datasets import sample_table

closing = ExitStack()  # everything that has to be ended in the end, also if something fails before
_ = atexit.register(closing.close)

# %%
# A study and a token
# -------------------
# 569 patients with 30 measurements each; five measurements are wanted that tell most about the diagnosis. The study
# ends by itself once they are expected to lack less than 0.01 nats, or with 150 diagnoses. In the terminal, ``activefs
# study create`` does the same.

folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
patients = sample_table()
csv.write_csv(patients, folder / "patients.csv")

study = Study.create(
    folder / "tumours.db",
    folder / "patients.csv",
    k=5,
    budget=150,
    stop_when_gap_below=0.01,
    id_column="patient",
    ignore=["diagnosis"],
    classes=["benign", "malignant"],
    show=("mean_radius", "mean_texture", "mean_smoothness"),
    question="Is this tumour malignant?",
    random_state=0,
)
study.close()

# %%
# Everybody who labels has a token of their own, programs too. It is printed once, and only a hash of it is kept.


def activefs(*arguments: str | Path) -> list[str]:
    """A command as a list, of the activefs that belongs to this Python."""
    return [sys.executable, "-m", "activefs", *map(str, arguments)]


made = subprocess.run(
    activefs("study", "annotator", "add", folder / "tumours.db", "robot"), capture_output=True, text=True, check=True
)
token = made.stdout.strip()
print(f"a token of {len(token)} characters")

# %%
# The server
# ----------
# With ``--port 0`` it takes a free port, and its first line says which.

server = subprocess.Popen(
    activefs("serve", folder / "tumours.db", "--port", "0"),
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
)
closing.callback(server.wait, 60)
closing.callback(server.terminate)  # if it is still there
assert server.stdout is not None
said = ""
while not (address := re.search(r"http://[\d.]+:\d+", said)):
    line = server.stdout.readline()
    assert line, f"the server has ended: {said}"
    said += line

client = httpx.Client(
    base_url=f"{address[0]}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
)
closing.callback(client.close)
print(client.get("/me").json())
print(client.get("/me", headers={"Authorization": "Bearer nonsense"}).json()["message"])

# %%
# Questions and answers
# ---------------------
# ``POST /questions`` leases a row to you. What comes back is what the page shows to people.

diagnosis = dict(zip(patients["patient"].to_pylist(), patients["diagnosis"].to_pylist(), strict=True))
asked = client.post("/questions").json()
question = asked["questions"][0]
print(f"question {question['id']} is about {question['row']}, yours until {question['until'][11:16]} UTC")
pd.DataFrame(question["cells"])

# %%
# An answer that says ``"next": true`` brings the next question in the same reply. When the reply is there, the answer
# is safe on the disk; sent again after a lost connection, it counts once. The robot looks every diagnosis up. (What it
# cannot tell, it would say with ``POST /skips``.)


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    """Answer the first of the questions, and return what came with the reply."""
    question = asked["questions"][0]
    answer = {"question": question["id"], "label": diagnosis[question["row"]], "next": True}
    following: dict[str, Any] = client.post("/answers", json=answer).raise_for_status().json()["next"]
    return following


for _label in range(30):
    asked = answered(asked)
forecast = client.get("/forecast").raise_for_status().json()
print(forecast["sentence"])

# %%
# The robot goes on until there are no more questions, and the reply says why.

while asked["questions"]:
    asked = answered(asked)
print(asked["reason"])

# %%
# What the study knows
# --------------------
# ``GET /history`` says what the chosen measurements were expected to lack after so many labels. ``GET /forecast`` was
# asked after 30 of them: its line is where the gap was to go.

history = pd.DataFrame(client.get("/history").raise_for_status().json())
foreseen = pd.DataFrame(forecast["line"], columns=["labels", "gap"])

figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
axes.plot(history["labels"], history["expected_gap"], "-o", color="#0b6e99", markersize=4, label="expected gap")
axes.plot(foreseen["labels"], foreseen["gap"], "--", color="#b0651d", label="forecast after 30 labels")
axes.axhline(0.01, color="#6b757d", linewidth=1, linestyle=":", label="little enough: 0.01")
axes.set(xlabel="labels", ylabel="gap (nats)", ylim=(0, None))
axes.set_title("Expected gap against labels, and what\nthe forecast after 30 labels foresaw", fontsize=11)
axes.legend(frameon=False)
plt.show()

# %%
# ``GET /study`` has what the page shows above the ranking, and the ranking with its intervals. ``GET /selection`` is
# the ranking as a CSV file.

state = client.get("/study").raise_for_status().json()
print(f"{state['labels']} labels; {state['sure']}; {state['guarantee']}")
chosen = pd.read_csv(io.StringIO(client.get("/selection").raise_for_status().text))
chosen.round(3)

# %%

figure, axes = plt.subplots(figsize=(5.2, 2.8), layout="constrained")
shown = chosen.iloc[::-1]
axes.barh(shown["feature"], shown["mutual_information"], color="#0b6e99", alpha=0.75)
axes.hlines(shown["feature"], shown["lower"], shown["upper"], color="#1d252b", linewidth=2)
axes.set(xlabel="mutual information (nats)")
figure.suptitle("The five measurements that GET /selection names:\nestimate and 95% interval", fontsize=11)
plt.show()

# %%
# The end
# -------
# A server is stopped with Ctrl-C or a signal; nothing has to be saved before.

client.close()
server.terminate()
print(server.communicate(timeout=60)[0].splitlines()[-1])
closing.close()

# %%
# What to take away
# -----------------
# A program that labels needs a token and two addresses, ``/questions`` and ``/answers``; the rest is there to be looked
# at. Several programs and people can label one study at once: no row is with two of them. All addresses are in
# :doc:`the reference </reference/rest>`, and each server describes its own at ``/api/v1/openapi.json``. Over a network,
# put a proxy with https in front of it.
#
# See also
# --------
# - :doc:`/guide/studies`: studies and who labels in them. :doc:`/guide/server`: servers, tokens and https.
# - :class:`activefs.Study`, :func:`activefs.datasets.sample_table`.
