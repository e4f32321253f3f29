// Bundles src/index.js into ../static/vendor/codemirror.js, its licences beside it, and tells both in ../static/vendor/vendored.json.
// The same package-lock.json gives the same bytes.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const VENDOR = new URL("../static/vendor/", import.meta.url);
const BUNDLE = "codemirror.js";
const LICENCES = "codemirror.LICENSE.txt";
const BANNER = `/* CodeMirror 6 and Lezer, bundled by editor/build.mjs. MIT: ${LICENCES} */`;

const locked = JSON.parse(await readFile(new URL("package-lock.json", import.meta.url), "utf8")).packages;
const built = await build({
  entryPoints: [new URL("src/index.js", import.meta.url).pathname],
  absWorkingDir: new URL(".", import.meta.url).pathname,
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: BANNER },
  metafile: true,
  write: false,
  outfile: BUNDLE,
});
const bytes = built.outputFiles[0].contents;
const [output] = Object.values(built.metafile.outputs);

const used = Object.entries(output.inputs).filter(([, input]) => input.bytesInOutput > 0).map(([path]) => packageOf(path)).filter(Boolean);
const names = [...new Set(used)].sort();
const packages = names.map((name) => ({ name, ...pick(locked[`node_modules/${name}`]) }));
await writeFile(new URL(BUNDLE, VENDOR), bytes);
await writeFile(new URL(LICENCES, VENDOR), await licences());
await tell({
  file: BUNDLE,
  name: "CodeMirror",
  version: locked["node_modules/@codemirror/view"].version,
  source: `editor/ (npm ci && npm run build, esbuild ${locked["node_modules/esbuild"].version}), packages from https://registry.npmjs.org/`,
  licence: "MIT",
  licence_file: LICENCES,
  sha256: sha256(bytes),
  bytes: bytes.length,
  gzip_bytes: gzipSync(bytes, { level: 9 }).length,
  packages,
});
console.log(`${BUNDLE}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip, ${names.length} packages`);

function packageOf(path) {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

function pick({ version, integrity, license }) {
  return { version, licence: license, integrity };
}

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

async function licences() {
  const texts = await Promise.all(names.map((name) => readFile(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8")));
  return names.map((name, at) => `${name} ${locked[`node_modules/${name}`].version}\n\n${texts[at].trim()}\n`).join("\n----\n\n");
}

async function tell(entry) {
  const place = new URL("vendored.json", VENDOR);
  const list = await readFile(place, "utf8").then(JSON.parse, () => []);
  const others = list.filter((other) => other.file !== entry.file);
  await writeFile(place, `${JSON.stringify([...others, entry].sort((a, b) => a.file.localeCompare(b.file)), null, 2)}\n`);
}
