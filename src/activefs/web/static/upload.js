// A table that is too large is not sent in vain, and while it is sent the page says so.
"use strict";
(() => {
  const form = document.querySelector("[data-upload]");
  if (!form) return;
  const problem = form.querySelector("[data-too-large]");
  form.addEventListener("submit", (event) => {
    const file = form.querySelector("input[type=file]").files[0];
    const limit = Number(form.dataset.limit);
    problem.hidden = !file || file.size <= limit;
    if (!problem.hidden) {
      event.preventDefault();
      problem.textContent = `${file.name} has ${Math.ceil(file.size / 1e6)} MB; this server takes ${Math.round(limit / 1e6)} MB.`;
      return;
    }
    form.querySelector("[data-sending]").textContent = "The table is being sent and read…";
  });
})();
