// One line of hints beside each field of a form, said aloud when it changes. What the server has said there already is not said again.

/** `found`: [{field, says}]; a field's name stands in `data-field` of what holds it. */
export function showHints(form, found) {
  for (const field of form.querySelectorAll("[data-field]")) {
    const said = field.querySelector(":scope > .error")?.textContent ?? "";
    const own = found.filter((one) => one.field === field.dataset.field && !said.includes(one.says));
    const says = [...new Set(own.map((one) => one.says))].join(" ");
    let line = field.querySelector(":scope > .live-hint");
    if (!line && !says) continue;
    if (!line) {
      line = Object.assign(document.createElement("div"), { className: "live-hint", role: "status" });
      field.append(line);
    }
    if (line.textContent !== says) line.textContent = says;
    if (says && field.closest("details")) field.closest("details").open = true;
  }
}
