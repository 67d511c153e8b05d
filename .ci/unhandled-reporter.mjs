// Writes how many errors of a test run belong to no test, which vitest's JSON report does not say.
import { writeFileSync } from 'node:fs';

export default class UnhandledReporter {
  onTestRunEnd(_modules, errors) {
    if (process.env.UNHANDLED_FILE) writeFileSync(process.env.UNHANDLED_FILE, String(errors.length));
  }
}
