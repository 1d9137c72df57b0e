// After a change the list is where it was, and so is whoever uses the keyboard.
"use strict";
(() => {
  let at = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    const item = event.detail.elt.closest(".reviewed");
    at = item ? item.id : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    const doubt = document.querySelector("[data-first]");
    const item = at && document.getElementById(at);
    const place = doubt || (item && item.querySelector(".change button")) || document.querySelector(".filters button");
    if (place) place.focus({ preventScroll: !doubt });
  });
})();
