// <form data-filters="id">: while the reader types or chooses, the list with that id is fetched again and the address follows.
// Without this script the form's button does the same.
import { morphChildren } from "./morph.js";
import { localTimes } from "./main.js";

const PAUSE_MS = 120;

function filters(form) {
  const list = document.getElementById(form.dataset.filters);
  let timer;
  let asking;

  async function ask() {
    const chosen = query(form);
    const address = `${location.pathname}${chosen.size ? `?${chosen}` : ""}`;
    asking?.abort();
    asking = new AbortController();
    try {
      const answer = await fetch(address, { headers: { "HX-Request": "true" }, signal: asking.signal });
      if (!answer.ok) return;
      morphChildren(list, new DOMParser().parseFromString(await answer.text(), "text/html").body);
      localTimes(list);
      history.replaceState(null, "", address);
    } catch { /* a newer question took its place, or the button still works */ }
  }

  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  const asServed = form.cloneNode(true);
  asServed.reset();
  if (String(query(asServed)) !== String(query(form))) ask(); // typed or chosen before this script was there
}

function query(form) {
  return new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
}

for (const form of document.querySelectorAll("form[data-filters]")) filters(form);
