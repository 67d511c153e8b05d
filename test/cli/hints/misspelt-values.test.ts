import { expect, test } from 'vitest';
import type { HintPlan } from '../../../src/cli/hints/hint.ts';
import { misspeltValues } from '../../../src/cli/hints/misspelt-values.ts';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { withCells } from '../../../src/model/cells.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { factsOf, serverOf } from '../../support/hints.ts';

const typeOf = (resource: string, kind: string) =>
  ({ gvr: { group: '', version: 'v1', resource }, kind, singular: kind.toLowerCase() }) as ResourceType;
const POD = typeOf('pods', 'Pod');

const pod = (phase: string, node = 'worker-1') => ({ metadata: { name: 'a' }, spec: { node }, status: { phase } });
const filtered = (...sources: string[]): Partial<HintPlan> => ({
  filters: sources.map((source) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES })),
  wheres: [],
});
const where = (source: string): Partial<HintPlan> => ({
  filters: [],
  wheres: [compileCel(source, { flag: '--where', variables: {}, unlisted: true })],
});
const hintsOn = (plan: Partial<HintPlan>, objects: readonly object[], { type = POD } = {}) =>
  misspeltValues(factsOf([{ type, objects: objects as ReadonlyObject[] }], plan), serverOf());

test.each<[string, string[]]>([
  ['object.status.phase == "running"', ['.status.phase == "running" holds for none; did you mean "Running"?']],
  ['object.status.phase == "Failed"', []], // it may come
  ['object.spec.node == "worker-3"', []],
  [
    'object.status.phase == "Runing" && object.spec.node == "wroker-1"',
    [
      '.status.phase == "Runing" holds for none; did you mean "Running"?',
      '.spec.node == "wroker-1" holds for none; did you mean "worker-1"?',
    ],
  ],
  ['object.kind == "pod"', ['.kind == "pod" holds for none; did you mean "Pod"?']],
  // each holds for one of them, and both for none
  ['object.status.phase == "Pending" && object.spec.node == "worker-1"', []],
  ['object.status.none == "x"', []],
])('a text that no object has: %s', async (source, lines) => {
  const objects = [pod('Running'), pod('Pending', 'worker-2')];
  expect(await hintsOn(filtered(source), objects)).toEqual(lines.map((line) => `--filter: ${line}`));
});

test('cells are looked at as --where sees them', async () => {
  const columns = ['Name', 'Status', 'Up-To-Date', 'Age'].map((name) => ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    priority: 0,
  }));
  const row = withCells({ metadata: { name: 'web' } } as ReadonlyObject, {
    columns,
    cells: ['web', 'Running', 'full', '5m'],
  });
  expect(await hintsOn(where('STATUS == "runing" || cells["UP-TO-DATE"] == "ful"'), [row])).toEqual([
    '--where: STATUS == "runing" holds for none; did you mean "Running"?',
    '--where: cells["UP-TO-DATE"] == "ful" holds for none; did you mean "full"?',
  ]);
});

test('values of Secrets are not named, and characters for terminals are not passed on', async () => {
  const secret = { metadata: { name: 'login' }, data: { password: 'swordfish' } };
  expect(
    await hintsOn(filtered('object.data.password == "sword"'), [secret], { type: typeOf('secrets', 'Secret') }),
  ).toEqual([]);
  const [line] = await hintsOn(filtered('object.status.phase == "runing"'), [pod('running\u001b')]);
  expect(line).not.toContain('\u001b');
});
