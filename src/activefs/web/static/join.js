// Signs in with the token in the fragment of the address, which is never sent, and leaves no trace of it there.
"use strict";
(() => {
  const form = document.querySelector("[data-join]");
  const token = decodeURIComponent(location.hash.slice(1));
  if (!form || !token) return;
  history.replaceState(null, "", location.pathname);
  form.querySelector("#token").value = token;
  // Whoever is somebody else in this browser is asked first.
  if ("atOnce" in form.dataset) form.submit();
})();
