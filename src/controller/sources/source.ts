import { onAbort } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { LogFields, Logger } from '../../kit/logger.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { LOW_PRIORITY } from '../../workqueue/work-queue.ts';
import type { ReadCache } from '../consistency/read-cache.ts';
import { type CauseNote, originOf } from '../history/causes.ts';
import type { SkippedEvent, SkipReason } from '../history/trail.ts';
import type { ResourceEvent } from '../resource-event.ts';
import { isResync, untyped } from '../resource-event.ts';
import type { Enqueuer } from './enqueue.ts';
import { enqueueSelf, priorityOf } from './enqueue.ts';
import { type Predicate, rejectionOf } from './predicate.ts';

/** Queues a key and records the reason. Throws `argument` for a text that is no key. */
export type EmitKey = (key: ObjectKey, note: CauseNote, priority: number) => void;

/** The tools that a source gets when it starts. */
export interface SourceContext {
  /** Aborts when the source has to end. After that it must emit nothing and leave no listener or timer. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notes an event that leads to no key, for {@link Controller.explain}. It costs little and never throws. */
  readonly skipped: (skip: SkippedEvent) => void;
}

/** A source of keys. */
export interface Source {
  /** The name in logs, and the `source` of causes. */
  readonly name: string;
  /**
   * Begins to emit. Resolves after the initial sync: all keys known at the start were emitted. Rejects if that fails.
   */
  start(emit: EmitKey, context: SourceContext): Promise<void>;
  /** The reason why the initial sync is late, as far as it is known. For the error of a start that takes too long. */
  trouble?(): unknown;
  /** The caches that the source reads, which may be read by the reconciler, too. */
  readonly reads?: readonly ReadCache[] | undefined;
  /** When it next queues keys by itself, as a timer does, ms since the Unix epoch; undefined if that is not known. */
  nextAt?(): number | undefined;
}

/** The events of an informer, and the end of its initial sync. */
export interface EventFeed<T = UnknownObject> {
  /**
   * Calls the listener with every event, until the subscription is disposed. Calls `skipped` with each event that the
   * feed leaves out, and the rule that it does not meet.
   */
  subscribe(
    listener: (event: ResourceEvent<T>) => void,
    skipped?: (event: ResourceEvent<T>, rule: string) => void,
  ): FeedSubscription;
  /** See {@link Source.trouble}. */
  trouble?(): unknown;
}

