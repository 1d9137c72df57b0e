// Copies a link; without scripts it can be selected.
"use strict";
(() => {
  const button = document.querySelector("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  const said = document.querySelector("[data-copy-said]");
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "It is selected: copy it with Ctrl+C.";
    }
  });
})();
