import { describe, expect, it } from 'vitest';
import { giveHints, type Hint, whenEmpty } from '../../../src/cli/hints/hint.ts';

const hintOf =
  (...lines: string[]): Hint<object> =>
  async () =>
    lines;

function outlet() {
  const ending = new AbortController();
  const lines: string[] = [];
  return { ending, lines, signal: ending.signal, notice: (text: string) => void lines.push(text) };
}

describe('hints', () => {
  it('are printed in the order of their list, one line for each thing', async () => {
    const to = outlet();
    await giveHints([hintOf('a', 'b'), hintOf(), hintOf('c')], {}, to);
    expect(to.lines).toEqual(['a', 'b', 'c']);
  });

  it('get the facts', async () => {
    const to = outlet();
    await giveHints([async ({ count }: { count: number }) => [`${count} pods`]], { count: 2 }, to);
    expect(to.lines).toEqual(['2 pods']);
  });

  it('are hushed once the command ends, and then not asked for any more', async () => {
    const to = outlet();
    let asked = 0;
    const ending: Hint<object> = async () => {
      to.ending.abort();
      return ['too late'];
    };
    const next: Hint<object> = async () => {
      asked++;
      return ['never'];
    };
    await giveHints([hintOf('in time'), ending, next], {}, to);
    expect({ lines: to.lines, asked }).toEqual({ lines: ['in time'], asked: 0 });
  });
});

it('a hint on an empty answer is silent where something was found', async () => {
  const hint = whenEmpty(hintOf('no value'));
  expect([await hint({ isEmpty: false }), await hint({ isEmpty: true })]).toEqual([[], ['no value']]);
});
