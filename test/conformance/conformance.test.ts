import { describe, expect, it } from 'vitest';
import { behaviours, idsIn, namedInTests } from './catalog.ts';

const all = behaviours();
const named = namedInTests();

describe('the numbered behaviours', () => {
  it('are each named by a test, or listed with the reason why they do not apply', () => {
    const open = all.filter((b) => b.isProven && !named.has(b.id) && !b.notApplicable);
    expect(open.map((b) => b.id)).toEqual([]);
    expect(all.filter((b) => b.isProven).length).toBeGreaterThan(140);
  });

  it('of other groups are so too, unless they wait for their machinery to be built', () => {
    const open = all.filter((b) => !b.isProven && !named.has(b.id) && !b.notApplicable && !b.isLater);
    expect(open.map((b) => b.id)).toEqual([]);
  });

  it('are all those that tests name', () => {
    const known = new Set(all.map((b) => b.id));
    expect([...named.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('that do not apply are named by no test', () => {
    expect(all.filter((b) => b.notApplicable && named.has(b.id)).map((b) => b.id)).toEqual([]);
  });
});

it('a title may name several ids', () => {
  expect(idsIn('does this and that [REF-01, WL-02]')).toEqual(['REF-01', 'WL-02']);
  expect(idsIn('does [nothing] of the kind')).toEqual([]);
});
