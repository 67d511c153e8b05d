import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { type LogFormat, stderrLogger } from '../../../src/cli/terminal/logging.ts';

async function logged(message: string, fields: object, format: LogFormat = 'text'): Promise<string> {
  let text = '';
  const stderr = new TextSink(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    }),
  );
  stderrLogger({ stdout: stderr, stderr, env: {} }, 9, format).error(message, { ...fields });
  await stderr.drained();
  return text;
}

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
