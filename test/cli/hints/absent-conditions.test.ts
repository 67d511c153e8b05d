import { expect, it } from 'vitest';
import { absentConditions } from '../../../src/cli/hints/absent-conditions.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { factsOf } from '../../support/hints.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', singular: 'pod' } as ResourceType;

const pod = (...types: string[]) => ({
  metadata: { name: 'a' },
  status: { conditions: types.map((type) => ({ type })) },
});

const hintsOn = (name: string, ...all: readonly (readonly ReadonlyObject[])[]) =>
  absentConditions(
    factsOf(
      all.map((objects) => ({ type: POD, objects })),
      { conditionsNamed: [name] },
    ),
  );

it.each([
  ['Redy', ['--for: none of 2 pods has the condition Redy; did you mean Ready?']],
  ['READY', []],
  ['example.com/Reday', ['--for: none of 2 pods has the condition example.com/Reday; did you mean example.com/Ready?']],
  ['DisruptionTarget', []],
  ['Other', []],
])('of --for condition=%s it says %j', async (name, lines) => {
  const objects = [pod('Ready', 'PodScheduled'), pod('example.com/Ready')];
  expect(await hintsOn(name, objects)).toEqual(lines);
});

it('says nothing of objects without conditions', async () => {
  const objects = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, status: { conditions: 'none' } }];
  expect(await hintsOn('Redy', objects, [])).toEqual([]);
});
