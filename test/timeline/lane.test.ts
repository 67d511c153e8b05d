import { describe, expect, it } from 'vitest';
import { LaneBuilder, type LaneOptions, type SeenState } from '../../src/timeline/lane.ts';

const RANGE = { from: 1_000, to: 11_000 };
const values = (before: unknown, after: unknown) => [String(before), String(after)] as const;

type Seen = Partial<SeenState> & Pick<SeenState, 'at' | 'object'>;

/** The lane of states, each with the one before it. */
function laneOf(seen: readonly Seen[], options: Partial<LaneOptions> = {}, isWhole = false) {
  const builder = new LaneBuilder({ ...RANGE, values, ...options });
  let before: SeenState['before'];
  for (const each of seen) {
    builder.see({ event: 'MODIFIED', isInferred: false, who: 'kubectl', before, ...each });
    before = each.object;
  }
  return builder.lane({ name: 'deployment/web', namespace: 'shop', depth: 0 }, [], isWhole);
}

const deployment = (replicas: number, ready: number, more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 1, ...more },
  spec: { replicas },
  status: {
    ...{ observedGeneration: 1, replicas, updatedReplicas: replicas, readyReplicas: ready, availableReplicas: ready },
    conditions: [{ type: 'Available', status: ready === replicas ? 'True' : 'False' }],
  },
});

const pod = (restartCount: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1' },
  status: { phase: 'Running', containerStatuses: [{ name: 'c', restartCount }] },
});

describe('the lane of an object', () => {
  it('has a mark for each change with its author and its fields, those of the status last', () => {
    const { changes } = laneOf([
      { at: 500, event: 'THERE', object: deployment(2, 2) },
      { at: 2_000, object: { ...deployment(3, 2), status: { readyReplicas: 2 } }, who: 'kubectl-scale' },
      { at: 3_000, object: { ...deployment(3, 3), status: { readyReplicas: 3 } }, who: 'kube-controller-manager' },
      { at: 4_000, event: 'DELETED', object: deployment(3, 3) },
    ]);
    expect(changes.map(({ at, kind, by }) => [at, kind, by])).toEqual([
      [2_000, 'changed', 'kubectl-scale'],
      [3_000, 'status', 'kube-controller-manager'],
      [4_000, 'deleted', 'kubectl'],
    ]);
    expect(changes[0]?.fields[0]).toEqual({ path: '.spec.replicas', from: '2', to: '3' });
  });

  it('knows at its begin what was there before it, and marks nothing that was before', () => {
    const lane = laneOf([
      { at: 100, event: 'THERE', object: deployment(2, 2) },
      { at: 200, object: deployment(4, 4) },
    ], {}, true); // biome-ignore format: one line each
    expect(lane.changes).toEqual([]);
    expect(lane.spans).toEqual([{ state: 'ready', ...RANGE }]);
    expect(lane.series.map(({ name, points }) => [name, points])).toEqual([
      ['replicas', [[1_000, 4]]],
      ['ready', [[1_000, 4]]],
    ]);
  });

  it('says when it was ready, not ready, and not there', () => {
    const { spans, series } = laneOf([
      { at: 2_000, event: 'ADDED', object: deployment(2, 0) },
      { at: 5_000, object: deployment(2, 2) },
      { at: 9_000, event: 'DELETED', object: deployment(2, 2) },
    ]);
    expect(spans).toEqual([
      { state: 'unready', from: 2_000, to: 5_000 },
      { state: 'ready', from: 5_000, to: 9_000 },
    ]);
    expect(series).toEqual([
      { name: 'ready', worst: 'least', points: [[2_000, 0], [5_000, 2], [9_000, null]] }, // biome-ignore format: one line
    ]);
  });

  it('marks restarts, and has their number only where it differs', () => {
    const { changes, series } = laneOf([
      { at: 500, event: 'THERE', object: pod(0) },
      { at: 2_000, object: pod(1) },
    ]);
    expect(changes.map(({ kind }) => kind)).toEqual(['restarted']);
    expect(series.map(({ name, points }) => [name, points])).toEqual([['restarts', [[1_000, 0], [2_000, 1]]]]); // biome-ignore format: one line
    expect(laneOf([{ at: 500, event: 'THERE', object: pod(0) }]).series).toEqual([]);
  });

  it('has an object without a status as there, and takes what controllers write with it for its status', () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    expect(laneOf([{ at: 500, event: 'THERE', object: map }]).spans).toEqual([{ state: 'there', ...RANGE }]);
    const bound = { ...pod(0), spec: { nodeName: 'worker-1' } };
    const { changes } = laneOf([
      { at: 500, event: 'THERE', object: { ...pod(0), spec: {} } },
      { at: 2_000, object: bound },
    ]);
    expect(changes.map(({ kind }) => kind)).toEqual(['status']);
    const revised = (annotations: object) =>
      laneOf([
        { at: 500, event: 'THERE', object: deployment(1, 1) },
        { at: 2_000, object: deployment(1, 1, { annotations }) },
      ]).changes.map(({ kind }) => kind);
    expect(revised({ 'deployment.kubernetes.io/revision': '1' })).toEqual(['status']);
    expect(revised({ 'deployment.kubernetes.io/revision': '1', note: 'mine' })).toEqual(['changed']);
  });

  it('shows only the changes that are chosen, and counts fields beyond eight', () => {
    const data = (value: string) => Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, value]));
    const states = [
      { at: 500, event: 'THERE', object: { kind: 'ConfigMap', metadata: {}, data: data('a') } },
      { at: 2_000, who: 'one', object: { kind: 'ConfigMap', metadata: {}, data: data('b') } },
      { at: 3_000, who: 'two', object: { kind: 'ConfigMap', metadata: {}, data: data('c') } },
    ] as const;
    const { changes } = laneOf(states, { shows: (_, who) => who === 'two' });
    expect(changes.map(({ by, fields, more }) => [by, fields.length, more])).toEqual([['two', 8, 4]]);
  });

  it('has no mark for an update that changes nothing but its version', () => {
    const map = (resourceVersion: string) => ({ kind: 'ConfigMap', metadata: { resourceVersion } });
    const { changes } = laneOf([
      { at: 500, event: 'THERE', object: map('1') },
      { at: 2_000, object: map('2') },
    ]);
    expect(changes).toEqual([]);
  });
});
