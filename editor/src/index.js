// What static/js/editor*.js use of CodeMirror, and nothing more: all else is left out of the bundle.
export { Compartment, EditorSelection, EditorState } from "@codemirror/state";
export {
  EditorView, MatchDecorator, ViewPlugin, Decoration,
  highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
export { HighlightStyle, LanguageSupport, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory, simplifySelection } from "@codemirror/commands";
export { closeSearchPanel, highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { pythonLanguage } from "@codemirror/lang-python";
export { cppLanguage } from "@codemirror/lang-cpp";
export { parseMixed } from "@lezer/common";
export { tags } from "@lezer/highlight";
