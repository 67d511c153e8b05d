import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/cli.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The commands of the page that have a prompt, with the output that the page shows; `…` stands for any lines. */
const SHOWN = [...readFileSync(path.join(ROOT, 'docs/history.md'), 'utf8').matchAll(/^```\n\$ kubectl informer (.*)\n([\s\S]*?)^```/gm)].map(([, line = '', output = '']) => ({ line, output })); // biome-ignore format: one line

it('the page of recordings answers its two questions with one command each, on a recording of at most 300 kB', () => {
  expect(SHOWN.map(({ line }) => line.split(' ')[0])).toEqual(['query', 'history', 'history']);
  expect(statSync(path.join(ROOT, 'examples/recordings/night.rec')).size).toBeLessThanOrEqual(300_000);
});

it.each(SHOWN)(
  'it prints what the page shows: $line',
  async ({ line, output }) => {
    const { code, stdout, stderr } = await run(line.split(' '), {
      cwd: ROOT,
      env: { HOME: '/nowhere', LANG: 'C.UTF-8' },
    });
    expect([code, stderr]).toEqual([0, '']);
    const parts = output.split(/^…\n/m);
    let from = 0;
    for (const part of parts) {
      const at = stdout.indexOf(part, from);
      expect(at, `${part}\n--- is not in, or not in this order:\n${stdout}`).toBeGreaterThanOrEqual(0);
      from = at + part.length;
    }
    expect(stdout.startsWith(parts[0] ?? '')).toBe(true);
  },
  30_000,
);
