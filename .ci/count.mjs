// Prints the closing line from vitest's JSON report, the smoke counted as one test.
import { readFileSync } from 'node:fs';

const [file, smoke] = process.argv.slice(2);
let report = { numPassedTests: 0, numFailedTests: 1 };
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch (error) {
  console.error(`no test report: ${error.message}`);
}
const suites = report.numFailedTests === 0 && report.success === false ? 1 : 0; // a file that did not load counts as a failure
const passed = report.numPassedTests + (smoke === '0' ? 1 : 0);
const failed = report.numFailedTests + suites + (smoke === '0' ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
