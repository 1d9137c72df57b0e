// Images, sound and videos: a sign while they load, a sentence if they do not, and images enlarged by a click.
"use strict";
(() => {
  const figure = (element) => element.closest(".medium");
  const isReady = (medium) => (medium instanceof HTMLImageElement ? medium.complete && medium.naturalWidth > 0 : medium.readyState > 0);

  const mark = () => {
    for (const medium of document.querySelectorAll("[data-medium]:not([data-seen])")) {
      medium.dataset.seen = "";
      const waits = medium instanceof HTMLImageElement ? !medium.complete : false;
      figure(medium).classList.toggle("loading", waits);
      if (medium instanceof HTMLImageElement && medium.complete && !medium.naturalWidth) failed(medium);
    }
  };

  const failed = (medium) => {
    const box = figure(medium);
    box.classList.remove("loading");
    if (box.querySelector(".missing")) return;
    const said = document.createElement("p");
    said.className = "missing";
    said.setAttribute("role", "status");
    const what = medium instanceof HTMLImageElement ? "image" : medium instanceof HTMLVideoElement ? "video" : "sound";
    const link = document.createElement("a");
    Object.assign(link, { href: medium.src, target: "_blank", rel: "noopener noreferrer", textContent: "Open its address." });
    said.append(`This ${what} cannot be loaded. `, link);
    (medium.closest("[data-enlarge]") || medium).replaceWith(said);
  };

  // These events do not bubble: they are caught on their way down.
  document.addEventListener("load", (event) => {
    if (event.target instanceof HTMLElement && event.target.dataset.medium !== undefined && isReady(event.target))
      figure(event.target).classList.remove("loading");
  }, true);
  document.addEventListener("error", (event) => {
    if (event.target instanceof HTMLElement && event.target.dataset.medium !== undefined) failed(event.target);
  }, true);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-enlarge]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const dialog = document.createElement("dialog");
    dialog.className = "enlarged";
    dialog.setAttribute("aria-label", link.querySelector("img").alt);
    const close = document.createElement("button");
    Object.assign(close, { type: "button", textContent: "Close", className: "main" });
    const key = document.createElement("kbd");
    key.textContent = "Esc";
    key.setAttribute("aria-hidden", "true");
    close.append(" ", key);
    const large = link.querySelector("img").cloneNode();
    large.removeAttribute("data-medium");
    dialog.append(large, close);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => { dialog.remove(); link.focus({ preventScroll: true }); });
    document.body.append(dialog);
    dialog.showModal();
  });

  document.addEventListener("htmx:afterSwap", mark);
  mark();
})();
