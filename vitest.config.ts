import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    typecheck: { enabled: false },
    silent: 'passed-only', // the library's warnings go to stderr; of a test that fails they are shown
  },
});
