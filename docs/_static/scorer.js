// Scores of the search: words in the title shown count most, pages of the gallery less than others.
const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().match(/\S+/g) ?? [];
var Scorer = {
  score: ([page, title, , , score]) => {
    const found = asked.filter(word => title.toLowerCase().includes(word));
    return score + (20 * found.length) / (asked.length || 1) - (page.startsWith("gallery/") ? 10 : 0);
  },
  // The defaults of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
