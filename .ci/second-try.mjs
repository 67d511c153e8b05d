// The second and last try of tests that failed, each file alone, on a machine that does nothing else then:
//   node .ci/second-try.mjs REPORT    REPORT: vitest's JSON report of the first run, which gets what the second one found
// Many tests drive real processes against real clocks, and a machine that other work keeps busy can break one. A defect
// fails twice. What passes only now is printed with its error at the end of CI (`count.mjs`), so that it is repaired.
// There is no second try for many failures, for a file that could not run, or for an error outside of a test.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const MOST_FAILURES = 5;
const file = process.argv[2];
const report = read(file);
const failed = report.testResults.filter(({ status }) => status === 'failed');
const failures = failed.flatMap(failuresOf);
const withoutTest = failed.filter((result) => failuresOf(result).length === 0);
const outside = existsSync(`${file}.unhandled`) ? Number(readFileSync(`${file}.unhandled`, 'utf8')) : 1;

if (failures.length === 0 || failures.length > MOST_FAILURES || withoutTest.length > 0 || outside > 0) {
  console.log(
    `no second try: ${failures.length} tests failed, ${withoutTest.length} files could not run, ${outside} errors`,
  );
  process.exit(1);
}

const output = `${file}.second`;
const vitest = ['tools/run.mjs', 'vitest', 'run', '--no-file-parallelism', '--reporter=default', '--reporter=json'];
const run = spawnSync(process.execPath, [...vitest, `--outputFile=${output}`, ...failed.map(({ name }) => name)], {
  stdio: 'inherit',
});
const second = read(output);
for (const result of second.testResults)
  report.testResults[report.testResults.findIndex(({ name }) => name === result.name)] = result;
const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
report.numPassedTests = all.filter(({ status }) => status === 'passed').length;
report.numFailedTests = all.filter(({ status }) => status === 'failed').length;
report.secondTries = failures;
writeFileSync(file, JSON.stringify(report));
process.exit(run.status === 0 && report.numFailedTests === 0 ? 0 : 1);

function failuresOf({ name, assertionResults }) {
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ name, fullName, failureMessages }));
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
