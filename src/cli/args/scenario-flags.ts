import { InformerError } from '../../kit/error.ts';

/** Scenarios whose size and speed can be chosen. */
const SIZED = ['fleet', 'churn'];

/**
 * Reads `--pods` and `--rate` of a scenario. Throws `argument` for a scenario that has neither, and for a rate that is
 * none.
 */
export function scenarioOptionsOf(
  scenario: string | undefined,
  { pods, rate }: { pods?: number | undefined; rate?: string | undefined },
) {
  const given = [...(pods === undefined ? [] : ['--pods']), ...(rate === undefined ? [] : ['--rate'])];
  if (given.length > 0 && (scenario === undefined || !SIZED.includes(scenario))) {
    throw new InformerError(
      'argument',
      `${given[0]} does nothing ${scenario === undefined ? 'without a scenario' : `in the scenario ${scenario}`}`,
      {
        hint: `use it with ${SIZED.map((name) => `--scenario ${name}`).join(' or ')}`,
      },
    );
  }
  return { pods, ratePerSecond: rateOf(rate) };
}

/** `500/s` or `500`. */
function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1];
  if (rate !== undefined) return Number(rate);
  throw new InformerError(
    'argument',
    `invalid argument "${text}" for "--rate": expected changes per second, such as 500/s`,
  );
}