/** A subscription to an {@link EventFeed}. Its disposal ends it. */
export interface FeedSubscription extends Disposable {
  /**
   * Resolves when the listener has been called for the initial list. Rejects if that fails, or with the signal's
   * reason.
   */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Options of {@link createInformerSource} and {@link createEventSource}. */
export interface SourceOptions<T = UnknownObject> {
  /** The name in logs, and the `source` of causes. */
  name: string;
  /** Maps events to keys. Default: {@link enqueueSelf}. */
  enqueue?: Enqueuer<T> | undefined;
  /** Events that do not pass are ignored. Default: all pass. */
  predicate?: Predicate<T> | undefined;
  /** Whether these objects are the reconciled ones, so that requests carry their earlier states. Default false. */
  isPrimary?: boolean | undefined;
}

/** A source of keys from events. If a predicate or a mapper throws, that event is skipped and the error is logged. */
export function createEventSource<T = UnknownObject>(events: EventFeed<T>, options: SourceOptions<T>): Source {
  checkOptions('createInformerSource', options, KNOWN_OPTIONS);
  const { name } = options;
  checkArgument('createInformerSource', 'name', name, 'text');
  return {
    name,
    trouble: () => events.trouble?.(),
    async start(emit, { signal, logger, clock, skipped }) {
      const reports = new ThinnedErrors(clock);
      const report = (message: string, fields: LogFields) => reports.report(logger, message, fields);
      const subscription = events.subscribe(listenerOf(options, { emit, skipped, report }), (event, rule) =>
        skipped(skipOf(event, options, 'predicate', rule)),
      );
      onAbort(signal, () => subscription[Symbol.dispose]());
      await subscription.whenSynced(signal);
    },
  };
}

const KNOWN_OPTIONS = {
  name: 'text',
  enqueue: 'function',
  predicate: 'function',
  isPrimary: 'boolean',
} satisfies KnownOptionsOf<SourceOptions>;
const KNOWN_TIMER_OPTIONS = {
  name: 'text',
  everyMs: true,
  keys: 'function',
} satisfies KnownOptionsOf<TimerSourceOptions>;

interface Outlets {
  readonly emit: EmitKey;
  readonly skipped: SourceContext['skipped'];
  readonly report: (message: string, fields: LogFields) => void;
}

function listenerOf<T>(options: SourceOptions<T>, { emit, skipped, report }: Outlets) {
  const { name, enqueue = enqueueSelf<T>(), predicate } = options;
  const skip = (event: ResourceEvent<T>, why: SkipReason, by?: string) => skipped(skipOf(event, options, why, by));
  return (event: ResourceEvent<T>) => {
    try {
      if (predicate && !predicate(event)) {
        skip(event, 'predicate', rejectionOf(predicate));
        return;
      }
      const keys = [...enqueue(event)];
      if (keys.length === 0) skip(event, 'no key');
      for (const key of keys) emit(key, noteOf(untyped(event), key, options, keys), priorityOf(untyped(event)));
    } catch (error) {
      report('an event could not be mapped to keys', { source: name, key: event.key, error: messageOf(error) });
      skip(event, 'error', messageOf(error));
    }
  };
}

/** A skipped event of the reconciled object concerns its own key; another one the keys that it is mapped to. */
function skipOf<T>(
  event: ResourceEvent<T>,
  { name, enqueue = enqueueSelf<T>(), isPrimary = false }: SourceOptions<T>,
  why: SkipReason,
  by: string | undefined,
): SkippedEvent {
  const keysOf = why === 'predicate' ? () => enqueue(event) : noKeys;
  const leadsTo = isPrimary ? undefined : keysOf;
  return { origin: originOf(untyped(event), name, isPrimary), event: untyped(event), why, by, leadsTo };
}

const noKeys = (): Iterable<ObjectKey> => [];

function noteOf(
  event: ResourceEvent,
  key: ObjectKey,
  { name, isPrimary = false }: Pick<SourceOptions, 'name' | 'isPrimary'>,
  keys: readonly ObjectKey[],
): CauseNote {
  const { type, object, oldObject } = event;
  const isOwn = isPrimary && key === event.key;
  return {
    cause: originOf(event, name, isOwn),
    before: isOwn ? oldObject : undefined,
    gone: isOwn && type === 'deleted' && event.cause !== 'filter' ? object : undefined,
    isChange: !isResync(event),
    event,
    keys,
  };
}

/** Options of {@link createTimerSource}. */
export interface TimerSourceOptions {
  /** The name in logs, and the `source` of causes. Default `timer`. */
  name?: string | undefined;
  /** The time between two rounds, ms. */
  everyMs: number;
  /** Returns the keys to queue in each round, such as all keys of a cache. */
  keys: () => Iterable<ObjectKey>;
}

/**
 * A source that queues keys again at an interval, with low priority, as `--every` does. It queues nothing at the start.
 */
export function createTimerSource(options: TimerSourceOptions): Source {
  checkOptions('createTimerSource', options, KNOWN_TIMER_OPTIONS);
  const { name = 'timer', everyMs, keys } = options;
  checkArgument('createTimerSource', 'keys', keys, 'function');
  if (!(everyMs > 0)) throw new InformerError('argument', `everyMs must be above zero, not ${everyMs}`);
  const note: CauseNote = { cause: { reason: 'generic', via: 'resync', source: name }, isChange: false };
  let next: number | undefined;
  return {
    name,
    nextAt: () => next,
    async start(emit, { signal, clock, logger }) {
      const tick = () => {
        try {
          for (const key of keys()) emit(key, note, LOW_PRIORITY);
        } catch (error) {
          logger.error('the keys of a timer could not be listed', { source: name, error: messageOf(error) });
        }
        timer = arm();
      };
      const arm = () => {
        next = clock.now() + everyMs;
        return clock.after(everyMs, tick);
      };
      let timer = arm();
      onAbort(signal, () => timer.cancel());
    },
  };
}
