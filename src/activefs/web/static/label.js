// Labelling by keyboard: every button that has keys can be pressed with them.
"use strict";
(() => {
  const work = () => document.getElementById("work");
  let waiting = false;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || waiting) return;
    const field = event.target.closest("input, select, textarea");
    // No letter belongs to a number: in its empty field, keys mean what they mean elsewhere.
    if (field && (field.dataset.typed !== "number" || field.value !== "")) return;
    const key = event.key.toLowerCase();
    for (const button of document.querySelectorAll("#work button[data-keys]")) {
      if (button.dataset.keys.split(" ").includes(key)) {
        event.preventDefault();
        button.classList.add("pressed");
        button.click();
        return;
      }
    }
  });

  // One answer at a time: a second key before the next row is there would answer a row that nobody has seen.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig.verb === "get") return;
    if (waiting) { event.preventDefault(); return; }
    waiting = true;
    work().classList.add("busy");
  });

  const over = () => { waiting = false; const here = work(); if (here) here.classList.remove("busy"); };
  document.addEventListener("htmx:afterRequest", over);

  document.addEventListener("htmx:afterSettle", (event) => {
    over();
    const heading = document.querySelector("#work [data-focus]");
    const verb = event.detail.requestConfig ? event.detail.requestConfig.verb : "get";
    if (!heading || verb === "get") return;
    // The heading gets the focus, so that the tab key and screen readers go on from the new row; where answers are
    // typed, the field does.
    (document.querySelector("#work [data-typed]") || heading).focus({ preventScroll: true });
    if (window.scrollY > heading.getBoundingClientRect().top + window.scrollY) window.scrollTo(0, 0);
    const notice = document.querySelector("#work [data-notice]");
    const row = document.querySelector("#work .row-name");
    document.getElementById("said").textContent =
      (notice && !notice.hidden ? notice.textContent + " " : "") + (row ? row.textContent : heading.textContent);
  });

  const failed = (text) => {
    over();
    const notice = document.querySelector("#work [data-notice]");
    if (!notice) return;
    notice.textContent = text;
    notice.hidden = false;
    notice.classList.add("bad");
    document.getElementById("said").textContent = text;
  };
  document.addEventListener("htmx:sendError", () =>
    failed("The server cannot be reached, so the answer may not have been kept. Answer again in a moment; nothing is counted twice."));
  document.addEventListener("htmx:responseError", (event) => {
    // Refusals come with a page of their own, and whoever is not signed in any more is sent to sign in.
    if (![401, 403, 409, 422].includes(event.detail.xhr.status))
      failed("The server could not keep that just now. Answer again in a moment; nothing is counted twice.");
  });
})();
