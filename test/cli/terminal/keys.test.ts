import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Key, KeyReader, keysOf } from '../../../src/cli/terminal/keys.ts';

it.each<[string, Key[]]>([
  ['\x1b[A\x1bOB', ['up', 'down']],
  ['\x1b[5~\x1b[6~ b', ['page-up', 'page-down', 'page-down', 'page-up']],
  ['gG\x1b[H\x1b[F', ['top', 'bottom', 'top', 'bottom']],
  ['jkq', ['down', 'up', 'quit']],
  ['\x03\x1a', ['interrupt', 'suspend']],
  ['x\x1b[1;5Ay\x1b', []],
])('of %j are the keys %j', (text, keys) => {
  expect(keysOf(text)).toEqual(keys);
});

it('a reader takes the terminal while it reads, and gives it back', async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const keys: Key[] = [];
  const reader = new KeyReader(input, (key) => keys.push(key));
  reader.start();
  input.write('j');
  await expect.poll(() => keys).toEqual(['down']);
  reader.stop();
  reader.stop();
  expect([modes, input.isPaused()]).toEqual([[true, false], true]);
});

it('a reader leaves alone what is no terminal', () => {
  const input = new PassThrough();
  new KeyReader(input, () => expect.unreachable()).start();
  expect([input.listenerCount('data'), input.isPaused()]).toEqual([0, false]);
});
