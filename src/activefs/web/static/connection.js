// A lost connection: a banner says so, the page tries again by itself, and an answer that was not acknowledged is sent
// again. The server counts it once, and knows by its number which row it is for.
"use strict";
(() => {
  const banner = document.getElementById("connection");
  const root = document.body.dataset.root;
  const PATIENCE = 10000;
  const PAUSES = [500, 1000, 2000, 4000, 8000];
  const KEPT = `activefs.unsent ${root}`;
  let lost = false;
  let resending = false;
  let tries = 0;
  let timer = null;

  // --- the answer that nobody has acknowledged yet; it outlives a reload and a new sign-in of the same person ---

  const unsent = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      return kept && kept.person === banner.dataset.person ? kept : null;
    } catch { return null; }
  };
  const keep = (value) => {
    try {
      if (value) sessionStorage.setItem(KEPT, JSON.stringify(value));
      else sessionStorage.removeItem(KEPT);
    } catch { /* then it lives as long as the page */ }
  };

  const pathOf = (config) => config.path.slice(root.length);
  const isChange = (config) => config.verb !== "get";

  document.addEventListener("htmx:beforeRequest", (event) => {
    const config = event.detail.requestConfig;
    if (event.defaultPrevented || !isChange(config)) return;
    if (lost && !resending) { event.preventDefault(); return; }
    const values = Object.fromEntries([...config.formData.entries()].filter(([, value]) => typeof value === "string"));
    const row = document.querySelector("#work .row-name b");
    keep({ path: pathOf(config), values, row: values.row || (row && values.question ? row.textContent : ""), person: banner.dataset.person });
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const config = event.detail.requestConfig;
    const status = event.detail.xhr.status;
    if (status === 0 || status >= 500) return;
    if (isChange(config) && status !== 401) keep(null);
    found();
  });

  // --- losing it, and finding it again ---

  const show = (text, again) => {
    if (banner.textContent !== text) banner.textContent = text;
    banner.classList.toggle("again", Boolean(again));
  };

  const lose = (text) => {
    clearTimeout(timer);
    if (!lost) tries = 0;
    lost = true;
    document.documentElement.classList.add("offline");
    const kept = unsent();
    const what = kept ? ` What you did${kept.row ? ` for row ${kept.row}` : ""} is kept here and sent by itself.` : "";
    show(`${text} Trying again…${what}`);
    timer = setTimeout(ask, PAUSES[Math.min(tries++, PAUSES.length - 1)]);
  };

  // What is wrong, in a sentence; nothing if all is well.
  const trouble = async () => {
    try {
      const reply = await fetch(`${root}/health`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      return reply.ok ? "" : "The server cannot keep answers just now.";
    } catch { return "The connection is lost."; }
  };

  const ask = async () => {
    clearTimeout(timer);
    const wrong = await trouble();
    if (wrong) lose(wrong);
    else recover();
  };

  const found = () => {
    if (!lost) return;
    lost = false;
    clearTimeout(timer);
    document.documentElement.classList.remove("offline");
    show("Connected again.", true);
    setTimeout(() => { if (!lost) show(""); }, 4000);
    document.dispatchEvent(new CustomEvent("connected"));
  };

  const recover = () => {
    const kept = unsent();
    if (!kept) { found(); return; }
    const csrf = document.querySelector("input[name=csrf]");
    const values = { ...kept.values, ...(csrf ? { csrf: csrf.value } : {}) };
    // A page that shows something else sends it, too, and stays as it is.
    const shown = document.querySelector("#work, #review");
    const target = shown || document.body;
    const swap = shown ? "outerHTML" : "none";
    resending = true;
    // What comes of it, the events of htmx say.
    const over = () => { resending = false; };
    htmx.ajax("POST", root + kept.path, { source: target, target, swap, values }).then(over, over);
  };

  const failed = (event, text) => {
    const config = event.detail.requestConfig;
    if (config.timeout > PATIENCE) return; // what takes long by its nature
    lose(text);
  };
  document.addEventListener("htmx:sendError", (event) => failed(event, "The connection is lost."));
  document.addEventListener("htmx:timeout", (event) => failed(event, "The server has not answered for 10 seconds."));
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status >= 500) failed(event, "The server cannot do that just now.");
  });
  window.addEventListener("offline", () => lose("The connection is lost."));
  window.addEventListener("online", () => { if (lost) ask(); });

  // Somebody who thinks about a row should know, too.
  setInterval(async () => {
    if (lost || document.hidden) return;
    const wrong = await trouble();
    if (wrong && !lost) lose(wrong);
  }, PATIENCE);

  // An answer from before the page was loaded anew.
  if (unsent()) { lost = true; document.documentElement.classList.add("offline"); ask(); }
})();
