import type { SharedInformer } from '../informer/shared-informer.ts';
import type { ContinuityEvent } from '../informer/watch/continuity-ledger.ts';
import type { Clock } from '../kit/clock.ts';
import { messageOf } from '../kit/error.ts';
import { partsOfKey } from '../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { Redactor } from '../stream/redact.ts';
import type { RecordedHookRun } from './hook-runs.ts';
import { FULL_DISK_MS, type NewRevision, RecordingWriter } from './recording-writer.ts';
import { BEYOND, TRIM_MS } from './retention.ts';
import { type SeenChange, SourceRecorder } from './source-recorder.ts';

export interface RecorderOptions {
  readonly file: string;
  readonly clock: Clock;
  /** The command that records, for the name of this process. */
  readonly command: string;
  /** The key of the digests of Secrets' values. Default: a random one, so that they differ between runs. */
  readonly key?: Uint8Array | undefined;
  /** The age from which revisions are removed, ms. Default: nothing. */
  readonly keepMs?: number | undefined;
  /** The oldest quarter is removed when the file is larger, bytes. Default: it may have any size. */
  readonly mostBytes?: number | undefined;
  /** Gets lines for a person. */
  notice(text: string): void;
}

/** The selectors that a server got. */
interface Selectors {
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The objects of a type that are recorded. */
export interface RecordedTarget {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  /** One source of the informer for each; undefined or ['']: all namespaces, or the type has none. */
  readonly namespaces?: readonly string[] | undefined;
  /** The names that were given; undefined = all. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** Revisions of this time are one transaction, ms: the most that a killed process loses. */
const STEP_MS = 500;
/** Revisions from which a transaction does not wait. */
const MOST_PENDING = 2_000;
/** Runs of hooks that are kept while the file cannot be written. The oldest ones are dropped then. */
const MOST_RUNS = 10_000;

/**
 * Records what informers report into a file. It is attached to them as one more handler, and must be before they run.
 * Changes that the file could not take, or that the informers did not see, are marked in it.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #writer: RecordingWriter;
  readonly #redactor: Redactor;
  readonly #targets: TargetRecorder[] = [];
  #pending: NewRevision[] = [];
  #runs: RecordedHookRun[] = [];
  #failedAt: number | undefined;
  #fault: unknown;
  #trimmedAt: number;

  private constructor(options: RecorderOptions, writer: RecordingWriter) {
    this.#options = options;
    this.#writer = writer;
    this.#redactor = new Redactor({ key: options.key });
    this.#trimmedAt = options.clock.monotonic();
  }

  /** Opens the file, to go on with it where there is one. Throws `RecordingFault`. */
  static open(options: RecorderOptions): Recorder {
    const { file, clock, command, mostBytes } = options;
    const limit = mostBytes === undefined ? {} : { mostBytes: mostBytes * BEYOND };
    return new Recorder(options, RecordingWriter.open(file, { clock, command, ...limit }));
  }

