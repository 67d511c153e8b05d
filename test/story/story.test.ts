import { expect, it } from 'vitest';
import type { Fields } from '../../src/model/field-changes.ts';
import type { StoryChange } from '../../src/story/fact.ts';
import { Story } from '../../src/story/story.ts';

const T = Date.parse('2026-11-28T02:00:00Z');
const ROOT = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' };

const owned = (kind: string, name: string, uid: string, owner: string, more: Fields = {}): Fields => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  metadata: { name, namespace: 'shop', uid, ownerReferences: owner === '' ? [] : [{ uid: owner }] },
  ...more,
});
const deployment = (more: Fields = {}) => owned('Deployment', 'web', 'd', '', { spec: { replicas: 1 }, ...more });
const replicaSet = owned('ReplicaSet', 'web-1', 'r', 'd', { spec: { replicas: 1 } });
const pod = (state: Fields, more: Fields = {}) =>
  owned('Pod', 'web-1-a', 'p', 'r', {
    status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: false, restartCount: 0, state, ...more }] },
  });
const CRASHED = { waiting: { reason: 'CrashLoopBackOff' } };
const lastState = {
  terminated: { exitCode: 2, startedAt: '2026-11-28T01:59:00Z', finishedAt: '2026-11-28T01:59:30Z' },
};

const added = (object: Fields, at = T): StoryChange => ({ at, event: 'ADDED', cause: 'watch', object });
const changed = (before: Fields, object: Fields, at: number): StoryChange => ({
  at,
  event: 'MODIFIED',
  cause: 'watch',
  object,
  before,
});
const told = (name: string, count: number, uid = 'p'): Fields => ({
  kind: 'Event',
  metadata: { uid: 'e', name },
  involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1-a', uid },
  reason: 'BackOff',
  message: 'Back-off restarting',
  count,
  type: 'Warning',
  lastTimestamp: '2026-11-28T02:00:05Z',
  source: { component: 'kubelet' },
});
const linesOf = (entries: ReturnType<Story['see']>) => entries.map(({ about, text }) => `${about} ${text}`);

it('objects belong to it through all levels, in whatever order they come; strangers do not', () => {
  const story = new Story(ROOT);
  expect(story.see(added(pod({ running: { startedAt: '2026-11-28T02:00:00Z' } })))).toEqual([]);
  expect(story.see(added(told('x', 1)))).toEqual([]);
  expect(story.see(added(replicaSet))).toEqual([]);
  expect(story.see(added(owned('Pod', 'cart-1', 'c', 'z')))).toEqual([]);
  expect(story.see(added({ ...deployment(), apiVersion: 'example.com/v1' }))).toEqual([]);
  expect(linesOf(story.see(added(deployment())))).toEqual([
    'deployment/web created',
    'replicaset/web-1 created',
    'pod/web-1-a created',
    'pod/web-1-a container app started',
    'pod/web-1-a BackOff: Back-off restarting',
  ]);
});

it('what is not known of a stranger until it belongs is shown as its past, and what is gone by then not at all', () => {
  const story = new Story(ROOT);
  story.see(added(replicaSet));
  story.see(added(pod({})));
  story.see(changed(pod({}), pod(CRASHED, { restartCount: 1, lastState }), T + 1000));
  story.see(added({ ...replicaSet, metadata: { ...(replicaSet.metadata as Fields), uid: 'gone' } }));
  story.see({
    ...added({ ...replicaSet, metadata: { ...(replicaSet.metadata as Fields), uid: 'gone' } }),
    event: 'DELETED',
  });
  expect(linesOf(story.see(added(deployment())))).toEqual([
    'deployment/web created',
    'replicaset/web-1 created',
    'pod/web-1-a created',
    'pod/web-1-a container app ended with exit code 2 after 30s',
    'pod/web-1-a container app waits: CrashLoopBackOff',
  ]);
});

