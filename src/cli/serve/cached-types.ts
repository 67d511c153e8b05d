import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { abortable, scope } from '../../kit/abort.ts';
import { InformerError } from '../../kit/error.ts';
import { isOfManagedFields } from '../../model/field-path.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden } from '../../model/status.ts';
import { usuallyLookedAt } from '../../query/answer/looked-at.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import type { Recorder } from '../../record/recorder.ts';
import { ChangesSince, type KeptStates } from '../../serve/persist/kept-states.ts';
import type { WatchCaches } from '../../serve/watch-cache/watch-caches.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { createTargets, type InformerPlan, type WatchTarget } from '../session/informers.ts';
import { runTargets } from '../session/refusals.ts';
import type { Session } from '../session/session.ts';
import { errorTexts } from '../terminal/error-text.ts';

export interface CachedTypesOptions {
  readonly session: Session;
  /** [''] = all; undefined: all, or that of the context where only that may be read. */
  readonly namespaces: readonly string[] | undefined;
  readonly keepManagedFields: boolean;
  readonly metrics: InformerPlan['metrics'];
  /** Lets other commands list and watch what is cached whole. */
  readonly caches: WatchCaches;
  /** Where the caches are stored; undefined: nowhere. */
  readonly states?: KeptStates | undefined;
  /** Records what the caches see; undefined: nothing does. */
  readonly recorder?: Pick<Recorder, 'follow'> | undefined;
  /** Indexes that are kept from the start. */
  readonly declared: readonly IndexDefinition[];
}

/** The caches of a serve: one informer for each type, with server's cells and whole objects. */
export class CachedTypes implements Disposable {
  readonly #options: CachedTypesOptions;
  readonly #cached = new Map<string, WatchTarget>();
  readonly #adding = new Map<string, Promise<WatchTarget>>();
  readonly #running = new Set<Promise<void>>();
  readonly #listeners = new Set<() => void>();
  readonly #declared: IndexDefinition[];
  readonly #reporter: ContinuityReporter;

  constructor(options: CachedTypesOptions) {
    this.#options = options;
    this.#declared = [...options.declared];
    this.#reporter = new ContinuityReporter(options.session, () => this.targets);
  }

