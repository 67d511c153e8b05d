import { describe, expect, test } from 'vitest';
import { hasRollout, rolloutOf } from '../../src/model/rollout-status.ts';

/** The states of `kubectl rollout status`, by what it would print. */
const deployment = (spec: object, status: object, generation = 2) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation },
  spec,
  status: { observedGeneration: 2, ...status },
});
const set = (kind: string, spec: object, status: object, generation = 2) => ({
  ...deployment(spec, status, generation),
  kind,
});
const ROLLING = { updateStrategy: { type: 'RollingUpdate' } };
const partitioned = (partition?: number) => ({
  replicas: 3,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: partition === undefined ? {} : { partition } },
});
const late = { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] };

describe('rolloutOf answers as kubectl rollout status does for', () => {
  test.each<[string, object, string, string]>([
    [
      'the spec is not observed yet',
      deployment({ replicas: 2 }, { updatedReplicas: 2, replicas: 2, availableReplicas: 2 }, 3),
      'waiting',
      'observed',
    ],
    [
      'an image was just set: old replicas are all ready',
      deployment({ replicas: 2 }, { replicas: 2, readyReplicas: 2, availableReplicas: 2 }),
      'waiting',
      '0 out of 2 new',
    ],
    [
      'one of two is updated',
      deployment({ replicas: 2 }, { updatedReplicas: 1, replicas: 3, availableReplicas: 2 }),
      'waiting',
      '1 out of 2 new',
    ],
    [
      'an old one is left',
      deployment({ replicas: 2 }, { updatedReplicas: 2, replicas: 3, availableReplicas: 3 }),
      'waiting',
      '1 old replicas',
    ],
    [
      'one is not available',
      deployment({ replicas: 2 }, { updatedReplicas: 2, replicas: 2, availableReplicas: 1 }),
      'waiting',
      '1 of 2 updated',
    ],
    [
      'all are available',
      deployment({ replicas: 2 }, { updatedReplicas: 2, replicas: 2, availableReplicas: 2 }),
      'done',
      'successfully',
    ],
    ['it is scaled to 0', deployment({ replicas: 0 }, {}), 'done', 'successfully'],
    [
      'its deadline has passed',
      deployment({ replicas: 2 }, { ...late, updatedReplicas: 1, replicas: 3 }),
      'failed',
      'exceeded its progress deadline',
    ],
    ['the deadline was that of an older spec', deployment({ replicas: 2 }, late, 3), 'waiting', 'observed'],
  ])('a Deployment, when %s', (_, object, state, text) => {
    expect(rolloutOf(object as never)).toEqual({ state, text: expect.stringContaining(text) });
  });

  test.each<[string, object, string, string]>([
    ['nothing is observed yet', { ...set('StatefulSet', ROLLING, {}, 0), status: {} }, 'waiting', 'observed'],
    [
      'a later spec is not observed yet',
      set('StatefulSet', partitioned(0), { readyReplicas: 3, updatedReplicas: 3 }, 3),
      'waiting',
      'observed',
    ],
    [
      'one is not ready',
      set('StatefulSet', partitioned(0), { readyReplicas: 2, updatedReplicas: 3 }),
      'waiting',
      'waiting for 1 pods',
    ],
    [
      'one is not updated',
      set('StatefulSet', partitioned(0), { readyReplicas: 3, updatedReplicas: 2 }),
      'waiting',
      '2 out of 3 new',
    ],
    [
      'all beyond the partition are updated',
      set('StatefulSet', partitioned(2), { readyReplicas: 3, updatedReplicas: 1 }),
      'done',
      '',
    ],
    [
      'fewer than those beyond the partition are',
      set('StatefulSet', partitioned(1), { readyReplicas: 3, updatedReplicas: 1 }),
      'waiting',
      '1 out of 2 new',
    ],
    ['it names no partition', set('StatefulSet', partitioned(), { readyReplicas: 3 }), 'done', ''],
    [
      'two revisions are left',
      set('StatefulSet', { ...ROLLING, replicas: 3 }, { readyReplicas: 3, updateRevision: 'b', currentRevision: 'a' }),
      'waiting',
      'revision b',
    ],
    [
      'one revision is left',
      set('StatefulSet', { ...ROLLING, replicas: 3 }, { readyReplicas: 3, updateRevision: 'b', currentRevision: 'b' }),
      'done',
      '',
    ],
    [
      'it is updated OnDelete',
      set('StatefulSet', { updateStrategy: { type: 'OnDelete' } }, {}),
      'unknown',
      'only available for RollingUpdate',
    ],
  ])('a StatefulSet, when %s', (_, object, state, text) => {
    expect(rolloutOf(object as never)).toEqual({ state, text: expect.stringContaining(text) });
  });

  test.each<[string, object, string, string]>([
    [
      'the spec is not observed yet',
      set('DaemonSet', ROLLING, { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 }, 3),
      'waiting',
      'observed',
    ],
    [
      'one is not updated',
      set('DaemonSet', ROLLING, { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 }),
      'waiting',
      '1 out of 2 new',
    ],
    [
      'one is not available',
      set('DaemonSet', ROLLING, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 }),
      'waiting',
      '1 of 2 updated',
    ],
    [
      'all are available',
      set('DaemonSet', ROLLING, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
      'done',
      '',
    ],
    ['no node wants one', set('DaemonSet', ROLLING, {}), 'done', ''],
    [
      'it is updated OnDelete',
      set('DaemonSet', { updateStrategy: { type: 'OnDelete' } }, {}),
      'unknown',
      'only available for RollingUpdate',
    ],
  ])('a DaemonSet, when %s', (_, object, state, text) => {
    expect(rolloutOf(object as never)).toEqual({ state, text: expect.stringContaining(text) });
  });
});

test('other kinds, and kinds of these names in other groups, have no rollout status', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {} };
  const foreign = { apiVersion: 'example.com/v1', kind: 'Deployment', metadata: {} };
  expect([pod, foreign, {}].map((object) => rolloutOf(object).state)).toEqual(['unknown', 'unknown', 'unknown']);
  expect(rolloutOf(pod).text).toBe('it is for Deployments, StatefulSets and DaemonSets, not for a Pod');
  const type = (group: string, kind: string) => ({ gvr: { group, version: 'v1', resource: 'x' }, kind });
  expect([
    hasRollout(type('apps', 'Deployment')),
    hasRollout(type('apps', 'ReplicaSet')),
    hasRollout(type('example.com', 'Deployment')),
  ]).toEqual([true, false, false]);
});
