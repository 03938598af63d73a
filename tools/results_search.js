/* The search of results.html: what is shown is what has every word that is looked for, in its text or in
 * data-words. A heading stays if something below it does. A link to something that is hidden ends the search. */
"use strict";
const input = document.getElementById("search"), said = document.getElementById("found");
const items = [...document.querySelectorAll(".item, #space tbody tr, #bench tbody tr")].map((element) =>
  ({ element, text: `${element.textContent} ${element.dataset.words || ""}`.toLowerCase() }));
const within = (selector) => [...document.querySelectorAll(selector)].map((element) =>
  ({ element, items: items.filter((item) => element.contains(item.element)) }));
const parts = within("#catalogue .group, main > section"), folded = within("main details"), catalogue = within("#catalogue")[0].items;
const shown = (list) => list.filter((item) => !item.element.hidden).length;
let opened = [];
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  items.forEach((item) => { item.element.hidden = !words.every((word) => item.text.includes(word)); });
  parts.forEach((part) => { part.element.hidden = words.length > 0 && shown(part.items) === 0; });
  folded.forEach(({ element, items: rows }) => {
    const wanted = words.length > 0 && shown(rows) > 0;
    if (wanted && !element.open) opened.push(element);
    if (wanted || opened.includes(element)) element.open = wanted;
  });
  if (words.length === 0) opened = [];
  said.textContent = words.length === 0 ? "" : shown(items) === 0 ? "Nothing has all of these words." :
    `${shown(catalogue)} of ${catalogue.length} algorithms and variants`;
  document.getElementById("sizes").hidden = !document.querySelector(".variants:not([hidden])");
}
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || target.checkVisibility()) return;
  input.value = "";
  search();
  target.scrollIntoView();
}
input.addEventListener("input", search);
addEventListener("hashchange", reveal);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape" && event.target === input) {
    input.value = "";
    search();
  }
});
document.getElementById("searchbox").hidden = false;
search(); /* the browser may have kept what was typed before a reload */
reveal();
