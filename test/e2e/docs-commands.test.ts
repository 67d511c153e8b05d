import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../support/fixture.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/watch.md', 'docs/query.md', 'docs/config.md', 'docs/doctor.md'];

/** A line that is typed, and what the page says it prints first. */
interface Typed {
  readonly page: string;
  readonly line: string;
  readonly answer: string;
  /** It has a prompt and asks the sandbox: what follows it on the page is its output. */
  readonly isShown: boolean;
}

/** Lines of code blocks that run `watch`, `query` or `doctor`, without the tools they are piped into. */
const typed: Typed[] = PAGES.flatMap((page) => {
  const blocks = [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```\n(.*?)^```/gms)].map(
    ([, text = '']) => text,
  );
  const found = blocks.flatMap((text) => [
    ...text.matchAll(/^(\$ )?kubectl informer ((?:watch|query|doctor)\b.*)(?=\n(.*))/gm),
  ]);
  return found.map(([, prompt, line = '', answer = '']) => {
    const piped = line.replace(/ \| (jq|grep) .*$/, '');
    return { page, line: piped, answer, isShown: prompt !== undefined && / --sandbox\b/.test(line) };
  });
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
    async ({ line, answer, isShown }) => {
      const { code, stdout, stderr } = await shell(ended(line));
      if (isShown && line.startsWith('query'))
        expect([stdout, stderr].map((text) => alike(text.split('\n')[0] ?? ''))).toContain(alike(answer));
      if (!answer.startsWith('error: ')) expect([0, 3, 5], stderr).toContain(code);
      else {
        expect(code).toBe(2);
        expect(stderr).toContain(answer);
      }
    },
    30_000,
  );
});

/** A line of output without what differs from one sandbox to the next: widths of columns, drawn names, numbers. */
const alike = (line: string) =>
  line
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, '-DRAWN')
    .replaceAll(/\b\d+/g, 'N');

/** A watch that ends soon. */
function ended(line: string): string {
  if (line.startsWith('doctor')) return `${line} --request-timeout 60s`;
  if (line.startsWith('query') && !/ (-w|--watch)\b/.test(line)) return line;
  const seconds = line.includes(' --sandbox') ? 15 : 1; // the sandbox has to start, also on a busy machine
  return line.includes('--timeout')
    ? line.replace(/--timeout[ =]\S+/, '--timeout 1s')
    : `${line} --timeout ${seconds}s`;
}

function shell(line: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: fixture.folder, NO_COLOR: '1', ...fixture.env };
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', `"${process.execPath}" "${path.join(ROOT, 'bin/run.js')}" ${line}`],
      { env },
      (error, stdout, stderr) => resolve({ code: error ? error.code : child.exitCode, stdout, stderr }),
    );
  });
}