  /** The caches that are there, in the order in which they were added; also those that have not synced yet. */
  get targets(): readonly WatchTarget[] {
    return [...this.#cached.values()];
  }

  /** Calls back after a cache was added, replaced or given up. */
  onTargets(changed: () => void): Disposable {
    this.#listeners.add(changed);
    return { [Symbol.dispose]: () => this.#listeners.delete(changed) };
  }

  #set(key: string, target: WatchTarget | undefined): void {
    if (target) this.#cached.set(key, target);
    else this.#cached.delete(key);
    for (const changed of this.#listeners) changed();
  }

  /** The named indexes that are kept for every type. */
  get declared(): readonly IndexDefinition[] {
    return this.#declared;
  }

  /** Keeps an index from now on, for every type. One of the same name that says the same is not kept twice. */
  declare(definition: IndexDefinition): void {
    const known = this.#declared.find(({ name }) => name === definition.name);
    if (known && known.key !== definition.key) {
      throw new InformerError('argument', `this serve has an index ${definition.name} already: ${known.from}`, {
        hint: 'give the other one another name, or end the serve and start it again',
      });
    }
    if (known) return;
    if (!this.keepsManagedFields && definition.reads?.some(isOfManagedFields)) {
      throw new InformerError(
        'argument',
        `this serve does not keep managedFields, which index ${definition.name} reads`,
        {
          hint: 'end it, and start it again with this index or with --show-managed-fields',
        },
      );
    }
    this.#declared.push(definition);
    for (const { informer } of this.targets) keep(informer, [definition]);
  }

  get keepsManagedFields(): boolean {
    return this.#options.keepManagedFields;
  }

  /** The cache of a type; undefined if it is not cached, or may not be read. */
  find({ gvr }: ResourceType): WatchTarget | undefined {
    const target = this.#cached.get(formatGvr(gvr));
    return target?.refusal === undefined ? target : undefined;
  }

  /**
   * Holds a type from now on, and resolves when its cache has synced. A type that is cached already is not cached twice.
   * Rejects with the refusal of the server, and then the type is not cached.
   */
  async add(selection: ResourceSelection): Promise<WatchTarget> {
    const key = formatGvr(selection.type.gvr);
    const known = this.#adding.get(key);
    if (known) return known;
    const adding = this.#add(key, selection.type);
    this.#adding.set(key, adding);
    adding.catch(() => this.#adding.delete(key));
    return adding;
  }

  /** Resolves when no informer runs any more. The session must have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  [Symbol.dispose](): void {
    this.#reporter[Symbol.dispose]();
  }

  async #add(key: string, type: ResourceType): Promise<WatchTarget> {
    const { session, namespaces } = this.#options;
    const target = await this.#start(key, type, namespaces ?? ['']);
    const isOnlyOwn = namespaces === undefined && type.namespaced && isForbidden(target.refusal);
    const cached = isOnlyOwn ? await this.#start(key, type, [session.config.namespace]) : target;
    if (cached.refusal !== undefined) {
      this.#set(key, undefined);
      throw await cached.explain(session);
    }
    const shared = cached.forbidden.length === 0 ? this.#share(cached) : undefined;
    // who may list and not watch is refused after the initial list
    void cached.refused.then(() => {
      shared?.[Symbol.dispose]();
      return this.#lost(key, cached);
    });
    if (isOnlyOwn)
      session.notice(
        `${key}: only the namespace ${session.config.namespace} is cached, because others may not be read`,
      );
    return cached;
  }

  /** A cache that cannot be kept up to date answers nothing more; without any other there is nothing to serve. */
  async #lost(key: string, target: WatchTarget): Promise<void> {
    const { session } = this.#options;
    if (this.#cached.get(key) !== target) return;
    this.#set(key, undefined);
    this.#adding.delete(key);
    const error = await target.explain(session);
    if (this.#cached.size === 0) {
      session.end(error);
      return;
    }
    const { message, hint } = errorTexts(error);
    session.notice(`${key} is not cached any more, the cluster answers: ${message}`);
    if (hint !== undefined) session.notice(`hint: ${hint}`);
  }

  #share({ type, informer, namespaces }: WatchTarget): Disposable {
    const { caches, keepManagedFields } = this.#options;
    return caches.add({ type, informer, namespaces, as: { table: 'Object' }, keepsManagedFields: keepManagedFields });
  }

  async #start(key: string, type: ResourceType, namespaces: readonly string[]): Promise<WatchTarget> {
    const { session, keepManagedFields, metrics, states, recorder } = this.#options;
    const scopes = type.namespaced ? namespaces : [''];
    const form = keepManagedFields ? 'table with managedFields' : 'table';
    const stored = await states?.statesOf(type, scopes, form);
    const selection: ResourceSelection = { type, names: [], versioned: true };
    const ending = scope(session.signal);
    const own: Session = { ...session, signal: ending.signal };
    const [target] = createTargets(own, [selection], {
      namespaces,
      as: { table: 'Object' },
      selector: undefined,
      fieldSelector: undefined,
      keepManagedFields,
      metrics,
      stored,
      onRefused: () => {}, // a namespace that may not be read does not end the others
      onContinuity: (event) => this.#reporter.observe(event, type),
    }) as [WatchTarget];
    this.#set(key, target);
    states?.follow(target, scopes, form);
    recorder?.follow(target);
    const changes = new ChangesSince(target, stored ?? new Map());
    keep(target.informer, this.#declared);
    for (const looked of usuallyLookedAt(type)) target.informer.keep(looked);
    const running = runTargets([target], own, { endsWhenRefused: false });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running)).catch(() => {});
    await abortable(target.settled(own.signal), own.signal);
    void target.refused.then(() => ending.abort());
    if (target.refusal === undefined) {
      const text = await changes.text(own);
      if (text !== undefined) session.notice(`${key}: ${text}`);
    }
    return target;
  }
}

/** Lets an informer keep indexes that it does not keep yet. */
function keep(informer: WatchTarget['informer'], definitions: readonly IndexDefinition[]): void {
  const missing = indexersOf(definitions, (key) => informer.lister.hasIndex(key));
  if (Object.keys(missing).length > 0) informer.addIndexers(missing as never);
}
