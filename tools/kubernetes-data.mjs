// Updates what the sandbox knows of the built-in types from recordings of a real API server:
//   npm run kubernetes-data -- FILE…
// FILE is an OpenAPI v3 document (`kubectl get --raw /openapi/v3/apis/apps/v1`; may be .gz), or a list of recorded
// exchanges as the contract tests read them: aggregated discovery, and lists as Tables; or a Go file of types in
// staging/src/k8s.io of Kubernetes, for the fields that may be null. What the files do not contain stays as it is.
// Prints each value that changed, and what to add by hand, because no recording has it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { updateColumns } from './kubernetes-data/columns.ts';
import { updateFields } from './kubernetes-data/fields.ts';
import { readData, writeData } from './kubernetes-data/layout.ts';
import { updateNulls } from './kubernetes-data/nulls.ts';
import { updateTypes } from './kubernetes-data/types.ts';

const source = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'src');
const folder = path.join(source, 'sandbox', 'types', 'data');
const given = process.argv.slice(2);
const isGo = (file) => file.endsWith('.go');
const files = given.filter((file) => !isGo(file));
if (given.length === 0) {
  console.error(
    'usage: npm run kubernetes-data -- FILE…   (OpenAPI v3 documents, recorded exchanges, Go files of types)',
  );
  process.exit(2);
}

const contents = files.map(read);
const documents = contents.filter((content) => content.components !== undefined);
const exchanges = contents.filter(Array.isArray).flat();

const types = update('types.json', (data) => updateTypes(data, exchanges));
update('columns.json', (data) => updateColumns(data, exchanges, types));
// the fields of types behind a feature gate stay: no recording has them
const all = withGated(types);
update('fields.json', (data) => updateFields(data, documents, all, (line) => console.log(`by hand: ${line}`)));

function withGated(served) {
  const versions = { ...served };
  for (const gated of Object.values(readData(path.join(folder, 'gated-types.json'))))
    for (const [version, resources] of Object.entries(gated))
      versions[version] = { ...versions[version], ...resources };
  return versions;
}

const goFiles = given.filter(isGo).map((file) => ({
  path: file.slice(file.lastIndexOf('k8s.io/') + 'k8s.io/'.length),
  text: readFileSync(file, 'utf8'),
}));
update(path.join(source, 'output', 'typescript', 'null-fields.json'), (data) => updateNulls(data, goFiles));

function read(file) {
  const bytes = readFileSync(file);
  return JSON.parse(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

function update(name, change) {
  const file = path.resolve(folder, name);
  const before = readData(file);
  const after = change(before);
  report(path.basename(name), before, after);
  writeData(file, after);
  return after;
}

/** Prints each value that differs, by its path. */
function report(at, before, after) {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  if (!isContainer(before) || !isContainer(after)) {
    console.log(`${at}: ${text(before)} → ${text(after)}`);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    report(`${at} ${key}`, before[key], after[key]);
}

function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

function text(value) {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
