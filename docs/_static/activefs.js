// What is wider than the page can be scrolled with the keyboard, in every browser.
const reach = () => {
  for (const box of document.querySelectorAll(".bd-article table, .bd-article div.math")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
