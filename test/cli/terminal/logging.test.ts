import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { logAsJson, logJson, stderrLogger } from '../../../src/cli/terminal/logging.ts';

async function written(write: (io: { stdout: TextSink; stderr: TextSink; env: object }) => void): Promise<string> {
  let text = '';
  const stderr = new TextSink(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    }),
  );
  write({ stdout: stderr, stderr, env: {} });
  await stderr.drained();
  return text;
}

const logged = (message: string, fields: object, format: 'text' | 'json' = 'text') =>
  written((io) => {
    if (format === 'json') logAsJson(io);
    stderrLogger(io, 9).error(message, { ...fields });
  });

it('writes fields that need it in quotes', async () => {
  expect(await logged('failed', { key: 'shop/web', line: 'a b', none: undefined })).toBe(
    'ERROR failed key=shop/web line="a b"\n',
  );
});

it('shows control characters instead of sending them to the terminal', async () => {
  const text = await logged('stopped\x1b[2J', { line: '\x1b[31mred', next: '\x9b31m', end: 'a\x7f' });
  expect(text.slice(0, -1)).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('[31mred');
});

it('as JSON sends no character that a terminal would obey, hide or reorder, and reads back the same', async () => {
  const hostile = '\x1b[2J\x9b31m\x7f\u202e\u200b\u2028\u{e0041}';
  const text = await logged(hostile, { line: hostile }, 'json');
  expect(text.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Cf}|\u2028/u);
  expect(JSON.parse(text)).toMatchObject({ msg: hostile, line: hostile });
});

it('indents the further lines of a message, so that none looks like a line of the program', async () => {
  expect(await logged('failed\nhint: run this', {})).toBe('ERROR failed\n  hint: run this\n');
});

it('as JSON makes an object of every line on stderr, also of text that comes in pieces', async () => {
  const text = await written((io) => {
    logAsJson(io);
    io.stderr.write('Warning: old\n\nin two ');
    io.stderr.draw('\r\x1b[Kprogress');
    io.stderr.writeNow('pieces\nerror: bad\x1b[2J\nno end');
    logJson(io, 'warn', 'an entry', { key: 'shop/web' });
  });
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { time: expect.any(String), level: 'warn', msg: 'old' },
    { time: expect.any(String), level: 'info', msg: 'in two pieces' },
    { time: expect.any(String), level: 'error', msg: 'bad\x1b[2J' },
    { time: expect.any(String), level: 'warn', msg: 'an entry', key: 'shop/web' },
    { time: expect.any(String), level: 'info', msg: 'no end' },
  ]);
  expect(text).not.toContain('\x1b');
});
