// The submit page: the editor, files dropped onto it, the op and kernel type told by the text, hints that repeat the server's rules, Ctrl-Enter.
import { changedLines } from "./changed-lines.js";
import { editorOn } from "./editor.js";
import { detect, number, opsOf, refused, tidyName } from "./hand-in-rules.js";
import { showHints } from "./hints.js";
import { chosenOp } from "./starters.js";

const HINT_MS = 120;
const AGAIN_MS = 4000;
const C_PLUS_PLUS = /\.(?:cu|cuh|cc|cpp|cxx|h|hpp)$/i;
const form = document.querySelector("[data-submit-form]");
const { elements } = form;
const rules = JSON.parse(form.dataset.rules);
const ops = [...elements.op.options].filter((option) => option.value).map(({ value, dataset }) => ({ slug: value, entry: dataset.entry }));
const detected = elements.kernel_type.options[0];
const detectedSays = detected.textContent;
const earlier = form.dataset.earlier ? fetch(form.dataset.earlier).then((answer) => (answer.ok ? answer.text() : null)) : null;
let timer;

const start = form.dataset.kept === undefined ? elements.source.defaultValue : "";
const editor = await editorOn(elements.source, form.dataset.editor, { changed, dropped, send });
const op = chosenOp(form, editor, start.replace(/\r\n?/g, "\n"), changed);

function changed() {
  clearTimeout(timer);
  timer = setTimeout(look, HINT_MS);
}

function look() {
  const text = editor.text();
  editor.keep();
  if (text.trim() && !elements.op.value) guess(text);
  const found = values();
  const sign = text.trim() ? detect(text, rules) : undefined;
  const type = found.kernel_type || sign?.type;
  detected.textContent = sign ? `${detectedSays}: ${sign.type}` : detectedSays;
  editor.language(type === "cuda" || C_PLUS_PLUS.test(found.filename) ? "cpp" : "python");
  showHints(form, [...refused(found, text, rules, op.refusals()), ...entryHints(text, found.op), ...quotaHints(found.device)]);
  const name = found.filename ? `${found.filename} · ` : "";
  const bytes = new TextEncoder().encode(text).length;
  const most = bytes > rules.most_bytes / 10 ? ` of ${number(rules.most_bytes)}` : "";
  document.getElementById("source-size").textContent = `${name}${number(bytes)}${most} bytes`;
  changes(text);
}

function values() {
  const data = new FormData(form);
  const one = (name) => String(data.get(name) ?? "").trim();
  const names = ["op", "kernel_type", "mode", "policy", "timer", "seed", "agent", "filename"];
  return { ...Object.fromEntries(names.map((name) => [name, one(name)])), device: data.getAll("device") };
}

/** Choose the op whose entry point the text defines, when it is one alone. */
function guess(text) {
  const slugs = opsOf(text, ops);
  if (slugs.length !== 1 || elements.op.value === slugs[0]) return;
  [elements.op.value] = slugs;
  op.chosen();
}

function entryHints(text, slug) {
  const entry = ops.find((known) => known.slug === slug)?.entry;
  if (!text.trim() || !entry || new RegExp(`(?<![\\w.])${entry}(?!\\w)`).test(text)) return [];
  const others = opsOf(text, ops);
  const says = [{ field: "source", says: `Nothing here is named ${entry}, which ${slug} is called by.` }];
  if (others.length) says.push({ field: "op", says: `The source defines the entry point of ${others.slice(0, 3).join(", ")}.` });
  return says;
}

function quotaHints(devices) {
  const left = form.dataset.left;
  const says = `You have ${left} open evaluations left, and each device is one.`;
  return left !== undefined && devices.length > Number(left) ? [{ field: "device", says }] : [];
}

async function changes(text) {
  const before = earlier && (await earlier);
  if (typeof before !== "string") return;
  const found = changedLines(before, text);
  const lines = found && `${number(found.added)} line${found.added === 1 ? "" : "s"} added, ${number(found.removed)} removed`;
  const says = !found ? "too different to be compared" : found.added + found.removed ? lines : "not changed yet";
  document.getElementById("source-changes").textContent = `· ${says}`;
}

async function dropped(file) {
  const says = await take(file);
  if (says) showHints(form, [{ field: "source", says }]);
  return !says;
}

/** Take a file's text into the editor; gives the reason when it is not taken. */
async function take(file) {
  if (file.size > rules.most_bytes) return `${file.name} has ${number(file.size)} bytes; at most ${number(rules.most_bytes)} are taken.`;
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    return `${file.name} is not UTF-8 text. Nothing was taken.`;
  }
  if (!(await op.ask(text))) return "";
  elements.filename.value = tidyName(file.name, rules);
  guess(text);
  return "";
}

/** The form can be sent again: the page was left and came back, or the server did not answer. */
function again() {
  delete form.dataset.sent;
}

function send() {
  form.requestSubmit(form.querySelector("button.primary"));
}

async function chosen() {
  const [file] = elements.file.files;
  if (!file) return;
  elements.file.value = ""; // the editor holds it now, and what is seen is what is sent
  await dropped(file);
}

elements.file.addEventListener("change", chosen);
chosen(); // while the editor was on its way
form.addEventListener("input", changed);
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  send();
});
form.addEventListener("submit", (event) => {
  editor.keep();
  const secret = /(?:^|; )csrftoken=(\w+)/.exec(document.cookie); // a sign-in in another tab changes it
  if (secret) elements.csrfmiddlewaretoken.value = secret[1];
  if (form.dataset.sent !== undefined) event.preventDefault();
  form.dataset.sent = "";
  setTimeout(again, AGAIN_MS);
});
addEventListener("pageshow", again);
addEventListener("pagehide", () => editor.keep());
look();
