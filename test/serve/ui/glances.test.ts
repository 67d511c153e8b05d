import { expect, it } from 'vitest';
import { Glances } from '../../../src/serve/ui/glances.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';

/** A cache whose glances can be counted. */
function counted(keys: readonly string[]) {
  const asked: string[] = [];
  const present = new Set(keys);
  const glance = (key: string) => {
    asked.push(key);
    return present.has(key) ? { metadata: { name: `${key} ${asked.length}` } } : undefined;
  };
  const cache = { informer: { lister: { glance } } } as unknown as UiCache;
  return { asked, cache, glances: new Glances(cache) };
}

it('an object is decoded once, and again after it has changed', () => {
  const { asked, cache, glances } = counted(['a', 'b']);
  const names = () => ['a', 'b'].map((key) => glances.of(key)?.metadata.name);
  expect([names(), names()]).toEqual([
    ['a 1', 'b 2'],
    ['a 1', 'b 2'],
  ]);
  glances.forget('a');
  expect(names()).toEqual(['a 3', 'b 2']);
  expect([asked, glances.cache]).toEqual([['a', 'b', 'a'], cache]);
});

it('an object that is not there is asked for each time', () => {
  const { asked, glances } = counted([]);
  expect([glances.of('a'), glances.of('a'), asked]).toEqual([undefined, undefined, ['a', 'a']]);
});

it('at most 100,000 objects are kept; beyond them the cache is asked each time', () => {
  const all = Array.from({ length: 100_001 }, (_, i) => `${i}`);
  const { asked, glances } = counted(all);
  const last = all.slice(-2);
  for (const key of all.slice(0, -1)) glances.of(key);
  asked.length = 0;
  for (const key of [...last, ...last]) glances.of(key);
  expect(asked).toEqual(['100000', '100000']);
});
