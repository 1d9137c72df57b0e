// The time for a row: it begins anew while somebody is at it, and near its end the page says what is left.
"use strict";
(() => {
  let active = false;
  let held = null;
  let asking = false;

  const now = () => performance.now() / 1000;
  const box = () => document.getElementById("lease");
  const left = () => held.until - now();

  const begin = () => {
    const here = box();
    held = here && { question: here.dataset.question, until: now() + Number(here.dataset.left), lease: Number(here.dataset.lease), said: "" };
    active = false;
    asking = false;
  };

  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "input"])
    document.addEventListener(kind, () => { active = true; }, { passive: true });
  // These do not bubble: whoever watches or listens is at it, too.
  for (const kind of ["scroll", "timeupdate"])
    document.addEventListener(kind, () => { active = true; }, { passive: true, capture: true });

  const renew = async () => {
    const mine = held;
    asking = true;
    active = false;
    const csrf = document.querySelector("input[name=csrf]").value;
    try {
      const reply = await fetch(`${document.body.dataset.root}/api/v1/questions/${mine.question}/renew`, {
        method: "POST", headers: { "X-CSRF-Token": csrf }, signal: AbortSignal.timeout(10000),
      });
      if (mine !== held) return;
      if (reply.ok) mine.until = now() + (await reply.json()).seconds;
      else if (reply.status === 409) mine.gone = true;
    } catch { if (mine === held) active = true; /* the banner says so; it is tried again */ } finally { if (mine === held) asking = false; }
  };

  // The counter is for the eye; whoever listens is told twice, not every second.
  const say = (text, counter) => {
    box().querySelector("[data-counter]").textContent = counter;
    if (held.said === text) return;
    held.said = text;
    box().querySelector("[data-said]").textContent = text;
    box().hidden = text === "";
  };

  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

  const tick = () => {
    if (!held || !box()) return;
    const rest = left();
    const isNear = rest <= Math.min(held.lease / 5, 60);
    if (held.gone) {
      say("This row has gone to somebody else, so an answer to it will not be kept. Load the page to get another row.", "");
      return;
    }
    if (active && !asking && rest < held.lease / 2 && !document.documentElement.classList.contains("offline")) renew();
    if (rest <= 0)
      say("Your time for this row is over, and it may go to somebody else. Your answer still counts if nobody else has the row by then.", "");
    else if (isNear) say("Nobody has moved here for a while. If you do not go on, this row may go to somebody else.", `Time left: ${clock(rest)}.`);
    else say("", "");
  };

  document.addEventListener("htmx:afterSwap", begin);
  begin();
  setInterval(tick, 500);
})();
