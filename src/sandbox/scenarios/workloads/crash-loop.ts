import type { ObjectKey } from '../../../model/key.ts';
import { type Actor, keyOfMeta } from './actor.ts';
import type { ScenarioEvents } from './events.ts';
import { backOffStatus, endedStatus, restartedStatus, runningStatus } from './pod-status.ts';
import type { Pod } from './workload-types.ts';

/** The way in which an app fails. */
export interface Failure {
  readonly exitCode: number;
  readonly reason: string;
}

/**
 * The first and the longest back-off, in ms. Each is twice the one before. Source: kubelet backOffPeriod,
 * MaxContainerBackOff.
 */
const BACK_OFF_MS = { first: 10_000, longest: 300_000 };

/** How long a container runs before it fails, in ms. */
const RUNS_MS = { low: 2_000, high: 6_000 };

/**
 * Makes the first container of every pod of some apps fail soon after each start. As with a real kubelet, the first
 * restart is immediate. Later restarts have a back-off that doubles up to five minutes.
 */
export class CrashLoop {
  readonly #actor: Actor;
  readonly #events: ScenarioEvents;
  readonly #failures: ReadonlyMap<string, Failure>;
  /** The uids of the pods in the crash loop. */
  readonly #doomed = new Set<string>();

  /** `failures` has the value of the `app` label as its key. */
  constructor(actor: Actor, events: ScenarioEvents, failures: ReadonlyMap<string, Failure>) {
    this.#actor = actor;
    this.#events = events;
    this.#failures = failures;
    for (const pod of actor.list('Pod')) this.#notice(pod);
    actor.onChange('Pod', ({ type, object }, { uid = '' }) => {
      if (type === 'DELETED') this.#doomed.delete(uid);
      else this.#notice(object.object as unknown as Pod);
    });
  }

  /** Starts the crash loop of a pod when it runs for the first time and its app fails. */
  #notice({ metadata, status }: Pod): void {
    const failure = this.#failures.get(metadata.labels?.app ?? '');
    const { uid = '' } = metadata;
    if (!failure || this.#doomed.has(uid) || !status.containerStatuses?.[0]?.state.running) return;
    this.#doomed.add(uid);
    this.#later(uid, keyOfMeta(metadata), this.#lifeMs, (pod) => this.#fail(pod, failure, 0));
  }

  #fail(pod: Pod, failure: Failure, before: number): void {
    this.#report(pod, endedStatus(pod, this.#actor.timestamp, failure));
    const again = (p: Pod) => (before === 0 ? this.#restart(p, failure, before) : this.#backOff(p, failure, before));
    this.#next(pod, this.#actor.between(600, 1_400), again);
  }

  #backOff(pod: Pod, failure: Failure, before: number): void {
    const waitMs = Math.min(BACK_OFF_MS.longest, BACK_OFF_MS.first * 2 ** (before - 1));
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const container = pod.spec.containers[0]?.name ?? '';
    const whose = `failed container=${container} pod=${name}_${namespace}(${uid})`;
    this.#report(pod, backOffStatus(pod, this.#actor.timestamp, `back-off ${inWords(waitMs)} restarting ${whose}`));
    this.#events.record(
      pod,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container} in pod ${whose.split('pod=')[1]}`,
      'kubelet',
    );
    this.#next(pod, waitMs, (p) => this.#restart(p, failure, before));
  }

  #restart(pod: Pod, failure: Failure, before: number): void {
    this.#report(pod, restartedStatus(pod, this.#actor.timestamp));
    this.#events.record(pod, 'Normal', 'Started', `Started container ${pod.spec.containers[0]?.name}`, 'kubelet');
    this.#next(pod, this.#actor.between(500, 1_500), (p) => {
      this.#report(p, runningStatus(p, p.status.podIP ?? '', this.#actor.timestamp, true));
      this.#next(p, this.#lifeMs, (q) => this.#fail(q, failure, before + 1));
    });
  }

  get #lifeMs(): number {
    return this.#actor.between(RUNS_MS.low, RUNS_MS.high);
  }

  #report(pod: Pod, status: Pod['status']): void {
    this.#actor.updateStatus({ ...pod, status } as Pod, 'kubelet');
  }

  #next({ metadata }: Pod, ms: number, run: (pod: Pod) => void): void {
    this.#later(metadata.uid ?? '', keyOfMeta(metadata), ms, run);
  }

  /** Calls `run` after a time, unless the pod is gone or being deleted then. */
  #later(uid: string, key: ObjectKey, ms: number, run: (pod: Pod) => void): void {
    this.#actor.after(ms, () => {
      const pod = this.#actor.get('Pod', key);
      if (pod?.metadata.uid === uid && !pod.metadata.deletionTimestamp) run(pod);
    });
  }
}

/** A duration in whole seconds in Go's form: `10s`, `1m20s`, `5m0s`. */
function inWords(ms: number): string {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
