import { expect, it } from 'vitest';
import { familyOf, withFamily } from '../../src/informer/informer-family.ts';

it('an informer belongs together with those of its factory, and one that was made alone with none', () => {
  const [alone, one, other] = [{}, {}, {}] as never[];
  expect(withFamily(one as never, () => [one, other] as never)).toBe(one);
  expect([...familyOf(one as never)]).toEqual([one, other]);
  expect([...familyOf(alone as never)]).toEqual([alone]);
});
