// Turns one piece of the page into its fresh rendering in place: nodes that did not change stay, so focus, selection,
// scroll positions and opened <details> survive. Elements with an id are matched by id, others by position and name.
// An element with data-frozen stays as it is; it hears by "live:held" what it would have become.

const KEEP = new Set(["open", "data-touched"]); // what the reader opened or closed stays so

function sameKind(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "");
}

function syncAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !KEEP.has(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !(KEEP.has(name) && from.dataset.touched)) from.setAttribute(name, value);
  }
}

function morphNode(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (from.hasAttribute("data-frozen")) {
    from.dispatchEvent(new CustomEvent("live:held", { bubbles: true, detail: to.cloneNode(true) }));
    return;
  }
  syncAttributes(from, to);
  morphChildren(from, to);
}

export function morphChildren(from, to) {
  const byId = new Map();
  for (const child of from.children) if (child.id) byId.set(child.id, child);
  let cursor = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = wanted.id ? byId.get(wanted.id) : null;
    if (known && known.nodeName === wanted.nodeName) {
      if (known === cursor) cursor = cursor.nextSibling;
      else from.insertBefore(known, cursor);
      morphNode(known, wanted);
    } else if (cursor && sameKind(cursor, wanted)) {
      const next = cursor.nextSibling;
      morphNode(cursor, wanted);
      cursor = next;
    } else {
      const fresh = document.importNode(wanted, true);
      if (fresh.nodeType === Node.ELEMENT_NODE && fresh.hasAttribute("data-arrives")) fresh.classList.add("is-new");
      from.insertBefore(fresh, cursor);
    }
  }
  while (cursor) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}
