import { expect, it } from 'vitest';
import { OutputLimit } from '../../../src/hooks/run/output-limit.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function limited() {
  const clock = new FakeClock();
  const shown: string[] = [];
  const limit = new OutputLimit((line) => shown.push(line), clock);
  const print = (count: number, text = 'x') => {
    for (let i = 0; i < count; i++) limit.line(text);
  };
  return { clock, shown, limit, print };
}

it('shows everything that is no flood', async () => {
  const { clock, shown, limit, print } = limited();
  for (let second = 0; second < 10; second++) {
    print(200);
    await clock.advance(1_000);
  }
  limit[Symbol.dispose]();
  expect(shown).toHaveLength(2_000);
});

it('shows 200 lines of a second, then says how many were left out', async () => {
  const { clock, shown, print } = limited();
  print(1_000);
  expect(shown).toHaveLength(200);
  await clock.advance(1_000);
  expect(shown.slice(200)).toEqual(['… 800 lines left out']);
});

it('shows less of a flood that goes on, and all again after it', async () => {
  const { clock, shown, print } = limited();
  print(1_000);
  await clock.advance(1_000);
  shown.length = 0;
  print(1_000);
  await clock.advance(1_000);
  expect(shown).toHaveLength(21);
  expect(shown.at(-1)).toBe('… 980 lines left out');
  await clock.advance(1_000);
  print(10);
  await clock.advance(1_000);
  shown.length = 0;
  print(200);
  expect(shown).toHaveLength(200);
});

it('one line more than is shown is a flood, too', async () => {
  const { clock, shown, print } = limited();
  print(201);
  await clock.advance(1_000);
  expect(shown.slice(200)).toEqual(['… 1 line left out']);
  shown.length = 0;
  print(200);
  expect(shown).toHaveLength(20);
});

it('limits the characters, too', () => {
  const { shown, limit, print } = limited();
  print(100, 'x'.repeat(16 * 1024));
  limit[Symbol.dispose]();
  expect(shown).toHaveLength(17);
  expect(shown.at(-1)).toBe('… 84 lines left out');
});
