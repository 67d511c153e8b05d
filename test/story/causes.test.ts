import { describe, expect, it } from 'vitest';
import type { Fields } from '../../src/model/field-changes.ts';
import { causeOf } from '../../src/story/causes.ts';
import { type EventFact, eventFact, type Situation } from '../../src/story/situation.ts';

const NOW = Date.parse('2026-11-28T02:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');

const event = (reason: string, message: string, seconds: number, container = ''): EventFact =>
  eventFact({
    kind: 'Event',
    metadata: { uid: `${reason}${seconds}` },
    involvedObject: { kind: 'Pod', name: 'a', fieldPath: container && `spec.containers{${container}}` },
    reason,
    message,
    type: 'Warning',
    lastTimestamp: ago(seconds),
  }) as EventFact;

interface Around {
  readonly events?: readonly EventFact[];
  readonly node?: Fields | null;
}

const reasonOf = (object: Fields, { events = [], node }: Around = {}) => {
  const situation: Situation = {
    object,
    events: events.toSorted((a, b) => b.at - a.at),
    find: () => node && { object: node, events: [], find: () => undefined, now: NOW },
    now: NOW,
  };
  return causeOf(situation)?.reason;
};

const pod = (status: Fields, more: Fields = {}): Fields => ({
  kind: 'Pod',
  metadata: { name: 'a', ...(more.metadata as Fields) },
  spec: { nodeName: 'n', ...(more.spec as Fields) },
  status,
});
const NOT_READY = { type: 'Ready', status: 'False' };
const container = (state: Fields, more: Fields = {}) => ({
  name: 'app',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = (seconds: number) => ({ running: { startedAt: ago(seconds) } });
const ended = (seconds: number, reason = 'Error', exitCode = 1) => ({
  terminated: { exitCode, reason, finishedAt: ago(seconds) },
});
const runs = (state: Fields, more: Fields = {}) =>
  pod({ phase: 'Running', conditions: [NOT_READY], containerStatuses: [container(state, more)] });
const creating = pod({ conditions: [NOT_READY], containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] }); // biome-ignore format: one line

describe('a rule matches only what its object shows at the moment', () => {
  it.each<[string, Fields, Around | undefined, string | undefined]>([
    ['a container that runs and is not ready has no cause by itself', runs(running(600)), undefined, undefined],
    ['a probe that failed before the present start is over', runs(running(60)), { events: [event('Unhealthy', 'Readiness probe failed: x', 90)] }, undefined],
    ['a probe that failed since is the cause', runs(running(60)), { events: [event('Unhealthy', 'Readiness probe failed: x', 30)] }, 'Unhealthy'],
    ['a probe of another container is not', runs(running(60)), { events: [event('Unhealthy', 'Readiness probe failed: x', 30, 'proxy')] }, undefined],
    ['an end of long ago is over', runs(running(800), { restartCount: 1, lastState: ended(801, 'OOMKilled', 137) }), undefined, undefined],
    ['an end of a minute ago is the cause', runs(running(59), { restartCount: 1, lastState: ended(60, 'OOMKilled', 137) }), undefined, 'OOMKilled'],
    ['a back-off stays one, however old the end', runs({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: ended(4000) }), undefined, 'CrashLoopBackOff'],
    ['a program that ends with 0 again and again is in back-off too', runs({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: ended(9, 'Completed', 0) }), undefined, 'CrashLoopBackOff'],
    ['a kill of another time has not ended it', runs({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: ended(9) }), { events: [event('Killing', 'Container app failed liveness probe, will be restarted', 900)] }, 'CrashLoopBackOff'],
    ['a container that finished is no failure', pod({ phase: 'Running', conditions: [NOT_READY], containerStatuses: [container(ended(9, 'Completed', 0))] }), undefined, undefined],
    ['a StartError has its message', runs(ended(9, 'StartError', 128)), undefined, 'StartError'],
    ['a mount that failed first and then went on is over', creating, { events: [event('FailedMount', 'x', 60), event('Pulling', 'Pulling image', 50)] }, undefined],
    ['a mount that fails is the cause', creating, { events: [event('Pulling', 'Pulling image', 60), event('FailedMount', 'x', 50)] }, 'FailedMount'],
    ['a sandbox that cannot be made', creating, { events: [event('FailedCreatePodSandBox', 'no address', 5)] }, 'FailedCreatePodSandBox'],
    ['containers that are being created have no cause by themselves', creating, undefined, undefined],
    ['an Event of a node that is ready again is over', runs(running(60)), { events: [event('NodeNotReady', 'Node is not ready', 5)], node: { kind: 'Node', status: { conditions: [{ type: 'Ready', status: 'True' }] } } }, undefined],
    ['an Event of the node counts where nodes cannot be read, if the containers were ready', runs(running(60), { ready: true }), { events: [event('NodeNotReady', 'Node is not ready', 5)] }, 'NodeNotReady'],
    ['it does not where they were not', runs(running(60)), { events: [event('NodeNotReady', 'Node is not ready', 5)] }, undefined],
    ['a node that does not exist', runs(running(60)), { node: null }, 'NodeGone'],
    ['NodeLost, of older clusters', pod({ phase: 'Running', reason: 'NodeLost', conditions: [NOT_READY] }), undefined, 'NodeLost'],
    ['a pod that has a node is scheduled', pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }), undefined, undefined],
    ['scheduling gates', pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }, { spec: { nodeName: '', schedulingGates: [{ name: 'a/b' }] } }), undefined, 'SchedulingGated'],
    ['readiness gates', pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: 'x' }], containerStatuses: [{ name: 'app', ready: true, state: running(9) }] }), undefined, 'ReadinessGatesNotReady'],
    ['a pod within its grace period is no stuck one', pod({}, { metadata: { deletionTimestamp: ago(-20), finalizers: ['a/b'] } }), undefined, undefined],
    ['beyond it its finalizer keeps it', pod({}, { metadata: { deletionTimestamp: ago(20), finalizers: ['a/b'] } }), undefined, 'Finalizers'],
    ['the end of a container of a pod that is being deleted is no failure', { ...runs(ended(9, 'Error', 143)), metadata: { deletionTimestamp: ago(-9) } }, undefined, undefined],
    ['a deletion that waits for what it owns', { kind: 'Deployment', metadata: { deletionTimestamp: ago(9), finalizers: ['foregroundDeletion'] } }, undefined, 'foregroundDeletion'],
    ['a pod of a failed admission by the kubelet has its reason', pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough resource' }), undefined, 'OutOfcpu'],
    ['a claim that is bound', { kind: 'PersistentVolumeClaim', status: { phase: 'Bound' } }, { events: [event('ProvisioningFailed', 'x', 9)] }, undefined],
    ['a claim that lost its volume', { kind: 'PersistentVolumeClaim', status: { phase: 'Lost' } }, undefined, 'ClaimLost'],
    ['a set that has all its pods', { kind: 'StatefulSet', spec: { replicas: 1 }, status: { replicas: 1 } }, { events: [event('FailedCreate', 'exceeded quota: x', 9)] }, undefined],
    ['a set whose pods could be created since', { kind: 'StatefulSet', spec: { replicas: 3 }, status: { replicas: 1 } }, { events: [event('FailedCreate', 'exceeded quota: x', 9), event('SuccessfulCreate', 'y', 5)] }, undefined],
    ['another refusal has the words of the server', { kind: 'DaemonSet', status: { desiredNumberScheduled: 2, currentNumberScheduled: 1 } }, { events: [event('FailedCreate', 'Error creating: Timeout', 9)] }, 'FailedCreate'],
    ['a rollout that is paused, and not done', { kind: 'Deployment', spec: { paused: true, replicas: 2 }, status: { updatedReplicas: 1 } }, undefined, 'DeploymentPaused'],
    ['a rollout that is paused when it is done', { kind: 'Deployment', spec: { paused: true, replicas: 2 }, status: { updatedReplicas: 2 } }, undefined, undefined],
    ['a Job that failed', { kind: 'Job', status: { conditions: [{ type: 'Failed', status: 'True', reason: 'PodFailurePolicy', message: 'x' }] } }, undefined, 'PodFailurePolicy'],
    ['a node itself', { kind: 'Node', status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }] } }, undefined, 'NodeNotReady'],
    ['fields of any type', { kind: 'Pod', metadata: 5, spec: 'x', status: { containerStatuses: [{ state: 7, lastState: [] }], conditions: [null] } }, undefined, undefined],
  ])('%s', (_, object, around, reason) => {
    expect(reasonOf(object, around)).toBe(reason);
  });
}); // biome-ignore format: a table
