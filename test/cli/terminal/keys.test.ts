import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Key, type KeyPress, KeyReader, keysOf } from '../../../src/cli/terminal/keys.ts';

it.each<[string, Key[]]>([
  ['\x1b[A\x1bOB', ['up', 'down']],
  ['\x1b[5~\x1b[6~ b', ['page-up', 'page-down', 'page-down', 'page-up']],
  ['gG\x1b[H\x1b[F', ['top', 'bottom', 'top', 'bottom']],
  ['jkq', ['down', 'up', 'quit']],
  ['\x03\x1a', ['interrupt', 'suspend']],
  ['\x1b[C\x1b[D', ['right', 'left']],
  ['x\x1b[1;5Ay\x1b', ['escape']],
  ['\x7f\b\x15', ['erase', 'erase', 'erase-all']],
])('of %j are the keys %j', (text, keys) => {
  expect(keysOf(text).flatMap(({ key }) => key ?? [])).toEqual(keys);
});

it('a key without a name is the character that was typed, also beyond U+FFFF', () => {
  expect(keysOf('aé😀')).toEqual(['a', 'é', '😀'].map((text) => ({ key: undefined, text })));
});

it('a reader takes the terminal while it reads, and gives it back', async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const keys: KeyPress[] = [];
  const reader = new KeyReader(input, (press) => keys.push(press));
  reader.start();
  input.write('j');
  await expect.poll(() => keys).toEqual([{ key: 'down', text: 'j' }]);
  reader.stop();
  reader.stop();
  expect([modes, input.isPaused()]).toEqual([[true, false], true]);
});

it('a reader leaves alone what is no terminal', () => {
  const input = new PassThrough();
  new KeyReader(input, () => expect.unreachable()).start();
  expect([input.listenerCount('data'), input.isPaused()]).toEqual([0, false]);
});
