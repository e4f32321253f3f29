// The submit form: drop a file, Tab indents (Escape first leaves), Ctrl-Enter sends, hints that repeat the server's rules.
const form = document.querySelector("[data-submit-form]");
const source = form.elements.source;
const file = form.elements.file;
const hint = document.getElementById("source-live-hint");
const LIMIT = Number(source.dataset.maxBytes);
let leaving = false;

function look() {
  const bytes = new TextEncoder().encode(source.value).length;
  const entry = form.elements.op.selectedOptions[0]?.dataset.entry;
  const says = [`${bytes.toLocaleString("en")} of ${LIMIT.toLocaleString("en")} bytes`];
  if (bytes > LIMIT) says.push("too long: the server will refuse it");
  else if (bytes && entry && !source.value.includes(entry)) says.push(`defines no ${entry} yet`);
  hint.textContent = says.join(" · ");
}

async function take(dropped) {
  source.value = await dropped.text();
  form.elements.filename.value = dropped.name;
  const slug = [...form.elements.op.options].find((o) => o.dataset.entry && source.value.includes(o.dataset.entry));
  if (slug) form.elements.op.value = slug.value;
  look();
}

source.addEventListener("dragover", (event) => { event.preventDefault(); source.classList.add("is-drop"); });
source.addEventListener("dragleave", () => source.classList.remove("is-drop"));
source.addEventListener("drop", (event) => {
  source.classList.remove("is-drop");
  const [dropped] = event.dataTransfer.files;
  if (!dropped) return;
  event.preventDefault();
  take(dropped);
});
file.addEventListener("change", async () => {
  const [chosen] = file.files;
  if (!chosen) return;
  await take(chosen);
  file.value = ""; // the text area now holds it, and what is seen is what is sent
});

source.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leaving = true;
  else if (event.key === "Tab" && !event.shiftKey && !leaving) {
    event.preventDefault();
    source.setRangeText("    ", source.selectionStart, source.selectionEnd, "end");
    look();
  } else if (event.key !== "Tab") leaving = false;
});
source.addEventListener("blur", () => { leaving = false; });
source.addEventListener("input", look);
form.elements.op.addEventListener("change", look);
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
  }
});
look();
