// How the editor looks and what it highlights, on the site's tokens. `cm` is the bundle static/vendor/codemirror.js.
const CUDA = /\b(?:__(?:global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds)__|__(?:syncthreads|syncwarp|ldg|threadfence)\w*|__shfl\w*|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g;
const IS_CPLUS = /__global__|^[ \t]*#[ \t]*include\b|\btorch::|\bextern[ \t]+"C"/m;
const OPENING = /^[A-Za-z]{0,2}("""|'''|"|')/;

export function look(cm) {
  return [theme(cm), cm.syntaxHighlighting(colours(cm)), cudaWords(cm)];
}

/** "python", in whose strings C++ is highlighted as such, or "cpp". */
export function language(cm, name) {
  if (name === "cpp") return new cm.LanguageSupport(cm.cppLanguage);
  const wrap = cm.parseMixed((node, input) => (node.name === "String" ? cPlusInside(cm, node, input) : null));
  return new cm.LanguageSupport(cm.pythonLanguage.configure({ wrap }));
}

function cPlusInside(cm, node, input) {
  const text = input.read(node.from, Math.min(node.to, node.from + 50_000));
  const quote = OPENING.exec(text);
  const [from, to] = quote ? [node.from + quote[0].length, node.to - quote[1].length] : [0, 0];
  return from < to && IS_CPLUS.test(text) ? { parser: cm.cppLanguage.parser, overlay: [{ from, to }] } : null;
}

function theme(cm) {
  const panel = { color: "var(--ink)", backgroundColor: "var(--sunken)" };
  return cm.EditorView.theme({
    "&": { color: "var(--ink)", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", fontSize: "var(--text-s)" },
    "&.cm-focused, &:has(> .cm-scroller :focus)": { outline: "var(--focus)", outlineOffset: "-1px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--ink)", padding: "var(--s2) 0" },
    ".cm-line": { padding: "0 var(--s3) 0 var(--s2)" },
    ".cm-gutters": { color: "var(--ink-2)", backgroundColor: "var(--sunken)", borderRight: "1px solid var(--line)" },
    ".cm-lineNumbers .cm-gutterElement": { minWidth: "3em", padding: "0 var(--s2)" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
    "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 70%, transparent)" },
    "&.cm-focused .cm-activeLineGutter": { color: "var(--ink)", fontWeight: "600" },
    ".cm-placeholder": { color: "var(--ink-2)" },
    ".cm-specialChar": { color: "var(--bad)" },
    "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
    "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)", outline: "1px solid var(--bad)" },
    ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
    ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
    ".cm-searchMatch-selected": { color: "var(--accent-ink)", backgroundColor: "var(--accent)" },
    ".cm-panels": panel,
    ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
    ".cm-panel.cm-search": { padding: "var(--s2) var(--s5) var(--s2) var(--s3)", fontFamily: "var(--sans)" },
    ".cm-panel.cm-search label": { display: "inline-block", fontSize: "var(--text-s)", fontWeight: "400", margin: "0 var(--s3) 0 0" },
    ".cm-panel.cm-search input[type=checkbox]": { marginRight: "var(--s1)" },
    ".cm-textfield": { width: "14rem !important", maxWidth: "100%", fontSize: "var(--text-s)", margin: "0 var(--s2) var(--s1) 0", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)" },
    ".cm-button": { minHeight: "1.75rem !important", margin: "0 var(--s1) var(--s1) 0", fontSize: "var(--text-xs) !important", backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius)" },
    ".cm-panel.cm-search [name=close]": { minHeight: "0 !important", padding: "0 var(--s2) !important", top: "var(--s2)", right: "var(--s2)", color: "var(--ink-2)", border: "0 !important", backgroundColor: "transparent !important" },
    ".cm-cuda": { color: "var(--code-decorator)" },
  });
}

function colours(cm) {
  const { tags: t } = cm;
  return cm.HighlightStyle.define([
    { tag: [t.keyword, t.modifier, t.standard(t.typeName), t.self], color: "var(--code-keyword)" },
    { tag: [t.string, t.special(t.string), t.character, t.escape], color: "var(--code-string)" },
    { tag: [t.number, t.bool, t.null, t.atom], color: "var(--code-number)" },
    { tag: [t.definition(t.function(t.variableName)), t.definition(t.className)], color: "var(--code-name)", fontWeight: "600" },
    { tag: [t.function(t.variableName), t.className], color: "var(--code-name)" },
    { tag: [t.comment, t.docComment], color: "var(--code-comment)", fontStyle: "italic" },
    { tag: [t.meta, t.processingInstruction], color: "var(--code-decorator)" },
    { tag: t.invalid, color: "var(--bad)" },
  ]);
}

/** CUDA's own words, which C++ does not know. */
function cudaWords(cm) {
  const matcher = new cm.MatchDecorator({ regexp: CUDA, decoration: cm.Decoration.mark({ class: "cm-cuda" }) });
  const make = (view) => ({
    decorations: matcher.createDeco(view),
    update(change) { this.decorations = matcher.updateDeco(change, this.decorations); },
  });
  return cm.ViewPlugin.define(make, { decorations: (plugin) => plugin.decorations });
}
