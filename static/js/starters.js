// The op that is chosen: its signature, its starters, and where it cannot be ranked. The server renders that part; here it is only fetched anew.
// A starter or a file never replaces what was written without asking.

/** `editor` as of editor.js, `loaded`: the text that was there and is nobody's work. Returns {chosen, refusals, ask}. */
export function chosenOp(form, editor, loaded, changed) {
  const dialog = document.getElementById("replace");
  dialog.querySelector("[data-undo]").hidden = !editor.undoes;
  const box = () => document.getElementById("chosen-op");

  async function chosen() {
    const op = form.elements.op.value;
    if (op === box().dataset.op) return;
    const answer = await fetch(`${form.getAttribute("action")}?op=${encodeURIComponent(op)}`, { headers: { "HX-Request": "true" } });
    if (!answer.ok || op !== form.elements.op.value) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("chosen-op");
    if (fresh) box().replaceWith(fresh);
    changed();
  }

  /** Load `text`; where something was written, only when its author agrees. True when it was loaded. */
  async function ask(text) {
    const written = editor.text();
    if (written.trim() && written !== loaded && written !== text && !(await agrees())) return false;
    loaded = text.replace(/\r\n?/g, "\n");
    editor.load(text);
    editor.focus();
    return true;
  }

  function agrees() {
    return new Promise((done) => {
      dialog.returnValue = "";
      dialog.addEventListener("close", () => done(dialog.returnValue === "replace"), { once: true });
      dialog.showModal();
    });
  }

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-starter]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await fetch(link.dataset.starter);
    if (answer.ok) await ask(await answer.text());
    else location.href = link.href;
  });
  form.elements.op.addEventListener("change", chosen);
  chosen(); // a reload may have restored another choice than the server rendered
  return { chosen, ask, refusals: () => JSON.parse(box().dataset.refusals) };
}
