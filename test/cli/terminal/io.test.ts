import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../../src/cli/terminal/io.ts';

const failing = (code: string, throws: boolean) =>
  new Writable({
    write(_chunk, _encoding, done) {
      const error = Object.assign(new Error(`${code}: it failed`), { code });
      if (throws) throw error; // as streams to files do, which write at once
      done(error);
    },
  });

it.each([
  ['an error that comes later', false],
  ['one that is thrown at once', true],
])('takes a failed write for the end of its reader: %s', async (_, throws) => {
  const sink = new TextSink(failing('ENOSPC', throws));
  sink.write('text');
  await sink.drained();
  expect(sink.closed.reason).toMatchObject({ code: 'ENOSPC' });
  expect(sink.write('more')).toBe(true);
  await sink.ready();
});

it('writes what comes in one turn as one chunk, in order', async () => {
  const chunks: string[] = [];
  const sink = new TextSink(
    new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        done();
      },
    }),
  );
  sink.write('a');
  sink.write('b');
  await sink.drained();
  expect(chunks).toEqual(['ab']);
});

/** What a sink hands on, of a stream that is a terminal or not. */
async function passed(isTTY: boolean, isText: boolean, act: (sink: TextSink) => void): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const sink = new TextSink(Object.assign(stream, { isTTY }), { isText });
  act(sink);
  await sink.drained();
  return text;
}

const HOSTILE = '\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\x7f\u202e\u200b\u2028\b\rx';

it('is the one door to a terminal: nothing passes that it would obey but the colours of printers', async () => {
  const shown = await passed(true, false, (sink) => sink.write(`\x1b[31mred\x1b[0m${HOSTILE}\n`));
  expect(shown).toBe('\x1b[31mred\x1b[0m^[]52;c;aGk=^G^[[2J^[[31m^?\\u202e\\u200b\\u2028^H\\rx\n');
});

it('passes moves of the cursor only in what is drawn', async () => {
  const shown = await passed(true, true, (sink) => {
    sink.draw('\r\x1b[K\x1b[?25l');
    sink.writeNow('\x1b[31m\r\x1b[K');
    sink.draw('\x1b]0;title\x07\x9b31m');
  });
  expect(shown).toBe('\r\x1b[K\x1b[?25l^[[31m\\r^[[K^[]0;title^G^[[31m');
});

it('is data byte for byte where no terminal is, and text for people wherever it goes on stderr', async () => {
  expect(await passed(false, false, (sink) => sink.write(HOSTILE))).toBe(HOSTILE);
  expect(await passed(false, true, (sink) => sink.write(HOSTILE))).not.toMatch(/\p{Cc}|\p{Cf}|\u2028/u);
});

it('waits for a slow reader once, however many ask, and again for the next time', async () => {
  const held: (() => void)[] = [];
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void held.push(done) });
  const sink = new TextSink(stream);
  for (const text of ['a', 'b']) {
    sink.write(text);
    const waits = Array.from({ length: 20 }, () => sink.ready());
    expect(stream.listenerCount('drain')).toBe(1);
    held.pop()?.();
    await Promise.all(waits);
    expect(stream.listenerCount('drain')).toBe(0);
  }
});
