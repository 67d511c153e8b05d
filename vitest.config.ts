import { defineConfig } from 'vitest/config';

const WITHOUT_EJS = new URL('./test/support/without-ejs.mjs', import.meta.url).href;
/** The driver of the browser makes code of text. */
const IN_BROWSER = ['test/serve/ui/page.test.ts', 'test/e2e/serve-ui.test.ts'];

const shared = {
  // limits, which only a test that hangs reaches: a machine that other work keeps busy is several times slower
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
  typecheck: { enabled: false },
} as const;

export default defineConfig({
  test: {
    silent: 'passed-only', // the library's warnings go to stderr; of a test that fails they are shown
    projects: [
      {
        test: {
          ...shared,
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: IN_BROWSER,
          // nothing that is shipped makes code of text
          execArgv: ['--disallow-code-generation-from-strings', `--import=${WITHOUT_EJS}`],
        },
      },
      { test: { ...shared, name: 'browser', include: IN_BROWSER } },
    ],
  },
});
