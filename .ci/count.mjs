// Prints the closing line: the tests of vitest's JSON report, and each of the six checks around them as one more.
import { readFileSync } from 'node:fs';

const CHECKS = 6;
const [file, failedChecks] = process.argv.slice(2);
let report = { numPassedTests: 0, numFailedTests: 1 };
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch (error) {
  console.error(`no test report: ${error.message}`);
}
const failed = report.numFailedTests + Number(failedChecks);
console.log(`${report.numPassedTests + CHECKS - Number(failedChecks)} passed, ${failed} failed`);
