import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../support/fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/watch.md', 'docs/config.md'];

/** A line that is typed, and what the page says it prints first. */
interface Typed {
  readonly page: string;
  readonly line: string;
  readonly answer: string;
}

/** Lines of code blocks that run `watch` or `query`, without the tools they are piped into. */
const typed: Typed[] = PAGES.flatMap((page) => {
  const blocks = [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```\n(.*?)^```/gms)].map(
    ([, text = '']) => text,
  );
  const found = blocks.flatMap((text) => [
    ...text.matchAll(/^(?:\$ )?kubectl informer ((?:watch|query) .*)(?=\n(.*))/gm),
  ]);
  return found.map(([, line = '', answer = '']) => ({ page, line: line.replace(/ \| (jq|grep) .*$/, ''), answer }));
});

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe('the commands in README and docs', () => {
  it('are there', () => {
    expect(typed.length).toBeGreaterThan(20);
  });

  it.concurrent.each(typed)(
    'is understood, or refused with the words beside it: $page: $line',
    async ({ line, answer }) => {
      const { code, stderr } = await shell(ended(line));
      if (!answer.startsWith('error: ')) expect([0, 3, 5], stderr).toContain(code);
      else {
        expect(code).toBe(2);
        expect(stderr).toContain(answer);
      }
    },
    30_000,
  );
});

/** A watch that ends soon. */
function ended(line: string): string {
  if (line.startsWith('query')) return line;
  return line.includes('--timeout') ? line.replace(/--timeout[ =]\S+/, '--timeout 1s') : `${line} --timeout 1s`;
}

function shell(line: string): Promise<{ code: unknown; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: fixture.folder, NO_COLOR: '1', ...fixture.env };
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', `"${process.execPath}" "${path.join(ROOT, 'bin/run.js')}" ${line}`],
      { env },
      (error, _, stderr) => resolve({ code: error ? error.code : child.exitCode, stderr }),
    );
  });
}
