"""The commands: name, one line of help, and where the code is. This is the only list of them.

Nothing of a command is imported before it is called, so that `activefs --help` is there at once. The first paragraph of
a command's docstring must be the line of help here; a test compares the two.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A command: a function with options, in a module of this package."""

    name: str
    help: str
    module: str
    function: str


class CommandGroup(NamedTuple):
    """Commands that share the first word; `default` is the one that is meant if no name follows it."""

    name: str
    help: str
    members: tuple[Command | CommandGroup, ...]
    default: str = ""


_ANNOTATOR = CommandGroup(
    "annotator",
    "Who may sign in, and with which token.",
    (
        Command(
            "add",
            "Give an annotator a personal token, which is shown once; a name that exists gets a new one.",
            "_study_annotators",
            "add",
        ),
        Command("list", "List the annotators.", "_study_annotators", "list_annotators"),
        Command("remove", "Take an annotator's token away; the answers stay.", "_study_annotators", "remove"),
    ),
)

_STUDY = CommandGroup(
    "study",
    "Studies that are kept in a file or a database, and shared.",
    (
        Command(
            "label",
            "Label rows in the terminal: one key per class, s to skip, u to undo, q to stop.",
            "_study_label",
            "label",
        ),
        Command("create", "Make a study of a table whose labels are still to come.", "_study", "create"),
        Command(
            "status",
            "Show labels used, the current top k with intervals, what is contested, when it will be done.",
            "_study",
            "status",
        ),
        Command("undo", "Take back the last answer of all, or that of a row or of an annotator.", "_study", "undo"),
        Command("import", "Take labels that exist already from a CSV file, all or none.", "_study", "import_labels"),
        Command(
            "export",
            "Write all labels, or the whole log, as CSV, JSON lines or Parquet.",
            "_study_export",
            "export_labels",
        ),
        Command("report", "Write one HTML file with tables and pictures, which needs no network.", "_study", "report"),
        Command(
            "pause",
            "Ask nobody any more, until the study is resumed; rows that somebody holds can still be answered.",
            "_study_state",
            "pause",
        ),
        Command("resume", "Go on with a study that is paused.", "_study_state", "resume"),
        Command(
            "archive",
            "Keep a study as it is: it can be looked at and exported, and nothing in it can be changed.",
            "_study_state",
            "archive",
        ),
        Command("restore", "Take a study out of the archive.", "_study_state", "restore"),
        _ANNOTATOR,
    ),
)

_LABEL_STUDIO = CommandGroup(
    "label-studio",
    "Let a study decide the next tasks of a Label Studio project: label-studio STUDY --url URL --project N.",
    (
        Command(
            "feed",
            "Keep a Label Studio project fed with the rows that matter, and take its annotations (no name needed).",
            "_label_studio",
            "feed",
        ),
        Command(
            "pull",
            "Write the tasks of a Label Studio project as a table, of which a study can be made.",
            "_label_studio_files",
            "pull",
        ),
        Command(
            "export",
            "Write all labels as tasks with annotations, in the JSON that Label Studio imports.",
            "_label_studio_files",
            "export",
        ),
        Command(
            "import",
            "Take the labels of a JSON file that Label Studio exported (JSON or JSON-MIN), all or none.",
            "_label_studio_files",
            "import_labels",
        ),
    ),
    default="feed",
)

_SERVER = CommandGroup(
    "server",
    "Servers of several studies: those of a folder or a database.",
    (
        CommandGroup(
            "owner",
            "Who owns all studies of a server, and makes new ones.",
            (
                Command(
                    "add",
                    "Give an owner of all studies a personal token, which is shown once; a name that exists gets a new "
                    "one.",
                    "_server_owners",
                    "add",
                ),
                Command("list", "List the owners of a server.", "_server_owners", "list_owners"),
                Command("remove", "Take an owner's token away; the answers stay.", "_server_owners", "remove"),
            ),
        ),
    ),
)

_DATASETS = CommandGroup(
    "datasets",
    "The paper's data sets: what there is, and getting it.",
    (
        Command(
            "list",
            "List the data sets, their sizes, and whether they are on this machine.",
            "_datasets",
            "list_sets",
        ),
        Command(
            "fetch",
            "Make sure that data sets are on this machine and whole; download what is missing.",
            "_datasets",
            "fetch_sets",
        ),
    ),
)

_REPRODUCE = CommandGroup(
    "reproduce",
    "Rerun the paper's experiments.",
    (
        Command(
            "single-feature",
            "Nine ways to spend labels on one feature: the paper's sixteen tables and its table of wins.",
            "_reproduce_single_feature",
            "single_feature",
        ),
        Command(
            "baselines",
            "AFS, with both floors of rho, beside RANDOM, CORESET and DWUS.",
            "_reproduce_selection",
            "baselines",
        ),
        Command(
            "ablations",
            "AFS beside itself without the safeguard, AVG-SEL, AVG-ALL and SINGLE.",
            "_reproduce_selection",
            "ablations",
        ),
        Command("aggregations", "AFS with the norms l1, l2 and l-infinity.", "_reproduce_selection", "aggregations"),
        Command(
            "safeguards",
            "AFS with the safeguard after 10, 20, 30, 40 unchanged questions, and without it.",
            "_reproduce_selection",
            "safeguards",
        ),
        Command(
            "redundancy",
            "What mRMR, JMI and CMIM buy a classifier at the same budget of labels.",
            "_reproduce_redundancy",
            "redundancy",
        ),
        Command(
            "certificates",
            "How often a certificate is false, and how many labels a true one needs.",
            "_reproduce_certificates",
            "certificates",
        ),
        Command(
            "beliefs",
            "Whether bounds, expected gap and probabilities of the assisted estimate hold, on tables left out.",
            "_reproduce_beliefs",
            "beliefs",
        ),
        Command(
            "all",
            "Baselines, ablations, aggregations and safeguards; what they have in common is run once.",
            "_reproduce_selection",
            "all_plans",
        ),
    ),
)

COMMANDS = CommandGroup(
    "activefs",
    "Find the k features that tell most about a label, by labelling only the rows that matter.",
    (
        Command(
            "demo",
            "Find the 10 pixels that tell a 3 from a 5 best, with 100 labels (about half a minute).",
            "_demo",
            "demo",
        ),
        Command(
            "sample",
            "Write a table to try things on: 569 patients, thirty measurements and a diagnosis.",
            "_sample",
            "sample",
        ),
        Command(
            "select",
            "Try active feature selection on a table whose labels are known, and compare it with random labelling.",
            "_select",
            "select",
        ),
        Command(
            "serve",
            "Serve a study in the browser, or all of a folder or database, and the REST API under /api/v1.",
            "_serve",
            "serve",
        ),
        Command(
            "leaderboard",
            "Which way of choosing rows, with which estimate, needs the fewest labels.",
            "_leaderboard",
            "leaderboard",
        ),
        _STUDY,
        _LABEL_STUDIO,
        _SERVER,
        _DATASETS,
        _REPRODUCE,
    ),
)
