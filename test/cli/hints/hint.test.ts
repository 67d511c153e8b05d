import { describe, expect, it } from 'vitest';
import { type Findings, giveHints, type Hint, whenEmpty } from '../../../src/cli/hints/hint.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { factsOf, serverOf } from '../../support/hints.ts';
import { storeOf } from '../../support/query.ts';

const hintOf =
  (...lines: string[]): Hint =>
  async () =>
    lines;

const object = (name: string): ReadonlyObject => ({ metadata: { name } });
const found = (more: Partial<Findings> = {}): Findings => {
  const lister = storeOf([object('a'), object('b')] as never, []);
  return {
    plan: { namespaces: [''], reads: [] },
    targets: [{ names: new Set(['b']), informer: { lister } }],
    ...more,
  } as never;
};

function session() {
  const ending = new AbortController();
  const lines: string[] = [];
  const clock = new FakeClock();
  const notice = (text: string) => void lines.push(text);
  return { ending, lines, clock, client: {} as never, signal: ending.signal, notice };
}

describe('hints', () => {
  it('are printed in the order of their list, one line for each thing', async () => {
    const to = session();
    await giveHints([hintOf('a', 'b'), hintOf(), hintOf('c')], found(), to);
    expect(to.lines).toEqual(['a', 'b', 'c']);
  });

  it('get the objects of the caches that were asked for, and with them those that the selectors of the user give', async () => {
    const to = session();
    const names: Hint = async ({ cached, samples }) =>
      [cached, samples].map((all) => all.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.name)).join());
    await giveHints([names], found(), to);
    await giveHints([names], found({ samples: [{ type: {} as never, objects: [object('c')] }] }), to);
    expect(to.lines).toEqual(['b', 'b', 'b', 'c']);
  });

  it('are hushed once the command ends, and then not asked for any more', async () => {
    const to = session();
    let asked = 0;
    const ending: Hint = async () => {
      to.ending.abort();
      return ['too late'];
    };
    const next: Hint = async () => {
      asked++;
      return ['never'];
    };
    await giveHints([hintOf('in time'), ending, next], found(), to);
    expect({ lines: to.lines, asked }).toEqual({ lines: ['in time'], asked: 0 });
  });

  it('have two seconds each for what they ask of a server', async () => {
    const to = session();
    const slow: Hint = (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(['no answer'])));
    const given = giveHints([slow, slow, hintOf('next')], found(), to);
    await to.clock.advance(1_999);
    expect(to.lines).toEqual([]);
    await to.clock.advance(1);
    expect(to.lines).toEqual(['no answer']);
    await to.clock.advance(2_000);
    await given;
    expect(to.lines).toEqual(['no answer', 'no answer', 'next']);
  });
});

it('a hint on an empty answer is silent where something was found', async () => {
  const hint = whenEmpty(hintOf('no value'));
  const linesOf = (isEmpty: boolean) => hint(factsOf([], {}, { isEmpty }), serverOf());
  expect([await linesOf(false), await linesOf(true)]).toEqual([[], ['no value']]);
});
