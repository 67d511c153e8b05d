import { expect, it } from 'vitest';
import { conditionAdvice } from '../../../src/cli/session/condition-advice.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', singular: 'pod' } as ResourceType;

const pod = (...types: string[]) => ({
  metadata: { name: 'a' },
  status: { conditions: types.map((type) => ({ type })) },
});

it.each([
  ['Redy', ['--for: none of 2 pods has the condition Redy; did you mean Ready?']],
  ['READY', []],
  ['example.com/Reday', ['--for: none of 2 pods has the condition example.com/Reday; did you mean example.com/Ready?']],
  ['DisruptionTarget', []],
  ['Other', []],
])('of --for condition=%s it says %j', (name, lines) => {
  const objects = [pod('Ready', 'PodScheduled'), pod('example.com/Ready')];
  expect(conditionAdvice([name], [{ type: POD, objects }])).toEqual(lines);
});

it('says nothing of objects without conditions', () => {
  const objects = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, status: { conditions: 'none' } }];
  expect(
    conditionAdvice(
      ['Redy'],
      [
        { type: POD, objects },
        { type: POD, objects: [] },
      ],
    ),
  ).toEqual([]);
});
