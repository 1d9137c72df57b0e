// What people look for first is told in the guide; names of the reference are found by their names.
var Scorer = {
  score: ([page, title, anchor, , score, file, kind]) => {
    const asked = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
    if (/Contract\.test_/.test(title)) return score - 30; // tests that parts pass
    if (kind === "object")
      return page.endsWith(`/${title}`) ? score + 10 : score; // not a member
    if (page === "start") return score + 11;
    if (page === "faq") return score + 9;
    if (page.startsWith("guide/")) {
      const name = page.slice(6);
      return score + (asked.length > 2 && name.includes(asked.replace(/s$/, "").replace(/ /g, "-")) ? 25 : 10);
    }
    if (/^gallery/.test(page)) return score + 5;
    if (/^(method\/|index$|reference\/\w+$)/.test(page)) return score + 3;
    if (/^(results|development|architecture)/.test(page)) return score - 3;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// Excerpts are of the article, and not of the path to it.
if (typeof Search !== "undefined") {
  const whole = Search.htmlToText;
  Search.htmlToText = (text, anchor) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const article = page.querySelector("article.bd-article");
    if (!article) return whole(text, anchor);
    article.querySelectorAll(".headerlink, script, style, h1, .viewcode-link").forEach((part) => part.remove());
    const place = anchor && page.getElementById(decodeURIComponent(anchor.slice(1)));
    return (place || article).textContent.replace(/\s+/g, " ").trim();
  };
}
