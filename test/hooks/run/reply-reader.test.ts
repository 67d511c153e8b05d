import { expect, it } from 'vitest';
import { ReplyReader } from '../../../src/hooks/run/reply-reader.ts';

/** Reads an output in pieces, with the lines that were passed on after each piece. */
function read(...pieces: string[]) {
  const shown: string[] = [];
  const lost: string[] = [];
  const reader = new ReplyReader({ onLine: (line) => shown.push(line), onLostReply: (line) => lost.push(line) });
  const counts = pieces.map((piece) => {
    reader.push(Buffer.from(piece));
    return shown.length;
  });
  reader.end();
  return { shown, lost, counts, reply: () => reader.reply() };
}

it.each([
  ['', undefined, []],
  ['done\n', undefined, ['done']],
  ['{"a":1}\n', { a: 1 }, []],
  ['{"a":1}', { a: 1 }, []],
  ['{"a":1}\r\n', { a: 1 }, []],
  ['working on it\n{"first":1}\n{"a":1}\n\n', { a: 1 }, ['working on it', '{"first":1}']],
  ['{\n  "a": 1\n}\n', { a: 1 }, []],
  ['\n\n{\n\n"a": 1 }\n', { a: 1 }, []],
  ['{"a":1}\nlater text\n', undefined, ['{"a":1}', 'later text']],
  ['{garbage\n{"a":1}\n', { a: 1 }, ['{garbage']],
  ['[1]\n', undefined, ['[1]']],
  ['5\n', undefined, ['5']],
])('the output %j has the reply %j and the lines %j', (stdout, reply, lines) => {
  const reading = read(stdout);
  expect(reading.reply()).toEqual(reply);
  expect(reading.shown).toEqual(lines);
});

it.each(['{"a":', 'log\n{\n  "a": 1\n}\n', '{\n "a": 1,\n}\n'])('a broken reply is not silently lost: %j', (stdout) => {
  const reading = read(stdout);
  expect(reading.reply).toThrow(
    expect.objectContaining({ code: 'hook', hint: 'print it on the last line by itself, as jq -c does' }),
  );
  expect(reading.shown.join('')).not.toBe('');
});

it('passes on each line at once, and keeps back only one that may be the reply', () => {
  const { counts, shown } = read('one\n', 'tw', 'o\n{"n":', '1}\n', '\n', 'three\n', '{"n":2}\n');
  expect(counts).toEqual([1, 1, 2, 2, 2, 4, 4]);
  expect(shown).toEqual(['one', 'two', '{"n":1}', 'three']);
});

it('cuts a line that is too long to be shown, and not a reply', () => {
  const long = 'x'.repeat(100_000);
  const { shown, reply } = read(`${long}\n{"a":"${long}"}\n`);
  expect(shown).toEqual([`${'x'.repeat(16_384)}… (83616 more characters)`]);
  expect(reply()).toEqual({ a: long });
});

it('keeps characters together that come in two chunks', () => {
  const shown: string[] = [];
  const reader = new ReplyReader({ onLine: (line) => shown.push(line) });
  const bytes = Buffer.from('grüße\n');
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  reader.end();
  expect(shown).toEqual(['grüße']);
});

it('reports a reply that other output follows, once', () => {
  const { lost } = read('{"actions":[]}\n{"requeueAfter":"1s"}\n{"level":"info"}\ndone\n');
  expect(lost).toEqual(['{"actions":[]}']);
});
