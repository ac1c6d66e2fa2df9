const field = document.getElementById("search"), list = document.getElementById("hits");
const counted = document.getElementById("counted"), MOST = 10;
const clean = text => text.replace(/\s+/g, " ").trim();
// What can be found, in the order in which hits are listed; a place without an id gets one.
const found = [];
function add(selector, name, more = () => "") {
  for (const place of document.querySelectorAll(selector)) {
    place.id ||= `place-${found.length}`;
    const words = clean(`${place.textContent} ${more(place)}`);
    found.push({ place, name: clean(name(place)), words });
  }
}
const paper = place => clean(place.closest("section").querySelector("h2, h3").textContent);
add("h2", place => place.textContent);
add(".item > summary", place => place.textContent, paper);
add("#all-claims .row", place => place.firstElementChild.textContent + " " + place.childNodes[1].textContent,
  place => `${place.dataset.also} ${place.closest("details.list").querySelector("summary").textContent.split(":")[0]}`);
add(".abstract p, .article :is(h3, p, li)", place => place.textContent);
const of_number = cell => cell.firstChild ? `${cell.dataset.label ?? ""} ${cell.firstChild.textContent}` : "";
add(".number[data-title]", place => place.cells
  ? `${place.dataset.title}: ${[...place.cells].map(of_number).join(" ")}` : place.dataset.title,
  place => `${place.dataset.title} ${place.title}`);
const ROMAN = ["", "i", "ii", "iii", "iv", "v", "vi"];
function wanted(text) {
  // "Table 4" and what is in quotes are one word each; "Table I" is "Table 1".
  const parts = text.match(/"[^"]+"|(?:table|fig\.?|figure|section) (?:\d+|[ivx]+)(?!\S)|\S+/gi) ?? [];
  return parts.map(part => {
    const [, noun, number] = /^(table|fig|section)\S* (\w+)$/i.exec(part) ?? [];
    const plain = part.replaceAll('"', "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    if (!noun) return new RegExp(plain, "i");
    const value = Math.max(ROMAN.indexOf(number.toLowerCase()), 0) || number;
    const forms = [value, ROMAN[value]].filter(Boolean).join("|");
    return new RegExp(`${noun}(?:ure|\\.)? (?:${forms})(?![\\divx])`, "i");
  });
}
function excerpt(name, before, word) {
  // Up to 120 characters from the word on, without the beginning that the hit before has as well.
  let same = 0;
  while (same < name.length && name[same] === before[same]) same++;
  same = same < name.length ? name.lastIndexOf(" ", same) + 1 : 0;
  let start = same > 80 ? same : 0;
  const at = name.search(word);
  if (at - start > 100) start = name.lastIndexOf(" ", at - 50) + 1;
  const rest = name.slice(start), first = start ? "… " : "";
  return rest.length <= 120 ? first + rest : `${first}${rest.slice(0, rest.lastIndexOf(" ", 117))} …`;
}
function reveal(place) {
  for (let one = place.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
}
function go(id) {
  const place = document.getElementById(id);
  if (!place) return;
  reveal(place);
  document.getElementById("menu").checked = false;
  place.scrollIntoView({ block: place.matches(".row") ? "center" : "start" });
}
field.hidden = false;
field.addEventListener("input", () => {
  const tests = wanted(field.value);
  const in_all = text => tests.every(test => test.test(text));
  const hits = tests.length ? found.filter(one => in_all(one.words)) : [];
  hits.sort((a, b) => in_all(b.name) - in_all(a.name)); // places that show the words come first
  list.replaceChildren(...hits.slice(0, MOST).map((hit, k) => {
    const row = document.createElement("li"), link = document.createElement("a");
    link.href = `#${hit.place.id}`;
    link.textContent = excerpt(hit.name, hits[k - 1]?.name ?? "", tests[0]);
    row.append(link);
    return row;
  }));
  list.hidden = !hits.length;
  counted.hidden = !tests.length;
  counted.textContent = hits.length
    ? `${Math.min(MOST, hits.length)} of ${hits.length} places`
    : "not in the article, the items, the claims or the numbers";
});
field.addEventListener("keydown", event => {
  if (event.key === "Enter") list.querySelector("a")?.click();
});
document.addEventListener("click", event => {
  const link = event.target.closest('a[href^="#"]');
  if (link) go(decodeURIComponent(link.hash.slice(1)));
});
if (location.hash) go(decodeURIComponent(location.hash.slice(1)));
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details.item, details:has(> .wide > .numbers), details.list, .article")) one.open = true;
});
const links = new Map([...document.querySelectorAll("nav a")].map(a => [a.hash.slice(1), a]));
const places = [...links.keys()].map(id => document.getElementById(id)).filter(Boolean);
let current = null;
function mark() {
  const above = places.filter(place => place.offsetParent && place.getBoundingClientRect().top < 120);
  const next = links.get((above.at(-1) ?? places[0]).id);
  if (next === current) return;
  current?.removeAttribute("aria-current");
  next.setAttribute("aria-current", "location");
  current = next;
  const nav = document.querySelector("nav"), top = next.offsetTop - nav.clientHeight / 2;
  if (Math.abs(nav.scrollTop - top) > nav.clientHeight / 3) nav.scrollTop = top;
}
document.addEventListener("scroll", mark, { passive: true });
mark();
