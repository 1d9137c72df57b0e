// Labelling by keyboard: every button that has keys can be pressed with them.
"use strict";
(() => {
  const work = () => document.getElementById("work");
  let waiting = false;

  // --- single keys, which can be switched off ---

  const KEPT = "activefs.shortcuts";
  const switched = document.getElementById("shortcuts");
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* then it is forgotten */ } };
  const remembered = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const showKeys = () => document.documentElement.classList.toggle("no-keys", !switched.checked);
  switched.checked = remembered(KEPT) !== "off";
  document.querySelector("[data-shortcuts]").hidden = false;
  showKeys();
  switched.addEventListener("change", () => { remember(KEPT, switched.checked ? "on" : "off"); showKeys(); });

  const takesText = (element) =>
    element.closest("input:not([type=checkbox]):not([type=radio]), select, textarea, audio, video");

  const openNote = () => {
    const note = document.querySelector("#work [data-note]");
    note.open = true;
    note.querySelector("textarea").focus();
  };
  const others = (key) => {
    const own = (selector) => {
      const shown = document.querySelector(selector);
      return shown && shown.textContent.toLowerCase() === key;
    };
    if (own("#work [data-note] summary kbd")) return openNote;
    if (own("#work .flag kbd")) return () => document.querySelector("#work [data-flag]").click();
    if (own("#guidance summary kbd")) return () => document.querySelector("#guidance summary").click();
    const typed = document.getElementById("typed");
    if (key === "/" && typed) return () => typed.focus();
    return null;
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (waiting || document.documentElement.classList.contains("offline")) return;
    if (document.querySelector("dialog[open]")) return;
    const field = takesText(event.target);
    if (event.key === "Escape" && field && field.id === "note") { leave(); return; }
    if (!switched.checked) return;
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
    const act = others(key);
    if (act) { event.preventDefault(); act(); }
  });

  const leave = () => {
    const heading = document.querySelector("#work [data-focus]");
    if (heading) heading.focus({ preventScroll: true });
  };

  // --- instructions: open at the first visit, then as they were left ---

  const guidance = document.getElementById("guidance");
  if (guidance) {
    const place = `activefs.guidance ${document.body.dataset.root} ${guidance.dataset.study}`;
    const before = remembered(place);
    if (before !== null) guidance.open = before === "open";
    guidance.addEventListener("toggle", () => remember(place, guidance.open ? "open" : "closed"));
  }

  // --- one answer at a time: a second key before the next row is there would answer a row that nobody has seen ---

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig.verb === "get" || event.defaultPrevented) return;
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
    // typed, the field does; where something is to be confirmed, that does.
    const first = document.querySelector("#work [data-first]");
    (first || document.getElementById("typed") || heading).focus({ preventScroll: !first });
    if (!first && window.scrollY > heading.getBoundingClientRect().top + window.scrollY) window.scrollTo(0, 0);
    const notice = document.querySelector("#work [data-notice]");
    const doubt = document.querySelector("#doubt-said");
    const row = document.querySelector("#work .row-name");
    document.getElementById("said").textContent =
      (notice && !notice.hidden ? notice.textContent + " " : "") +
      (doubt ? doubt.textContent : row ? row.textContent : heading.textContent);
  });
})();
