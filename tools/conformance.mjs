// Prints which test proves which numbered behaviour: id, outcome, test. Runs those tests, unless a report of them is
// given:
//   node tools/conformance.mjs [--report FILE]    FILE: what `vitest run --reporter=json --outputFile=FILE` wrote
// Ends with 1 when a behaviour is neither proven nor excused, or its test fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { behaviours, idsIn, namedInTests } from '../test/conformance/catalog.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { report: { type: 'string' } } });
const tests = testsById(values.report ? read(values.report) : run());
const counts = { proven: 0, failed: 0, missing: 0, 'does not apply': 0, later: 0 };

for (const behaviour of behaviours()) {
  const proofs = tests.get(behaviour.id) ?? [];
  const outcome = outcomeOf(behaviour, proofs);
  counts[outcome]++;
  console.log(`${behaviour.id.padEnd(8)} ${outcome.padEnd(14)} ${behaviour.says}`);
  if (behaviour.notApplicable) console.log(`${' '.repeat(24)}${behaviour.notApplicable}`);
  for (const { file, title, status } of proofs)
    console.log(`${' '.repeat(24)}${status === 'passed' ? '✓' : '✗'} ${file}: ${title}`);
}
console.log(
  `\n${Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')}`,
);
process.exitCode = counts.failed + counts.missing > 0 ? 1 : 0;

function outcomeOf({ notApplicable, isLater }, proofs) {
  if (proofs.some(({ status }) => status === 'failed')) return 'failed';
  if (proofs.some(({ status }) => status === 'passed')) return 'proven';
  if (notApplicable) return 'does not apply';
  return isLater ? 'later' : 'missing';
}

function run() {
  const files = [...new Set([...namedInTests().values()].flat())];
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const output = path.join(folder, 'report.json');
  try {
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    spawnSync(process.execPath, [vitest, 'run', '--reporter=json', `--outputFile=${output}`, ...files], {
      cwd: root,
      stdio: 'ignore',
    });
    return read(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The tests that name each id, rows of a table as one. */
function testsById({ testResults }) {
  const found = new Map();
  for (const { name, assertionResults } of testResults) {
    for (const { title, status } of assertionResults) {
      for (const id of idsIn(title)) {
        const proofs = found.get(id) ?? [];
        proofs.push({ file: path.relative(root, name), title, status });
        found.set(id, proofs);
      }
    }
  }
  return found;
}
