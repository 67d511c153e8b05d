import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonPath } from '../../src/expr/jsonpath/jsonpath.ts';
import { object } from '../support/jsonpath.ts';
import { CORPUS } from './corpus.ts';
import { DIFFERENT, KUBECTL_ANSWERS, SAME_ANSWERS } from './kubectl-answers.ts';
import { comparable, outcomeOf, settled } from './outcome.ts';
import { checkedCase, fuzzTarget } from './target.ts';
import { FUZZ_TARGETS, sharesOf } from './targets.ts';

/** A slice for CI: `npm run fuzz` runs more, from another seed each time. */
const CASES = 8_000;
const SEED = 1;

describe('no rule is broken in some thousand random cases of', () => {
  const counts = sharesOf(FUZZ_TARGETS, CASES);
  it.each(FUZZ_TARGETS.map((target, i) => [target.name, target, counts[i] ?? 1] as const))(
    '%s',
    async (_, target, count) => {
      const { failure, cases } = await target.run({ seed: SEED, count });
      expect(failure).toBeUndefined();
      expect(cases).toBe(count);
    },
  );
});

describe('an input that once broke a rule has the right answer:', () => {
  it.each(CORPUS.map((entry) => [entry.title, entry] as const))('%s', async (_, { answer, right }) => {
    await checkedCase(async () => {
      const outcome = comparable(await settled(async () => answer()));
      const isValue = typeof outcome === 'object' && outcome !== null && 'value' in outcome;
      expect(isValue ? outcome.value : outcome).toEqual(right);
    });
  });
});

describe('templates of JSONPath', () => {
  const printed = (template: string) => {
    const outcome = outcomeOf(() => compileJsonPath(template).print(object));
    return 'value' in outcome ? outcome.value : undefined;
  };

  it(`print what kubectl 1.35 printed for the same object, and are refused where it refused them`, () => {
    expect(SAME_ANSWERS.length).toBeGreaterThan(500);
    expect(SAME_ANSWERS.map(({ template }) => ({ template, printed: printed(template) }))).toEqual(
      SAME_ANSWERS.map(({ template, printed }) => ({ template, printed })),
    );
  });

  it.each(Object.entries(DIFFERENT))('differ where %s', (_, templates) => {
    const answers = new Map(KUBECTL_ANSWERS.map((answer) => [answer.template, answer.printed]));
    for (const template of templates) expect(printed(template)).not.toBe(answers.get(template));
  });
});

describe('a fuzz target', () => {
  const target = fuzzTarget({
    name: 'small',
    inputs: fc.nat(1_000_000),
    check: (n) => {
      if (n > 999_000) throw new Error('too large');
    },
  });

  it('ends with the first case that fails, and gives the number that makes it again', async () => {
    const { failure, cases } = await target.run({ seed: 3, count: 100_000 });
    const number = failure?.number ?? Number.NaN;
    expect(cases).toBe(number + 1);
    expect(failure?.input).toBe('999001'); // the smallest one
    expect((await target.run({ seed: 3, first: number, count: 1 })).failure).toMatchObject({ number, input: '999001' });
    expect((await target.run({ seed: 3, count: number })).failure).toBeUndefined();
  });

  it('fails for a case that changes a built-in prototype', async () => {
    const polluted = Object.prototype as { isPolluted?: boolean };
    const pollute = () => {
      polluted.isPolluted = true;
    };
    await expect(checkedCase(pollute)).rejects.toThrow('a built-in prototype was changed');
    delete polluted.isPolluted;
  });

  it('fails for a case that computes for longer than the limit', async () => {
    const busy = () => {
      const until = process.threadCpuUsage().user + 30_000;
      while (process.threadCpuUsage().user < until);
    };
    await expect(checkedCase(busy, 20)).rejects.toThrow(/^it computed for \d+ ms$/);
  });
});
