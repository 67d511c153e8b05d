import type { ShardOverview } from '../../controller/sharding/shard-options.ts';
import type { Timer } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import { formatGroupResource, type GroupVersionResource } from '../../model/gvr.ts';
import type { Session } from '../session/session.ts';
import { LeaseErrors } from './lease-errors.ts';
import type { LeasePlan } from './lease-plan.ts';

/** Changes that follow each other within this time are one line, ms. */
const TOGETHER_MS = 250;
/** If reading the objects of a new shard takes longer, that is reported, ms. */
const LONG_READ_MS = 3_000;
/** The default of a lease duration, ms. */
const DEFAULT_DURATION_MS = 15_000;

/** The notice about the limits of `--shard-by uid`. */
const ANOTHER_UID =
  'an object that is deleted and created again has another uid: its first run may be at another replica while the last one of the deleted object ends; --shard-by name keeps both at one';

/** The notices about the sharing of the work. */
export class SharingReports {
  readonly #session: Session;
  readonly #lease: LeasePlan;
  /** Whether the name of a deleted object is free only after its cleanup. */
  readonly #hasFinalizer: boolean;
  readonly #errors: LeaseErrors;
  readonly #lost = new Map<string, number[]>();
  readonly #opened = new Set<number>();
  /** Shards that run here, and whose keys wait until their lease is renewed. */
  readonly #waiting = new Set<number>();
  #overview: ShardOverview | undefined;
  #last = '';
  #timer: Timer | undefined;
  #isFirst = true;
  #isUnevenSaid = false;

  constructor(session: Session, lease: LeasePlan, { hasFinalizer }: { readonly hasFinalizer: boolean }) {
    this.#session = session;
    this.#errors = new LeaseErrors(session.clock);
    this.#lease = lease;
    this.#hasFinalizer = hasFinalizer;
  }

  /** True until the Leases were seen for the first time. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  begins(identity: string): void {
    const { namespace, name } = this.#lease;
    const { of, by } = this.#lease.sharing ?? { of: 1 };
    const shards = of === 1 ? 'one shard' : `${of} shards`;
    this.#session.notice(`shares the keys in ${shards} by the Leases ${namespace}/${name}-*, as ${identity}`);
    if (of > 1 && by === 'uid' && !this.#hasFinalizer) this.#session.notice(ANOTHER_UID);
    const { leaseDurationMs = DEFAULT_DURATION_MS } = this.#lease;
    this.#later(leaseDurationMs, () => {
      if (this.#overview === undefined) this.#say('has no shard yet: the Leases could not be read or written');
    });
  }

  changed(overview: ShardOverview): void {
    this.#isFirst = false;
    this.#overview = overview;
    this.#later(TOGETHER_MS, () => this.#tell());
  }

  /** The keys of a shard run from now on. */
  opened(index: number): void {
    this.#opened.add(index);
    this.#later(TOGETHER_MS, () => this.#tell());
  }

  /** The keys of a shard wait until its Lease is renewed, or do not wait any more. */
  waits(index: number, isWaiting: boolean): void {
    if (isWaiting) this.#waiting.add(index);
    else this.#waiting.delete(index);
    this.#later(TOGETHER_MS, () => this.#tell());
  }

  /** Says once how the objects are divided. */
  uneven(text: string | undefined): void {
    if (text === undefined || this.#isUnevenSaid) return;
    this.#isUnevenSaid = true;
    this.#session.notice(text);
  }

  closed(index: number): void {
    this.#waiting.delete(index);
    if (this.#opened.delete(index)) this.#later(TOGETHER_MS, () => this.#tell());
  }

  lost(index: number, error: unknown): void {
    const why = messageOf(error).replace(/^the lease \S+ was lost: /, '');
    this.#lost.set(why, [...(this.#lost.get(why) ?? []), index]);
    this.#later(TOGETHER_MS, () => this.#tell());
  }

  failed(error: unknown): void {
    const text = messageOf(error);
    if (!this.#errors.isDue(text)) return;
    this.#session.notice(`a Lease could not be acquired or renewed, and is tried again: ${text}`);
  }

  close(): void {
    this.#timer?.cancel();
  }

  get #all(): string {
    const { of, by } = this.#lease.sharing ?? { of: 1, by: 'uid' };
    return `${of}${by === 'uid' ? '' : ` by ${by}`}`;
  }

  #later(ms: number, run: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#session.clock.after(ms, run);
  }

  #tell(): void {
    if (this.#session.signal.aborted) return; // it gives everything back
    for (const [why, indexes] of this.#lost) {
      const runs = 'runs of its keys were ended, and another replica takes it over';
      this.#say(`lost ${shardsText(indexes)} of ${this.#all}: ${why}; ${runs}`);
    }
    this.#lost.clear();
    if (!this.#overview) return;
    if (this.#waiting.size > 0) {
      const leases = this.#waiting.size === 1 ? 'its Lease was' : 'their Leases were';
      this.#say(
        `waits with the keys of ${shardsText([...this.#waiting])} of ${this.#all}: ${leases} not renewed in time`,
      );
      return;
    }
    const opened = [...this.#opened];
    const unread = this.#overview.held.filter((index) => !this.#opened.has(index));
    if (unread.length === 0) this.#say(stateText({ ...this.#overview, held: opened }, this.#all));
    else this.#later(LONG_READ_MS, () => this.#say(`reads the objects of ${shardsText(unread)} of ${this.#all}`));
  }

  #say(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    this.#session.notice(text);
  }
}

/** The objects of a run whose work is shared, for its first line. */
export const sharedText = (gvr: GroupVersionResource): string => `${formatGroupResource(gvr)} of its shards`;

function stateText({ held, members, waitsFor }: ShardOverview, all: string): string {
  const others = members.length === 1 ? 'no other replica is there' : `${members.length} replicas share them`;
  if (waitsFor !== undefined && held.length === 0)
    return `has no shard: replicas that divide otherwise (${waitsFor}) are at work, and this one waits until they end`;
  if (held.length === 0) return `has no shard of ${all}: ${others}, and this one waits`;
  return `has ${shardsText(held)} of ${all}; ${others}`;
}

/** `shard 3`, `shards 0-2, 5`. */
function shardsText(indexes: readonly number[]): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const last = runs.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const text = runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return `${sorted.length === 1 ? 'shard' : 'shards'} ${text}`;
}
