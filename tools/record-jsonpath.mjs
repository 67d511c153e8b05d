// Records what real kubectl prints for the templates of test/fuzz/kubectl-jsonpath.json, in that file:
//   node tools/run.mjs node tools/record-jsonpath.mjs
// It needs no cluster. Templates that are added to the file without an answer get one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { object } from '../test/support/jsonpath.ts';
import { findKubectl, runKubectl } from '../test/support/kubectl.ts';

const FILE = path.resolve(import.meta.dirname, '../test/fuzz/kubectl-jsonpath.json');
/** How often kubectl is asked: it walks through maps in an order of its own each time. */
const TIMES = 6;
const kubectl = findKubectl();
if ('missing' in kubectl) {
  console.error(`error: ${kubectl.missing}`);
  process.exit(1);
}
const folder = mkdtempSync(path.join(tmpdir(), 'jsonpath-'));
const manifest = path.join(folder, 'object.json');
writeFileSync(manifest, JSON.stringify(object));

const answers = [];
for (const { template } of JSON.parse(readFileSync(FILE, 'utf8'))) {
  const all = await Promise.all(Array.from({ length: TIMES }, () => answerFor(template)));
  const [first] = all;
  if (all.every((answer) => JSON.stringify(answer) === JSON.stringify(first))) answers.push(first);
  else console.log(`left out, because the order of its values is random: ${template}`);
}
rmSync(folder, { recursive: true });
writeFileSync(FILE, `${JSON.stringify(answers, null, 2)}\n`);
console.log(`${answers.length} answers in ${FILE}`);

/** What one run of kubectl answers. The label is the one that the object has, so nothing is changed. */
async function answerFor(template) {
  const args = ['label', '--local', '--overwrite', '-f', manifest, 'x=1', '-o', `jsonpath=${template}`];
  const { code, stdout, stderr } = await runKubectl(kubectl.path, args);
  return code === 0 ? { template, printed: stdout } : { template, error: reasonIn(stderr) };
}

/** kubectl's own words for the fault, without the template and the object that it prints too. */
function reasonIn(stderr) {
  const [line = ''] = stderr.split('\n');
  return /Error executing template: (.*?)\. Printing more/.exec(line)?.[1] ?? line.replace(/^error: /, '');
}
