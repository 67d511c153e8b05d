// Runs test files on sources in which one edit is made. Nothing is copied: a plugin (vitest.config.mjs beside this
// file) serves the edited file, and what imports it, a second time under an id of its own.
import path from 'node:path';
import { inScratch, root, runEntries } from './test-runner.mjs';

/** A run that says nothing for `silence` ms is ended. */
const SETTINGS = { isolate: false, testTimeout: 6000, hookTimeout: 3000, silence: 8000, memory: 600 };
const BROKEN_TIMEOUT = 2000;
/** Stands for the title of a test when a job did not end. */
const HUNG = 'the run hung, or ended its process';

/**
 * Runs every job, and gives its result: `titles` of the tests that failed. A job is `{ id, test, edit?, reds? }`: of its
 * test file run those tests whose title holds one of `reds`, or all. A job that hangs, or ends its process, is taken
 * out, which counts as a test that failed, and the rest goes on.
 */
export function runJobs(all) {
  return inScratch(async (scratch) => {
    const results = new Map();
    let left = all;
    while (left.length > 0) {
      const { done, last } = await run(left, scratch);
      for (const [id, result] of done) results.set(id, result);
      if (last !== undefined) results.set(last, { titles: [HUNG] });
      else if (done.size === 0)
        throw new Error('no test could be begun: MUTANTS_SHOW=1 shows what the test runner says');
      left = left.filter(({ id }) => !results.has(id));
    }
    return results;
  });
}

/** One run of the test runner over jobs. `last` began and did not end. */
async function run(left, scratch) {
  const entries = left.map((job) => [`job-${job.id}.test.js`, (log) => entryOf(job, log)]);
  const jobs = left.map((job) => ({ ...job, ...job.edit }));
  return outcome(await runEntries(scratch, entries, { ...SETTINGS, jobs }));
}

/** Runs the wanted tests of one test file and writes down which failed; of a breakage only until one has. */
function entryOf({ id, test, reds, edit }, log) {
  return `
import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, it, vi } from 'vitest';
const say = (what) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what) + '\\n');
const reds = ${JSON.stringify(reds ?? null)};
const isBroken = ${edit !== undefined};
const titles = [];
const titleOf = (task) => (task.suite?.name ? titleOf(task.suite) + ' ' : '') + task.name;
const isWanted = (title) => !reds || reds.some((red) => title.includes(red));
say({ began: ${id} });
beforeEach(({ task, skip }) => {
  if ((isBroken && titles.length > 0) || !isWanted(titleOf(task))) skip();
});
afterEach(({ task }) => {
  say({});
  if (task.result?.state === 'fail') titles.push(titleOf(task));
});
afterAll(() => say({ ended: ${id}, titles }));
if (isBroken) vi.setConfig({ testTimeout: ${BROKEN_TIMEOUT} });
try {
  await import(${JSON.stringify(`${path.join(root, test)}?job=${id}`)});
} catch (error) {
  titles.push('the file did not load: ' + error);
  it('loads', () => {});
}
`;
}

function outcome(lines) {
  const done = new Map();
  let last;
  for (const { began, ended, titles } of lines) {
    last = began ?? last;
    if (ended === undefined) continue;
    done.set(ended, { titles });
    last = undefined;
  }
  return { done, last };
}
