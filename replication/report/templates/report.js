const field = document.getElementById("filter"), words = document.getElementById("filtered");
const rows = [...document.querySelectorAll("#all-claims .row, #all-numbers .row")];
const texts = rows.map(row => row.textContent.toLowerCase());
const lists = [...document.querySelectorAll("#all-claims .list, #all-numbers .list")];
field.hidden = false;
field.addEventListener("input", () => {
  const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, n) => {
    row.hidden = !wanted.every(word => texts[n].includes(word));
    shown += !row.hidden;
  });
  lists.forEach(list => { list.hidden = !list.querySelector(".row:not([hidden])"); });
  words.hidden = !wanted.length;
  words.textContent = `${shown} of ${rows.length} claims and numbers; Enter goes there`;
});
field.addEventListener("keydown", event => {
  const first = event.key === "Enter" && rows.find(row => !row.hidden);
  if (first) {
    document.getElementById("menu").checked = false;
    first.scrollIntoView({ block: "center" });
  }
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
document.querySelector("nav").addEventListener("click", event => {
  if (event.target.closest("a")) document.getElementById("menu").checked = false;
});
mark();
