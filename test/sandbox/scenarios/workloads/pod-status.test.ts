import { describe, expect, it } from 'vitest';
import * as status from '../../../../src/sandbox/scenarios/workloads/pod-status.ts';
import type { Pod, PodStatus } from '../../../../src/sandbox/scenarios/workloads/workload-types.ts';
import { podView } from '../../../support/world.ts';

const [T0, T1, T2] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:10Z', '2026-01-01T00:00:20Z'] as const;
const fresh = podView('p');
const at = (state: PodStatus, pod: Pod = fresh): Pod => ({ ...pod, status: state });
const conditions = ({ status: { conditions = [] } }: Pod) =>
  Object.fromEntries(conditions.map((c) => [c.type, `${c.status} ${c.lastTransitionTime}`]));
const first = (pod: Pod) => pod.status.containerStatuses?.[0];

const creating = at(status.creatingStatus(fresh, { ip: '10.0.0.1' }, T0));
const unready = at(status.runningStatus(creating, '10.244.0.5', T1, false));
const ready = at(status.runningStatus(unready, '10.244.0.5', T2, true));

describe('the status of a pod', () => {
  it('is Pending with waiting containers before its start', () => {
    expect(creating.status).toMatchObject({ phase: 'Pending', hostIP: '10.0.0.1', startTime: T0 });
    expect(first(creating)).toMatchObject({
      name: 'c',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    });
    expect(conditions(creating)).toMatchObject({ PodScheduled: `True ${T0}`, Ready: `False ${T0}` });
    expect(creating.status.conditions?.find((c) => c.type === 'Ready')?.message).toBe(
      'containers with unready status: [c]',
    );
  });

  it('is Running, first not ready, then ready; a condition keeps its time until it changes', () => {
    expect(unready.status).toMatchObject({ phase: 'Running', podIP: '10.244.0.5' });
    expect(first(unready)).toMatchObject({ ready: false, started: true, state: { running: { startedAt: T1 } } });
    expect(conditions(unready)).toMatchObject({ Ready: `False ${T0}` });
    expect(first(ready)).toMatchObject({ ready: true, state: { running: { startedAt: T1 } } });
    expect(conditions(ready)).toMatchObject({ Ready: `True ${T2}`, PodScheduled: `True ${T0}` });
  });

  it('names the image that cannot be pulled', () => {
    const state = (reason: 'ErrImagePull' | 'ImagePullBackOff') =>
      first(at(status.pullFailedStatus(creating, reason, { isBroken: () => true, ip: '10.244.0.5', now: T1 })))?.state
        .waiting;
    expect(state('ImagePullBackOff')).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "nginx:1.27.0"',
    });
    expect(state('ErrImagePull')?.message).toContain('nginx:1.27.0');
  });

  it('counts a restart after a crash, and keeps how the container exited', () => {
    const crashed = at(status.crashedStatus(ready, T2, false));
    const end = { exitCode: 1, reason: 'Error', startedAt: T1, finishedAt: T2 };
    expect(first(crashed)).toMatchObject({
      ready: false,
      restartCount: 1,
      state: { terminated: end },
      lastState: { terminated: end },
    });
    const waiting = first(at(status.crashedStatus(crashed, T2, true)));
    expect(waiting).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: end },
    });
    expect(status.crashedStatus(fresh, T2, false), 'without containers').toBe(fresh.status);
  });

  it('goes from exited to back-off to restarted', () => {
    const ended = at(status.endedStatus(ready, T2, { exitCode: 137, reason: 'OOMKilled' }));
    expect(first(ended)?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
      startedAt: T1,
      finishedAt: T2,
    });
    const waiting = at(status.backOffStatus(ended, T2, 'back-off 10s'));
    expect(first(waiting)).toMatchObject({
      restartCount: 0,
      state: { waiting: { message: 'back-off 10s' } },
      lastState: { terminated: { exitCode: 137 } },
    });
    const again = at(status.restartedStatus(waiting, T2));
    expect(first(again)).toMatchObject({
      ready: false,
      restartCount: 1,
      state: { running: { startedAt: T2 } },
      lastState: { terminated: { exitCode: 137 } },
    });
  });

  it('is completed without an error after it was stopped', () => {
    const stopped = at(status.stoppedStatus(ready, T2));
    expect(first(stopped)).toMatchObject({
      ready: false,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: T1, finishedAt: T2 } },
    });
    expect(conditions(stopped)).toMatchObject({ Ready: `False ${T2}` });
  });
});
