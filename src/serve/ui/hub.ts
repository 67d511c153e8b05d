import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ObjectChange } from '../../stream/envelope.ts';
import { scopeOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import { ChangeHistory } from './change-history.ts';
import { ChangeRecorder } from './change-record.ts';
import { TimelineLane, whyText } from './timeline.ts';
import type { UiCache, UiProgram } from './ui-program.ts';
import type { UiTypeState } from './wire.ts';

interface Attached {
  readonly informer: UiCache['informer'];
  /** By the namespace of the source. */
  readonly lanes: Map<string | undefined, TimelineLane>;
  readonly stack: DisposableStack;
}

/** An open page. */
export interface HubListener {
  /** An object was added, changed or deleted. */
  changed(type: string, key: string): void;
  /** A connection or the list of caches changed. */
  stateChanged(): void;
}

/**
 * Listens to all caches once, for all pages: keeps the history of changes and the time lines from its start on, and
 * passes on which keys changed.
 */
export class UiHub implements Disposable {
  readonly history: ChangeHistory;
  /** Values of Secrets are always digests here, whatever the program shows elsewhere. */
  readonly redactor = new Redactor();
  readonly #program: UiProgram;
  readonly #recorder: ChangeRecorder;
  readonly #listeners = new Set<HubListener>();
  /** By the id of the cache. */
  readonly #attached = new Map<string, Attached>();
  readonly #following: Disposable | undefined;

  constructor(program: UiProgram) {
    this.#program = program;
    this.history = new ChangeHistory(program.clock.now());
    this.#recorder = new ChangeRecorder({ values: program.texts.values, clock: program.clock }, this.redactor);
    this.#attachAll();
    this.#following = program.onCaches?.(() => {
      this.#attachAll();
      this.#stateChanged();
    });
  }

  listen(listener: HubListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  get lanes(): readonly TimelineLane[] {
    return [...this.#attached.values()].flatMap(({ lanes }) => [...lanes.values()]);
  }

  get states(): readonly UiTypeState[] {
    return this.#program.caches().map(stateOf);
  }

  /** Listens to the caches that there are now. The one of a type may have been replaced, or given up. */
  #attachAll(): void {
    const caches = this.#program.caches();
    for (const [id, { informer, stack }] of this.#attached) {
      if (caches.some((cache) => cache.id === id && cache.informer === informer)) continue;
      stack.dispose();
      this.#attached.delete(id);
    }
    for (const cache of caches) if (!this.#attached.has(cache.id)) this.#attach(cache);
  }

  #attach(cache: UiCache): void {
    const { id, informer } = cache;
    const lanes = new Map<string | undefined, TimelineLane>();
    const stack = new DisposableStack();
    this.#attached.set(id, { informer, lanes, stack });
    const laneOf = (scope: string | undefined, i = 0) => {
      const known = lanes.get(scope);
      if (known) return known;
      const lane = new TimelineLane(id, scope, informer.continuity[i] ?? connecting(this.#program.clock.now()));
      lanes.set(scope, lane);
      return lane;
    };
    const hasScopes = informer.continuity.length > 1;
    for (const i of informer.continuity.keys()) laneOf(hasScopes ? scopeOf(cache, i) : undefined, i);
    const take = (event: ContinuityEvent) => {
      laneOf(hasScopes ? event.scope : undefined).add(event);
      this.#stateChanged();
    };
    stack.use(informer.onContinuity(take));
    if (informer.isStopped) return;
    const registration = informer.addHandler(
      {
        added: (object, { cause, isInInitialList }) =>
          this.#changed(cache, { type: 'added', object, cause: isInInitialList ? 'initial' : cause }),
        updated: (oldObject, object, { cause, uidChanged }) =>
          this.#changed(cache, { type: 'updated', object, oldObject, cause, uidChanged }),
        deleted: (object, { cause, finalStateUnknown }) =>
          this.#changed(cache, { type: 'deleted', object, cause, finalStateUnknown }),
        synced: () => this.#stateChanged(),
      },
      { policy: 'coalesce' },
    );
    stack.use(registration);
  }

  #changed(cache: UiCache, change: ObjectChange): void {
    const key = keyOf(change.object);
    for (const record of this.#recorder.recordsOf(change, cache.type)) this.history.add(cache.id, key, record);
    for (const listener of this.#listeners) listener.changed(cache.id, key);
  }

  #stateChanged(): void {
    for (const listener of this.#listeners) listener.stateChanged();
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]();
    for (const { stack } of this.#attached.values()) stack.dispose();
    this.#listeners.clear();
  }
}

const connecting = (since: number) => ({ connection: { state: 'connecting', since } as const });

function stateOf({ id, type, informer, isLeftOut }: UiCache): UiTypeState {
  const continuity = informer.continuity.filter((_, source) => !isLeftOut?.(source));
  const worst =
    continuity.find(({ connection }) => connection.state === 'disconnected') ??
    continuity.find(({ connection }) => connection.state === 'connecting') ??
    continuity[0];
  const connection = worst?.connection ?? { state: 'connecting', since: 0 };
  const why = connection.state === 'connected' ? '' : whyText(connection);
  const signs = continuity.map(({ lastSignOfLife }) => lastSignOfLife).filter((sign) => sign !== undefined);
  const sum = (of: (each: (typeof continuity)[number]) => number) => continuity.reduce((n, each) => n + of(each), 0);
  return {
    id,
    name: formatGroupResource(type.gvr),
    kind: type.kind,
    namespaced: type.namespaced,
    objects: informer.lister.size,
    version: informer.lister.resourceVersion,
    hasSynced: informer.hasSynced,
    connection: connection.state,
    connectionSince: connection.since,
    ...(why === '' ? {} : { why }),
    ...(signs.length === 0 ? {} : { lastSign: Math.min(...signs) }),
    relists: sum(({ relists }) => relists),
    gaps: sum(({ gapCount }) => gapCount),
    isGap: continuity.some(({ gaps }) => gaps.length > 0 && gaps.at(-1)?.to === undefined),
  };
}
