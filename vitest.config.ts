import { defineConfig } from 'vitest/config';

const WITHOUT_EJS = new URL('./test/support/without-ejs.mjs', import.meta.url).href;
/** What runs the built program, the built library or the packed package. */
const NEED_A_BUILD = [
  'test/e2e/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/contract/myservice-operator.test.ts',
  'test/bench/bench.test.ts',
];
/** Changes a module for itself, or looks at what a process has loaded: it cannot share one with other files. */
const OWN_PROCESS = [
  'test/cli/session/output.test.ts', // adds a format
  'test/informer/compact/same-promises.test.ts',
  'test/sandbox/server/certificate.test.ts',
];
/** The driver of the browser makes code of text. */
const IN_BROWSER = [
  'test/serve/ui/page.test.ts',
  'test/serve/ui/page-past.test.ts',
  'test/output/timeline/html-page.test.ts',
  'test/e2e/serve-ui.test.ts',
];

const shared = {
  // limits, which only a test that hangs reaches: a machine that other work keeps busy is several times slower
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
  typecheck: { enabled: false },
  maxWorkers: '100%', // the default leaves a core free: of two cores it uses one
} as const;

/** Nothing that is shipped makes code of text. */
const execArgv = ['--disallow-code-generation-from-strings', `--import=${WITHOUT_EJS}`];

export default defineConfig({
  test: {
    silent: 'passed-only', // the library's warnings go to stderr; of a test that fails they are shown
    projects: [
      {
        test: {
          ...shared,
          name: 'unit', // a fresh checkout without a build passes it
          include: ['test/**/*.test.ts'],
          exclude: [...NEED_A_BUILD, ...IN_BROWSER, ...OWN_PROCESS],
          // Files share a process and its modules: half of the time went into loading them again for each of 700 files.
          isolate: false,
          setupFiles: ['test/support/leaves-nothing.ts'],
          execArgv,
        },
      },
      { test: { ...shared, name: 'unit-own-process', include: OWN_PROCESS, execArgv } },
      // each file has a process, and with it a cache folder, of its own: test/support/own-cache.ts
      { test: { ...shared, name: 'built', include: NEED_A_BUILD, exclude: IN_BROWSER, execArgv } },
      { test: { ...shared, name: 'browser', include: IN_BROWSER } },
    ],
  },
});