  /** Records a target from now on, which has what these selectors give. Throws `RecordingFault`. */
  follow(target: RecordedTarget, selectors: Selectors = {}): void {
    const { namespaces = [''] } = target;
    const selection = selectionText(selectors, target.names);
    const sources = namespaces.map((namespace) => {
      const scope = { type: target.type, namespace, selection };
      const take = (revision: NewRevision) => this.#take(revision);
      return [namespace, new SourceRecorder({ writer: this.#writer, redactor: this.#redactor, scope, take })] as const;
    });
    this.#targets.push(new TargetRecorder(target, new Map(sources)));
  }

  /** The wall-clock time, which never goes back within the file, ms. */
  now(): number {
    return this.#writer.now();
  }

  /** Records a run of a hook that has ended. */
  addRun(run: RecordedHookRun): void {
    this.#runs.push(run);
    if (this.#runs.length > MOST_RUNS) this.#runs.shift();
  }

  /** Writes what comes, until the signal aborts and the rest is written. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(STEP_MS, { signal }).catch(() => {});
      this.#step();
    }
    try {
      if (this.#failedAt !== undefined) throw this.#fault; // without an end it is known how far the file goes
      this.#writer.close('ended');
    } catch (error) {
      this.#writer[Symbol.dispose]();
      this.#options.notice(`the end of the recording is missing: ${messageOf(error)}`);
    }
  }

  #take(revision: NewRevision): void {
    if (this.#failedAt !== undefined) return;
    this.#pending.push(revision);
    if (this.#pending.length >= MOST_PENDING) this.#step();
  }

  #step(): void {
    if (this.#failedAt !== undefined && !this.#beginAgain(this.#failedAt)) return;
    for (const target of this.#targets) target.reached();
    const accounts = this.#targets.flatMap(({ sources }) => sources.map((source) => source.account()));
    const pending = this.#pending;
    this.#pending = [];
    try {
      this.#writer.write(
        pending,
        accounts.flatMap(({ stretches }) => stretches),
        accounts.flatMap(({ gaps }) => gaps),
        this.#runs,
      );
      this.#runs = [];
      for (const { sources } of this.#targets) for (const source of sources) source.written();
      this.#trim();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Removes what is older, or more, than may be kept. A tenth of the age is left to the next time. */
  #trim(): void {
    const { clock, keepMs, mostBytes } = this.#options;
    if (clock.monotonic() - this.#trimmedAt < TRIM_MS) return;
    this.#trimmedAt = clock.monotonic();
    const age = this.#writer.now() - (this.#writer.oldest ?? this.#writer.now());
    if (keepMs !== undefined && age > keepMs * 1.1) this.#writer.trim(this.#writer.now() - keepMs);
    if (mostBytes !== undefined && this.#writer.size > mostBytes) this.#writer.trim('quarter');
  }

  #failed(error: unknown): void {
    if (this.#failedAt === undefined)
      this.#options.notice(
        `nothing is recorded for now: ${messageOf(error)}; it is tried again, and the time until then is marked`,
      );
    this.#failedAt = this.#options.clock.monotonic();
    this.#fault = error;
    for (const { sources } of this.#targets) for (const source of sources) source.unwritten('not written');
  }

  /** Records the present states after a time in which the file could not be written. Returns whether it did. */
  #beginAgain(failedAt: number): boolean {
    if (this.#options.clock.monotonic() - failedAt < FULL_DISK_MS) return false;
    if (!this.#targets.every((target) => target.isCaughtUp)) return false; // the cache is ahead of the handler
    try {
      const { mostBytes } = this.#options;
      if (mostBytes !== undefined && this.#writer.size > mostBytes) this.#writer.trim('quarter');
      this.#failedAt = undefined;
      for (const target of this.#targets) target.listAgain();
      this.#options.notice('recording again');
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }
}

/** The recorders of the sources of one informer. */
class TargetRecorder {
  readonly #target: RecordedTarget;
  readonly #sources: ReadonlyMap<string, SourceRecorder>;
  readonly #registration: ReturnType<SharedInformer<UnknownObject>['addHandler']>;
  #isSynced = false;

  constructor(target: RecordedTarget, sources: ReadonlyMap<string, SourceRecorder>) {
    this.#target = target;
    this.#sources = sources;
    this.#registration = target.informer.addHandler({
      added: (object, { key, cause }) => this.#see({ key, object, before: undefined, isGone: false, cause }),
      updated: (before, object, { key, cause }) => {
        if (cause !== 'resync') this.#see({ key, object, before, isGone: false, cause });
      },
      deleted: (object, { key, cause }) => this.#see({ key, object, before: object, isGone: true, cause }),
      synced: () => this.#synced(),
      continuity: (event) => {
        for (const source of this.#sourcesOf(event)) {
          if (event.kind === 'gap') source.lost(event.why);
          else if (event.kind === 'relisted') source.listed('relist', event.resourceVersion, event.objects);
        }
      },
    });
    target.informer.onContinuity((event) => {
      for (const source of this.#sourcesOf(event)) {
        if (event.kind === 'proven' || (event.kind === 'resumed' && event.proven)) source.proven();
        // a server that ends a watch in order goes on with its history
        else if (event.kind === 'resumed' && event.why !== 'closed') source.doubted();
      }
    });
  }

  get sources(): readonly SourceRecorder[] {
    return [...this.#sources.values()];
  }

  get isCaughtUp(): boolean {
    return this.#isSynced && this.#registration.depth === 0 && this.#target.informer.isCaughtUp;
  }

  /** Lets the sources know how far they are current, if everything that arrived was seen. */
  reached(): void {
    if (!this.isCaughtUp) return;
    const { continuity } = this.#target.informer;
    for (const [i, source] of this.sources.entries()) {
      const own = continuity[i];
      if (own && continuity.length === this.#sources.size) source.reached(own);
    }
  }

  listAgain(): void {
    const { lister, continuity } = this.#target.informer;
    for (const source of this.sources) source.begin();
    for (const key of lister.keys()) {
      const object = lister.get(key) as ReadonlyObject | undefined;
      if (object) this.#see({ key, object, before: undefined, isGone: false, cause: 'relist' });
    }
    for (const [i, source] of this.sources.entries())
      source.listed('relist', continuity[i]?.resourceVersion ?? '', lister.size);
  }

  #synced(): void {
    this.#isSynced = true;
    const { continuity } = this.#target.informer;
    for (const [i, source] of this.sources.entries()) {
      const { stretches = [] } = continuity[i] ?? {};
      const list = stretches.find(({ by }) => by === 'initial');
      source.listed('initial', list?.to ?? '', list?.events ?? 0);
    }
  }

  #see(change: SeenChange): void {
    const source = this.#sources.get('') ?? this.#sources.get(partsOfKey(change.key).namespace);
    source?.see(change);
  }

  #sourcesOf({ scope }: ContinuityEvent): readonly SourceRecorder[] {
    const own = this.#sources.get(scope ?? '');
    return own ? [own] : this.sources;
  }
}

/** The limits of a source, as on a command line; '' = none. */
function selectionText({ selector, fieldSelector }: Selectors, names: ReadonlySet<string> | undefined): string {
  return [
    ...(selector ? [`-l ${selector}`] : []),
    ...(fieldSelector ? [`--field-selector ${fieldSelector}`] : []),
    ...(names ? [[...names].sort().join(' ')] : []),
  ].join(' ');
}
