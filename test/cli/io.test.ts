import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../src/cli/io.ts';

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
