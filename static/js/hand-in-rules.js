// The server's rules for a hand-in, asked in the browser: hints only, the server judges again. `rules` and `refusals` come from the server
// (submissions/pages/editor_rules.py); nothing of them is written here. Everything in this file is a function of its arguments.

/** The first sign that the text shows: its kernel type, and why the site refuses that type ("" when it does not). */
export function detect(text, rules) {
  return rules.signs.find((sign) => has(text, sign.pattern) && !(sign.unless && has(text, sign.unless)));
}

/** Whether the text shows the pattern. The server reads the first bytes only, but more are refused anyway. */
function has(text, pattern) {
  return new RegExp(pattern).test(text);
}

/** Names that the text binds at the start of a line: functions, classes, values, imports. */
export function bound(text) {
  const names = new Set();
  for (const [, name] of text.matchAll(/^(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)/gm)) names.add(name);
  for (const [, name] of text.matchAll(/^([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)/gm)) names.add(name);
  for (const [, list] of text.matchAll(/^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+([^\n]+)/gm)) {
    for (const part of list.split(",")) names.add(part.trim().split(/\s+as\s+/).pop().split(".")[0]);
  }
  return names;
}

/** Slugs of the ops whose entry point the text defines. `ops`: [{slug, entry}]. */
export function opsOf(text, ops) {
  const names = bound(text);
  return ops.filter((op) => names.has(op.entry)).map((op) => op.slug);
}

/** What the server would refuse: [{field, says}]. `values` maps fields to a string or a list of strings. */
export function refused(values, text, rules, refusals) {
  const found = [...rules.refusals, ...refusals].filter(({ when }) => Object.entries(when).every(([name, value]) => holds(values[name], value)));
  const { says } = rules;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > rules.most_bytes) found.push({ field: "source", says: fill(says.too_long, { bytes: number(bytes), most: number(rules.most_bytes) }) });
  const nul = text.indexOf("\0");
  if (nul >= 0) found.push({ field: "source", says: fill(says.has_nul, { offset: new TextEncoder().encode(text.slice(0, nul)).length }) });
  const sign = values.kernel_type || !text.trim() ? undefined : detect(text, rules);
  if (sign?.refused) found.push({ field: "kernel_type", says: sign.refused });
  if (values.filename && !new RegExp(`^(?:${rules.filename})$`).test(values.filename)) found.push({ field: "filename", says: says.filename });
  if ([...values.agent].length > rules.most_agent) found.push({ field: "agent", says: says.agent });
  if (values.seed && !(/^\d+$/.test(values.seed) && BigInt(values.seed) <= BigInt(rules.most_seed))) found.push({ field: "seed", says: says.seed });
  return found;
}

function holds(value, wanted) {
  if (wanted === null) return value.length > 0;
  return Array.isArray(value) ? value.includes(wanted) : value === wanted;
}

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function number(value) {
  return value.toLocaleString("en");
}

/** A name that the server takes, made of the name of a file. */
export function tidyName(name, rules) {
  const tidy = name.replace(/[^A-Za-z0-9_.+ -]+/g, "_").replace(/^[^A-Za-z0-9_]+/, "").slice(-120);
  return new RegExp(`^(?:${rules.filename})$`).test(tidy) ? tidy : "";
}
