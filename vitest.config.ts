import { defineConfig } from 'vitest/config';

const WITHOUT_EJS = new URL('./test/support/without-ejs.mjs', import.meta.url).href;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // limits, which only a test that hangs reaches: a machine that other work keeps busy is several times slower
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // nothing that is shipped makes code of text
    execArgv: ['--disallow-code-generation-from-strings', `--import=${WITHOUT_EJS}`],
    typecheck: { enabled: false },
    silent: 'passed-only', // the library's warnings go to stderr; of a test that fails they are shown
  },
});
