// Prints the closing lines: what failed and why, what passed only at its second try, and last the tests of vitest's
// JSON report with each of the eight checks around them as one more.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const CHECKS = 8;
const LINES = 12;
const [file, failedChecks] = process.argv.slice(2);
let report = { numPassedTests: 0, numFailedTests: 1, testResults: [] };
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch (error) {
  console.error(`no test report: ${error.message}`);
}
for (const { name, status, message, assertionResults } of report.testResults) {
  if (status === 'failed' && message) show('could not run', name, '', [message]);
  for (const { fullName, status, failureMessages } of assertionResults)
    if (status === 'failed') show('failed', name, fullName, failureMessages);
}
for (const { name, fullName, failureMessages } of report.numFailedTests > 0 ? [] : (report.secondTries ?? []))
  show('failed at the first try', name, fullName, failureMessages);
const failed = report.numFailedTests + Number(failedChecks);
console.log(`${report.numPassedTests + CHECKS - Number(failedChecks)} passed, ${failed} failed`);

function show(what, name, title, messages) {
  console.log(`\n${what}: ${path.relative('.', name)}: ${title}`);
  for (const message of messages) for (const line of linesOf(message)) console.log(`    ${line.slice(0, 300)}`);
  console.log();
}

function linesOf(message) {
  return message
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
    .slice(0, LINES);
}