it('an Event that repeats is shown again when its number has doubled; one about an older pod of that name is no part', () => {
  const story = new Story(ROOT);
  for (const each of [deployment(), replicaSet, pod(CRASHED)]) story.see(added(each));
  const counts = [1, 2, 3, 4, 5, 7, 9].filter((count) => story.see(added(told('x', count))).length > 0);
  expect(counts).toEqual([1, 2, 4, 9]);
  expect(story.see(added(told('y', 50, 'older')))).toEqual([]);
});

it('changes of fields have their writers, and who is ready says so once', () => {
  const story = new Story(ROOT);
  const managed = (manager: string, time: string): Fields => ({
    name: 'web',
    namespace: 'shop',
    uid: 'd',
    managedFields: [{ manager, operation: 'Update', time, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
  });
  const [one, two] = [
    deployment({ metadata: managed('a', '2026-11-28T01:00:00Z') }),
    deployment({ metadata: managed('kubectl-scale', '2026-11-28T02:00:01Z'), spec: { replicas: 3 } }),
  ];
  story.see(added(one));
  expect(story.see(changed(one, two, T + 1000))).toMatchObject([
    { at: T + 1000, kind: 'change', who: 'kubectl-scale', text: '.spec.replicas: 1 → 3' },
    { kind: 'status', text: 'Replicas: 0/3' },
  ]);
});

it('a cause is shown when it begins and when it is over; the last one is kept', () => {
  const story = new Story(ROOT);
  const sick = pod(CRASHED, { restartCount: 3, lastState });
  for (const each of [deployment(), replicaSet, sick]) story.see(added(each));
  expect(story.judge(T)).toMatchObject([
    { kind: 'verdict', about: 'deployment/web', tone: 'bad', text: expect.stringContaining('CrashLoopBackOff: pod/web-1-a: container app ended with exit code 2; 3 restarts') }, // biome-ignore format: one line
  ]);
  expect(story.judge(T + 500)).toEqual([]);
  const well = deployment({
    status: {
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    },
  });
  story.see(changed(deployment(), well, T + 60_000));
  expect(story.judge(T + 60_000)).toMatchObject([{ tone: 'good', text: expect.stringMatching(/^ready again/) }]);
  expect(story.judge(T + 60_000)).toEqual([]);
  expect(story.outage).toMatchObject({
    since: T,
    until: T + 60_000,
    text: expect.stringContaining('CrashLoopBackOff'),
  });
  expect(story.verdict(T + 60_000)).toMatchObject({ isReady: true, causes: [] });
});

it('a deleted object is shown, and there is no verdict about it', () => {
  const story = new Story(ROOT);
  story.see(added(deployment()));
  expect(linesOf(story.see({ ...added(deployment()), event: 'DELETED', cause: 'relist' }))).toEqual([
    'deployment/web deleted (seen in a list)',
  ]);
  expect([story.verdict(T), story.isKnown, story.judge(T)]).toEqual([undefined, true, []]);
});

it('a claim or a node counts for the pods that name it', () => {
  const story = new Story(ROOT);
  const claim: Fields = { kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop', uid: 'c' }, status: { phase: 'Pending' } }; // biome-ignore format: one line
  const bound = { ...claim, status: { phase: 'Bound' } };
  const waiting = owned('Pod', 'web-1-a', 'p', 'r', {
    spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] },
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'pod has unbound immediate PersistentVolumeClaims' }], // biome-ignore format: one line
    },
  });
  for (const each of [claim, deployment(), replicaSet, waiting]) story.see(added(each));
  expect(story.verdict(T)?.causes).toMatchObject([{ reason: 'ClaimPending', objects: ['pod/web-1-a'] }]);
  expect(linesOf(story.see(changed(claim, bound, T)))).toEqual(['persistentvolumeclaim/data PVC is Bound']);
  const other = { ...claim, metadata: { name: 'other', namespace: 'shop', uid: 'o' } };
  expect(story.see(changed(other, { ...other, status: { phase: 'Bound' } }, T))).toEqual([]);
});
