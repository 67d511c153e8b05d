import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../src/cli/io.ts';
import { stderrLogger } from '../../src/cli/logging.ts';

async function logged(message: string, fields: object): Promise<string> {
  let text = '';
  const stderr = new TextSink(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    }),
  );
  stderrLogger({ stdout: stderr, stderr, env: {} }, 9).error(message, { ...fields });
  await stderr.drained();
  return text;
}

it('writes fields that need it in quotes', async () => {
  expect(await logged('failed', { key: 'shop/web', line: 'a b', none: undefined })).toBe('ERROR failed key=shop/web line="a b"\n');
});

it('shows control characters instead of sending them to the terminal', async () => {
  const text = await logged('stopped\x1b[2J', { line: '\x1b[31mred', next: '\x9b31m', end: 'a\x7f' });
  expect(text.slice(0, -1)).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('[31mred');
});
