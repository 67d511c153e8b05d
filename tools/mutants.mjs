// Breaks one rule at a time and shows that a test notices: every entry of test/mutants/mutants.json is applied to a copy of the sources of its
// own, all copies are tested in one run, and in each of them a test must fail whose title holds what the entry says.
//   node tools/mutants.mjs [--only TEXT] [--keep]
//   --only TEXT   only entries whose file, rule or expected title holds TEXT
//   --keep        leave the copies where they are, and say where
// Ends with 1 when a breakage goes unnoticed, no longer applies, or when a test fails without any.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, keep: { type: 'boolean', default: false } } });
const entries = JSON.parse(readFileSync(path.join(root, 'test/mutants/mutants.json'), 'utf8'));
const mutants = entries.filter((m) => [m.file, m.rule, m.red].some((text) => text.includes(values.only)));
const scratch = mkdtempSync(path.join(tmpdir(), 'mutants-'));
try {
  process.exitCode = report(test(prepare()));
} finally {
  if (values.keep) console.log(`the copies are in ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true });
}

/** One copy for each mutant, and `whole`, in which nothing is broken. Gives the test files to run. */
function prepare() {
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  // A breakage may make a loop of what should pause: what runs away is to end soon, by time or by memory.
  const limits = { testTimeout: 3000, hookTimeout: 3000, teardownTimeout: 3000, execArgv: ['--max-old-space-size=400'] };
  const config = { cacheDir: path.join(scratch, '.cache'), test: { include: ['**/*.test.ts'], isolate: false, ...limits } };
  writeFileSync(path.join(scratch, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};\n`);
  writeFileSync(path.join(scratch, 'package.json'), '{"type":"module"}\n');
  const files = [...new Set(mutants.map((m) => m.test))];
  copy('whole', files);
  for (const [i, mutant] of mutants.entries()) {
    copy(nameOf(i), [mutant.test]);
    if (!breakRule(path.join(scratch, nameOf(i), mutant.file), mutant)) mutant.applies = false;
  }
}

function nameOf(i) {
  return `mutant-${i}`;
}

function copy(name, tests) {
  const to = path.join(scratch, name);
  mkdirSync(to);
  for (const room of ['src', 'test/support']) cpSync(path.join(root, room), path.join(to, room), { recursive: true });
  for (const test of tests) {
    const folder = path.dirname(test);
    const isWanted = (file) => !file.endsWith('.test.ts') || tests.some((t) => file.endsWith(t));
    cpSync(path.join(root, folder), path.join(to, folder), { recursive: true, filter: isWanted });
  }
}

function breakRule(file, { find, replace }) {
  const source = readFileSync(file, 'utf8');
  if (source.split(find).length !== 2) return false;
  writeFileSync(
    file,
    source.replace(find, () => replace),
  );
  return true;
}

/** The outcome of every test, by copy. */
function test() {
  const output = path.join(scratch, 'report.json');
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--root', scratch, '--reporter=json', `--outputFile=${output}`];
  spawnSync(process.execPath, args, { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 });
  const results = new Map();
  for (const { name, assertionResults, message, status } of JSON.parse(readFileSync(output, 'utf8')).testResults) {
    const [copyName] = path.relative(scratch, name).split(path.sep);
    const tests = assertionResults.map((t) => ({ title: t.fullName, status: t.status }));
    if (status === 'failed' && tests.length === 0) tests.push({ title: `the file did not load: ${message}`, status: 'failed' });
    results.set(copyName, [...(results.get(copyName) ?? []), ...tests]);
  }
  return results;
}

function report(results) {
  const failures = (name) => (results.get(name) ?? []).filter((t) => t.status === 'failed').map((t) => t.title);
  const broken = failures('whole');
  for (const title of broken) console.log(`FAILS UNBROKEN  ${title}`);
  let unnoticed = 0;
  for (const [i, { file, rule, red, applies }] of mutants.entries()) {
    const failed = failures(nameOf(i));
    const isNoticed = applies !== false && failed.some((title) => title.includes(red));
    if (!isNoticed) unnoticed++;
    const verdict = isNoticed ? 'noticed' : applies === false ? 'DOES NOT APPLY' : 'UNNOTICED';
    console.log(
      `${verdict.padEnd(15)} ${file}: ${rule} — ${isNoticed ? `${failed.length} red, ${red} among them` : `${red} is not among ${failed.length} red`}`,
    );
    if (!isNoticed) for (const title of failed) console.log(`${' '.repeat(16)}red: ${title}`);
  }
  console.log(`\n${mutants.length - unnoticed} of ${mutants.length} breakages noticed`);
  return unnoticed + broken.length > 0 ? 1 : 0;
}
