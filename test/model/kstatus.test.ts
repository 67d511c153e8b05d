import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kstatusOf } from '../../src/model/kstatus.ts';

/** Objects, and what kstatus of cli-utils v0.37.2 says of each at {@link NOW}. */
const recorded: [object: Record<string, unknown>, status: string, message: string][] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'kstatus.json.golden'), 'utf8'),
);
/** Five seconds after the younger ones of them were created. */
const NOW = Date.parse('2026-01-01T00:00:05Z');

describe('kstatusOf says what kstatus says of', () => {
  const kinds = Map.groupBy(recorded, ([{ apiVersion, kind }]) => `${apiVersion} ${kind}`);
  it.each([...kinds])('%s', (_, cases) => {
    const answers = cases.map(([object]) => {
      const { status, message } = kstatusOf(object, NOW);
      return [object, status, message];
    });
    expect(answers).toEqual(cases);
  });

  it('every kind with rules of its own, in each status', () => {
    expect([kinds.size, new Set(recorded.map(([{ kind }, status]) => `${kind} ${status}`)).size]).toEqual([15, 47]);
  });
});

it.each<[string, string, object, object, boolean]>([
  ['a Job that failed', 'batch/v1 Job', {}, { conditions: [{ type: 'Failed', status: 'True' }] }, true],
  [
    'a Deployment after its deadline',
    'apps/v1 Deployment',
    {},
    { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
    true,
  ],
  ['a stalled object', 'example.com/v1 Thing', {}, { conditions: [{ type: 'Stalled', status: 'True' }] }, true],
  [
    'a definition with names of another',
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    {},
    { conditions: [{ type: 'NamesAccepted', status: 'False' }] },
    true,
  ],
  [
    'a definition that could not be installed',
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    {},
    { conditions: [{ type: 'Established', status: 'False', reason: 'NotAccepted' }] },
    true,
  ],
  [
    'a Pod whose container crashes, which may start',
    'v1 Pod',
    {},
    {
      phase: 'Running',
      containerStatuses: [{ name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    },
    false,
  ],
  [
    'a Pod without a node, which may come',
    'v1 Pod',
    {},
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    false,
  ],
])('%s has failed, and it is said whether it can recover by itself', (_, type, spec, status, isStuck) => {
  const [apiVersion, kind] = type.split(' ');
  const metadata = { name: 'x', creationTimestamp: '2020-01-01T00:00:00Z' };
  expect(kstatusOf({ apiVersion, kind, metadata, spec, status }, NOW)).toMatchObject({ status: 'Failed', isStuck });
});

it.each([
  { metadata: 7, spec: [], status: 'x' },
  { metadata: { generation: 'a', deletionTimestamp: {} }, status: { observedGeneration: {}, conditions: {} } },
  { metadata: {}, status: { conditions: [null, 7, { type: [], status: {} }], containerStatuses: [null] } },
  { spec: { replicas: {} }, status: { replicas: [], phase: {} } },
])('kstatusOf answers for the odd object %j of every kind', (object) => {
  for (const [{ apiVersion, kind }] of recorded)
    expect(['Current', 'InProgress']).toContain(kstatusOf({ apiVersion, kind, ...object }, NOW).status);
});
