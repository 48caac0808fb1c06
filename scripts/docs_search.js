// Search that works from the disk: MkDocs' own asks for its index in a way that browsers refuse on file://.
"use strict";

(() => {
  const FEWEST_LETTERS = 3, MOST_RESULTS = 30;
  let index = null;

  function loaded() {
    if (index) return index;
    index = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${base_url}/search/search_index.js`;
      script.onload = () => resolve(window.SEARCH_INDEX.docs);
      script.onerror = reject;
      document.head.append(script);
    });
    return index;
  }

  /** Every word must occur; titles count ten times as much as text. */
  function score(page, words) {
    const title = page.title.toLowerCase(), text = page.text.toLowerCase();
    const counts = words.map((word) => 10 * (title.split(word).length - 1) + Math.min(text.split(word).length - 1, 9));
    return counts.every((count) => count > 0) ? counts.reduce((a, b) => a + b, 0) : 0;
  }

  function summary(page, word) {
    const at = Math.max(page.text.toLowerCase().indexOf(word) - 60, 0);
    return page.text.slice(at, at + 200);
  }

  function shown(found, words) {
    const results = document.getElementById("mkdocs-search-results");
    results.replaceChildren(...found.map((page) => {
      const article = document.createElement("article"), heading = article.appendChild(document.createElement("h3"));
      const link = heading.appendChild(document.createElement("a"));
      link.href = `${base_url}/${page.location}`;
      link.textContent = page.title;
      article.appendChild(document.createElement("p")).textContent = summary(page, words[0]);
      return article;
    }));
    if (!found.length) results.textContent = "No results found";
  }

  async function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word);
    if (query.trim().length < FEWEST_LETTERS) return shown([], words);
    const scored = (await loaded()).map((page) => [score(page, words), page]).filter(([points]) => points > 0);
    scored.sort((a, b) => b[0] - a[0]);
    return shown(scored.slice(0, MOST_RESULTS).map(([, page]) => page), words);
  }

  addEventListener("DOMContentLoaded", () => {
    const input = document.getElementById("mkdocs-search-query");
    if (!input) return;
    input.addEventListener("keyup", () => search(input.value));
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) { input.value = asked; search(asked); }
  });
})();
