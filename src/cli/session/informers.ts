import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { isRequestTimeout } from '../../client/http/http-exchange.ts';
import { isOversized } from '../../client/http/limits.ts';
import type { Representation } from '../../client/resource-api.ts';
import { AUTO_ABOVE_ROWS } from '../../informer/compact/auto-compaction.ts';
import type { ScopedSource } from '../../informer/informer-options.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import type { Indexers } from '../../informer/store/object-index.ts';
import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { hasConsistentUnpagedList, type ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import { pushedDownSource } from '../../informer/watch/pushed-down-source.ts';
import type { StoredState } from '../../informer/watch/stored-state.ts';
import { abortable, aborted } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { DeepReadonly, UnknownObject } from '../../model/object.ts';
import { isWatchable, type ResourceType } from '../../model/resource-type.ts';
import { isForbidden, isNotFound, isUnauthorized, statusOf } from '../../model/status.ts';
import type { PartReader, SourceReader } from '../../query/answer/collection-part.ts';
import type { ServerSideFilter } from '../../stream/conditions/server-side-filter.ts';
import { requestTimeoutError } from '../terminal/exit-codes.ts';
import { StaleType } from '../terminal/stale-type.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { isFinal } from './final-fault.ts';
import { explainForbidden, type Need, type Refused } from './forbidden.ts';
import { areNamed, gotByName } from './named-objects.ts';
import { type PartScope, ReadablePart } from './readable-part.ts';
import { type ServedSource, ServedType } from './served-version.ts';
import type { Session } from './session.ts';

/** One type at work: its informer, and which of its objects were asked for by name. */
export interface WatchTarget {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  /** Undefined = all that namespaces and selectors give. */
  readonly names: ReadonlySet<string> | undefined;
  /** Where they are looked for; undefined for cluster-scoped types. */
  readonly namespaces: readonly string[] | undefined;
  /** Why its objects cannot be read, for good; undefined while they may still come, or have come. */
  readonly refusal: unknown;
  /** Resolves when they are refused; else never. */
  readonly refused: Promise<void>;
  /** See `StreamTarget.overdue`. */
  readonly overdue?: Promise<void> | undefined;
  /** Resolves when the initial sync is done, or refused for good. Rejects with the signal's reason. */
  settled(signal: AbortSignal): Promise<void>;
  /** The rights that reading it needs. */
  readonly need: Need;
  /**
   * The parts of it that may not be read: all of it when there is a refusal, else some of its namespaces or names,
   * which are left out.
   */
  readonly forbidden: readonly Refused[];
  /** True if this source is left out. Its number is its place in the informer's `continuity`. */
  isLeftOut?(source: number): boolean;
  /**
   * The refusal as an error with the next step, which may take asking the server what would be allowed. Never rejects.
   */
  explain(session: Session): Promise<unknown>;
}

/** The selectors that the server gets beside the user's own. */
export interface PushedDownList extends Partial<Pick<ServerSideFilter, 'labelSelector' | 'fieldSelector'>> {
  readonly namespaces?: readonly string[] | undefined;
}

/** The objects that a command line selects. */
export interface SelectedObjects {
  /** [''] = all; cluster-scoped types ignore them. */
  readonly namespaces: readonly string[];
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
}

export interface InformerPlan extends SelectedObjects {
  readonly as: Representation;
  readonly keepManagedFields: boolean;
  /** They are kept as text beside the objects, for a recording alone. */
  readonly managedFieldsAsText?: boolean;
  /**
   * The selectors that the server gets beside the plan's, by type; `namespaces` are listed in place of those of the
   * plan.
   */
  readonly pushedDown?: ReadonlyMap<ResourceType, PushedDownList> | undefined;
  /** Called when a server cannot select by one of them, and was asked without it. Only when the command answers once. */
  readonly onRefusedPushDown?: ((type: ResourceType) => void) | undefined;
  /** Compares the cache with a fresh list this often, ms; undefined = never. */
  readonly verifyEveryMs?: number | undefined;
  /** Silence after which a watch is taken for dead, ms; undefined = the informer's default. */
  readonly idleMs?: number | undefined;
  /** A type that was named without a version goes over to the version that is served when its own is retired. */
  readonly followsVersions?: boolean | undefined;
  /** Takes the place of each source of a command that answers once. Default: the source itself. */
  readonly passing?: ((source: ListerWatcher<UnknownObject>) => ListerWatcher<UnknownObject>) | undefined;
  /** The command answers once and ends: types are listed, and no watch is opened. What may not be read is left out. */
  readonly once?: boolean | undefined;
  /**
   * Called when something may not be read. A command that has it goes on with the rest; one that does not is refused as
   * a whole.
   */
  readonly onRefused?: (() => void) | undefined;
  /**
   * A server that cannot be reached, or refuses the login, is tried again also before the initial sync: it is one of
   * several.
   */
  readonly isPatient?: boolean | undefined;
  /** See `StreamTarget.overdue`. */
  readonly overdue?: Promise<void> | undefined;
  /** The state to begin with, by namespace. */
  readonly stored?: ReadonlyMap<string, StoredState<UnknownObject>> | undefined;
  readonly indexers?: Indexers<DeepReadonly<UnknownObject>> | undefined;
  /** Fields that all objects will be searched for: see `SharedInformer.keepFields`. */
  readonly fields?: readonly string[] | undefined;
  /** Reads a part of the objects. Default: all are read. */
  readonly part?: PartReader | undefined;
  /** Gets the measurements of the informers. */
  readonly metrics?: MetricsProvider | undefined;
  readonly onContinuity?: ((event: ContinuityEvent, type: ResourceType) => void) | undefined;
}

/**
 * Makes an informer a type, not yet running. Throws `discovery` for a type that cannot be listed and, unless the
 * command ends at once, watched. Throws `argument` for one of which a plan cannot read a part.
 */
export function createTargets(
  session: Session,
  selections: readonly ResourceSelection[],
  plan: InformerPlan,
): WatchTarget[] {
  return selections.map((selection) => {
    const { type } = selection;
    const reader = plan.part?.readerOf(selection, session);
    if (!(plan.once ? type.verbs.includes('list') : isWatchable(type))) throw notReadable(type);
    return new InformerTarget(session, selection, plan, reader);
  });
}

/** When time ran out before the first states were there, that is an error: throws `sync` with what is missing. */
export function refuseUnsynced(reason: unknown, targets: readonly WatchTarget[]): void {
  const missing = targets
    .filter(({ informer }) => !informer.hasSynced)
    .map(({ informer: { name }, type: { cluster } }) => (cluster === undefined ? name : `${name} in ${cluster}`));
  if (!(reason instanceof StreamEnd && reason.kind === 'timeout') || missing.length === 0) return;
  throw new InformerError('sync', `no initial sync of ${missing.join(', ')} within --timeout`, {
    cause: reason,
    hint: 'is the server slow, or failing? -v 2 logs more; a longer --timeout waits longer',
  });
}

class InformerTarget implements WatchTarget {
  /** In the version in which it is read now. */
  type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  readonly names: ReadonlySet<string> | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly refused: Promise<void>;
  readonly overdue: Promise<void> | undefined;
  readonly #need: Need;
  readonly #plan: InformerPlan;
  readonly #parts: readonly ReadablePart[];
  /** Resolves when nothing more of the initial list can come. */
  readonly #over: Promise<void>;
  #end: () => void = () => {};
  #refuse: () => void = () => {};
  #refusal: unknown;

  constructor(
    session: Session,
    { type, names, versioned }: ResourceSelection,
    asked: InformerPlan,
    reader: SourceReader = (source) => source,
  ) {
    const plan = { ...asked, namespaces: asked.pushedDown?.get(type)?.namespaces ?? asked.namespaces };
    const scopes = type.namespaced ? plan.namespaces : [''];
    const isByName = areNamed(names, scopes);
    const follows = plan.followsVersions === true && !versioned;
    this.type = type;
    const served = new ServedType(type, {
      client: session.client,
      follows,
      advice: adviceOn(type, plan),
      onMoved: (moved) => {
        this.type = moved;
      },
    });
    this.names = names.length === 0 ? undefined : new Set(names);
    this.namespaces = type.namespaced ? plan.namespaces : undefined;
    this.refused = new Promise((resolve) => {
      this.#refuse = resolve;
    });
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#plan = plan;
    this.overdue = plan.overdue;
    const verbs = plan.once
      ? ([isByName && !isSelecting(plan) ? 'get' : 'list'] as const)
      : (['list', 'watch'] as const);
    this.#need = { type, verbs, names: isByName ? names : [] };
    const sources = sourcesOf(served, scopes, this.#need.names, plan);
    const options = { isLeftOut: this.#isPartial, onJudged: () => this.#partJudged(), reader };
    this.#parts = sources.length === 1 ? [] : sources.map((part) => new ReadablePart(part.source, part, options));
    const whole = sources.map((each) => ({ ...each, source: reader(each.source) }));
    this.informer = this.#createInformer(session, this.#parts.length > 0 ? this.#parts : whole);
  }

  get refusal(): unknown {
    return this.#refusal;
  }

  async settled(signal: AbortSignal): Promise<void> {
    await Promise.race([this.informer.whenSynced(signal), abortable(this.#over, signal)]);
  }

  explain(session: Session): Promise<unknown> {
    const last = this.forbidden.at(-1);
    const names = [...new Set(this.forbidden.flatMap(({ need }) => need.names))];
    return explained(
      last?.refusal ?? this.#refusal,
      { ...this.#need, ...(last ? { names } : {}) },
      this.#plan,
      session,
    );
  }

  /** The refusals: one for each message of the server, with the names and namespaces that it refused. */
  get forbidden(): readonly Refused[] {
    const refused = this.#parts.filter(({ refusal }) => refusal !== undefined);
    if (refused.length === 0) {
      const { namespaces = [''] } = this;
      return isForbidden(this.#refusal) ? [{ refusal: this.#refusal, need: this.#need, namespaces }] : [];
    }
    const alike = Map.groupBy(refused, ({ refusal }) => messageOf(refusal));
    return [...alike.values()].map((same) => ({
      refusal: same[0]?.refusal,
      need: { ...this.#need, names: [...new Set(same.flatMap(({ name }) => name ?? []))] },
      namespaces: [...new Set(same.map(({ namespace }) => namespace ?? ''))],
    }));
  }

  isLeftOut(source: number): boolean {
    return this.#parts[source]?.leftOut.aborted ?? false;
  }

  /** True if the command reads the sources that the server allows, and leaves out those that it forbids. */
  get #isPartial(): boolean {
    return this.#plan.once === true || this.#plan.onRefused !== undefined;
  }

  #partJudged(): void {
    const refused = this.#parts.filter(({ refusal }) => refusal !== undefined);
    if (refused.length === 0) return;
    if (!this.#isPartial || refused.length === this.#parts.length) this.#refusal ??= refused[0]?.refusal;
    if (this.#refusal !== undefined) {
      if (this.#parts.every(({ isJudged }) => isJudged)) this.#end();
      this.#refuse();
    }
    this.#plan.onRefused?.();
  }

  get need(): Need {
    return this.#need;
  }

  /** A command that answers once takes a limit the user set for each request as one for itself. */
  #isFinal(error: unknown, tries: number): boolean {
    if (this.#plan.isPatient && (statusOf(error)?.code === undefined || isUnauthorized(error))) return false;
    return isFinal(error, tries) || (this.#plan.once === true && isRequestTimeout(error));
  }

  /**
   * True if the user may list but not watch, and so would wait without end. Rights that are withdrawn after a watch may
   * come back.
   */
  #mayNeverWatch(error: unknown): boolean {
    const hasWatched = this.informer.continuity.some(({ stretches }) =>
      stretches.some(({ by }) => by === 'stream' || by === 'resumed'),
    );
    return isForbidden(error) && !hasWatched;
  }

  #createInformer(
    { clock, logger }: Session,
    sources: readonly ScopedSource<UnknownObject>[],
  ): SharedInformer<UnknownObject> {
    const { type } = this;
    const { indexers, fields = [], verifyEveryMs, idleMs, metrics, onContinuity } = this.#plan;
    let faults = 0;
    const informer = new SharedInformer<UnknownObject>(sources, {
      name: formatGroupResource(type.gvr),
      resource: type.gvr,
      sync: 'auto',
      store: this.#plan.passing === undefined ? 'auto' : 'objects', // what passes is not stored
      compactAbove: compactAbove(this.#plan.as),
      verifyEveryMs,
      idleMs,
      selectors: selectorsOf(type, this.#plan),
      clock,
      logger,
      metrics,
      ...(indexers ? { indexers } : {}),
      onContinuity: (event) => {
        if (this.#refusal !== undefined) return;
        const isFault = event.kind === 'fault' && event.fault !== 'store';
        const isHopeless =
          isFault &&
          (isOversized(event.error) ||
            this.#mayNeverWatch(event.error) ||
            (!this.informer.hasSynced && this.#isFinal(event.error, ++faults / sources.length)));
        if (!isHopeless) return onContinuity?.(event, this.type);
        this.#refusal = event.error;
        this.#end();
        this.#refuse();
        this.#plan.onRefused?.();
      },
    });
    informer.keepFields(fields);
    return informer;
  }
}

const compactAbove = (as: Representation): number | undefined =>
  typeof as === 'object' && as.table !== 'Object' ? AUTO_ABOVE_ROWS : undefined;

type ScopedPart = ScopedSource<UnknownObject> & PartScope;

/** A source a namespace, or one a name in it: the server then needs to allow no more than those names. */
function sourcesOf(
  served: ServedType,
  scopes: readonly string[],
  names: readonly string[],
  plan: InformerPlan,
): ScopedPart[] {
  const { as, keepManagedFields, managedFieldsAsText, once, passing = (source) => source } = plan;
  return scopes.flatMap((scope): ScopedPart[] => {
    const namespace = scope || undefined;
    const api = served.source({ namespace, as, dropManagedFields: !keepManagedFields, managedFieldsAsText });
    const isSelected = isSelecting(plan);
    const sourceOf = (name?: string) =>
      once
        ? listedOnce(
            passing(name === undefined || isSelected ? withPushedDown(api, served.type, plan) : gotByName(api, name)),
          )
        : api;
    return names.length === 0
      ? [{ namespace, source: sourceOf(), stored: plan.stored?.get(scope) }]
      : names.map((name) => ({ namespace, name, source: sourceOf(name) }));
  });
}

function withPushedDown(api: ServedSource, type: ResourceType, plan: InformerPlan): ListerWatcher<UnknownObject> {
  const { selector, fieldSelector, pushedDown, onRefusedPushDown } = plan;
  if (!pushedDown?.has(type)) return api;
  const own = { labelSelector: joined(selector), fieldSelector: joined(fieldSelector) };
  return pushedDownSource(api, own, () => onRefusedPushDown?.(type));
}

/** A GET by name ignores selectors, so it must not replace a LIST that has some. */
const isSelecting = ({ selector, fieldSelector }: InformerPlan) => Boolean(selector || fieldSelector);

/**
 * A source whose watch is never opened: a type may be served by a server that cannot watch it, to a user who may not.
 */
function listedOnce(source: ListerWatcher<UnknownObject>): ListerWatcher<UnknownObject> {
  const { probe } = source;
  return {
    ...(probe ? { probe: (options, context) => probe.call(source, options, context) } : {}),
    list: (options, context) => source.list(options, context),
    watch: (_, { signal }) => aborted(signal).then(() => Promise.reject(signal.reason)),
    supportsStreamingLists: () => false,
    consistentUnpagedList: (context) => hasConsistentUnpagedList(source, context),
  };
}

/** The next step for a type whose version is no longer served, and which does not move to another. */
function adviceOn({ gvr }: ResourceType, { followsVersions }: InformerPlan): string {
  if (!followsVersions) return 'start again to work with it';
  return `${formatGroupResource(gvr)} without a version follows the version that is served`;
}

function selectorsOf(type: ResourceType, { selector, fieldSelector, pushedDown }: InformerPlan) {
  const more = pushedDown?.get(type);
  return {
    labelSelector: joined(selector, more?.labelSelector),
    fieldSelector: joined(fieldSelector, more?.fieldSelector),
  };
}

const joined = (...parts: (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== '').join(',') || undefined;

/** The error with its explanation, for which the server may be asked what is allowed. Never rejects. */
async function explained(error: unknown, need: Need, { namespaces }: InformerPlan, session: Session): Promise<unknown> {
  const { type } = need;
  const { client } = session;
  const { code, message = messageOf(error) } = statusOf(error) ?? {};
  const resource = formatGroupResource(type.gvr);
  if (isRequestTimeout(error)) return requestTimeoutError(error);
  if (isUnauthorized(error)) {
    const { expiredHint } = await import('../../client/auth/login-expiry.ts');
    const plain = 'the server refused the credentials: log in again, or choose another user with --context or --user';
    const hint = (await expiredHint(session.config, session.clock.now())) ?? plain;
    return new InformerError('credentials', 'You must be logged in to the server (Unauthorized)', { hint });
  }
  if (isNotFound(error)) {
    await client.discovery.invalidate().catch(() => {}); // what was kept on disk is not true any more
    return new StaleType('discovery', `the server doesn't have a resource type "${resource}" any more`, {
      hint: 'its CustomResourceDefinition was deleted, or its API is gone; kubectl api-resources lists the types there are',
    });
  }
  if (code === 400 && !isUnexpectedAnswer(error))
    return new InformerError('argument', message, {
      hint: `the server refuses the request for ${resource}: look at the selectors`,
    });
  return isForbidden(error) ? explainForbidden(error, need, namespaces, session) : error;
}

/** True if the answer was not a Status of an API server: a proxy gave it, or another server. */
function isUnexpectedAnswer(error: unknown): boolean {
  return statusOf(error)?.details?.causes?.some(({ reason }) => reason === 'UnexpectedServerResponse') ?? false;
}

function notReadable(type: ResourceType): InformerError {
  const name = formatGroupResource(type.gvr);
  const verbs = type.verbs.length === 0 ? 'nothing' : type.verbs.join(', ');
  if (!type.verbs.includes('list'))
    return new InformerError('discovery', `${name} cannot be listed: the server offers ${verbs}`);
  return new InformerError('discovery', `${name} cannot be watched: the server offers ${verbs}`, {
    hint: `it can be listed: query ${name}, or watch ${name} --once`,
  });
}
