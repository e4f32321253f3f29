// The source's editor: CodeMirror where it loads, else the text area alone. Both are used through the same functions:
// text() · load(text) replaces it all · language(name) · focus() · undoes: whether an undo brings back what load replaced.
// The text area stays the form's field; `keep()` writes the editor's text into it.
import { language, look } from "./editor-look.js";

const LEAVE_MS = 60_000; // how long after Escape a Tab leaves, unless another key comes between

/** `url`: the bundle. `on`: {changed, dropped(file), send}. */
export async function editorOn(area, url, on) {
  try {
    return codeMirror(await import(url), area, on);
  } catch (error) {
    console.warn("CodeMirror did not load; the plain text area stays.", error);
    return plain(area, on);
  }
}

function plain(area, on) {
  area.addEventListener("input", on.changed);
  takeDrops(area, on);
  return {
    undoes: false,
    text: () => area.value,
    load(text) { area.value = text; on.changed(); },
    language() {},
    focus: () => area.focus(),
    keep() {},
  };
}

function codeMirror(cm, area, on) {
  const compartment = new cm.Compartment();
  let spoken = "python";
  const view = new cm.EditorView({
    doc: area.value,
    extensions: [
      cm.EditorView.cspNonce.of(document.querySelector("script[nonce]").nonce),
      cm.lineNumbers(), cm.highlightActiveLineGutter(), cm.highlightActiveLine(), cm.highlightSpecialChars(),
      cm.history(), cm.indentOnInput(), cm.bracketMatching(), cm.highlightSelectionMatches(), cm.search({ top: true }),
      cm.placeholder("Type, paste, or drop a file here"),
      cm.indentUnit.of("    "), cm.EditorState.tabSize.of(4),
      cm.keymap.of([...keys(cm, on), ...cm.defaultKeymap, ...cm.historyKeymap, ...cm.searchKeymap]),
      compartment.of(language(cm, spoken)), look(cm),
      cm.EditorView.contentAttributes.of(labels(area)),
      cm.EditorView.updateListener.of((update) => { if (update.docChanged) on.changed(); }),
    ],
  });
  view.dom.classList.toggle("is-wrong", area.getAttribute("aria-invalid") === "true");
  takeDrops(view.dom, on);
  const label = document.querySelector(`label[for="${area.id}"]`);
  label.removeAttribute("for");
  label.addEventListener("click", () => view.focus());
  const typing = document.activeElement === area;
  area.hidden = true;
  area.after(view.dom);
  if (typing) {
    view.focus();
    view.dispatch({ selection: { anchor: Math.min(area.selectionStart, view.state.doc.length) } });
  }
  return {
    undoes: true,
    text: () => view.state.doc.toString(),
    load(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes, selection: { anchor: 0 }, scrollIntoView: true, annotations: cm.isolateHistory.of("full") });
    },
    language(name) {
      if (name !== spoken) view.dispatch({ effects: compartment.reconfigure(language(cm, name)) });
      spoken = name;
    },
    focus: () => view.focus(),
    keep() { area.value = view.state.doc.toString(); },
  };
}

function labels(area) {
  const wrong = area.getAttribute("aria-invalid") === "true" ? { "aria-invalid": "true" } : {};
  const described = `${wrong["aria-invalid"] ? `${area.id}_error ` : ""}source-keys`;
  return { id: "source-editor", tabindex: "0", "aria-labelledby": "source-label", "aria-describedby": described, ...wrong };
}

/** Tab indents, but never traps: Escape, then Tab, leaves. */
function keys(cm, on) {
  return [
    { key: "Tab", run: (view) => indent(cm, view), shift: cm.indentLess },
    {
      key: "Escape",
      run(view) {
        view.setTabFocusMode(LEAVE_MS);
        return cm.closeSearchPanel(view) || cm.simplifySelection(view) || true;
      },
    },
    { key: "Mod-Enter", run() { on.send(); return true; } },
  ];
}

/** Spaces up to the next stop; with a selection, its lines move. */
function indent(cm, view) {
  const { state } = view;
  if (state.selection.ranges.some((range) => !range.empty)) return cm.indentMore(view);
  view.dispatch(state.update(state.changeByRange(({ head }) => {
    const insert = " ".repeat(4 - ((head - state.doc.lineAt(head).from) % 4));
    return { changes: { from: head, insert }, range: cm.EditorSelection.cursor(head + insert.length) };
  }), { scrollIntoView: true, userEvent: "input.indent" }));
  return true;
}

function takeDrops(element, on) {
  const show = (event) => {
    const files = event.dataTransfer?.types.includes("Files");
    if (files) event.preventDefault();
    element.classList.toggle("is-drop", Boolean(files));
  };
  element.addEventListener("dragenter", show);
  element.addEventListener("dragover", show);
  element.addEventListener("dragleave", () => element.classList.remove("is-drop"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("is-drop");
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    event.stopPropagation(); // or else CodeMirror inserts it at the pointer
    on.dropped(file);
  }, true);
}
