import { expect, it } from 'vitest';
import { firstState, type StreamFacts } from '../../../src/cli/hints/first-state.ts';
import type { Findings, HintPlan } from '../../../src/cli/hints/hint.ts';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { factsOf, pods, serverOf } from '../../support/hints.ts';

const stateOf = (
  names: readonly string[],
  plan: Partial<HintPlan>,
  more: Partial<StreamFacts> & Pick<Findings, 'isReportedElsewhere'> = {},
): Promise<string[]> => {
  const stream = { shown: 0, nothingFound: () => 'No resources found', isTerminal: false };
  return firstState({ ...factsOf([pods(...names)], plan), ...stream, ...more }, serverOf());
};
const named = { name: /x/ };

it('says that there is nothing, unless that goes without saying', async () => {
  expect(await stateOf([], {})).toEqual(['No resources found']);
  expect(await stateOf([], {}, { nothingFound: () => undefined })).toEqual([]);
});

it('says that nothing matches where the command ends, or a person reads it', async () => {
  expect(await stateOf(['a'], { ...named, once: true })).toEqual(['none of 1 pod matches']);
  expect(await stateOf(['a', 'b'], named, { isTerminal: true })).toEqual(['none of 2 pods matches']);
  expect(await stateOf(['a'], named)).toEqual([]);
});

it('says to everybody that nothing matches where a value looks misspelt', async () => {
  const filter = compileCel('object.metadata.name == "wbe"', { flag: '--filter', variables: OBJECT_VARIABLES });
  expect(await stateOf(['web'], { filters: [filter], conditions: [{}] as never })).toEqual([
    'none of 1 pod matches',
    '--filter: .metadata.name == "wbe" holds for none; did you mean "web"?',
  ]);
});

it('says to a person what a stream without filters does', async () => {
  expect(await stateOf(['a', 'b'], {}, { isTerminal: true })).toEqual(['2 pods; changes are shown as they come']);
  expect(await stateOf(['a'], {})).toEqual([]);
});

it('is silent of objects that are shown, and beside another line about the state', async () => {
  for (const more of [{ shown: 1 }, { isReportedElsewhere: true }])
    expect(await stateOf(['a'], named, { isTerminal: true, ...more })).toEqual([]);
});
