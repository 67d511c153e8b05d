import type { Representation } from '../client/resource-api.ts';
import type { ResourceSelection } from '../client/resource-args.ts';
import type { Indexers } from '../informer/indexer.ts';
import type { ContinuityEvent } from '../informer/ledger.ts';
import { type ScopedSource, SharedInformer } from '../informer/shared-informer.ts';
import { causesOf, InformerError, isInformerError, messageOf } from '../kit/error.ts';
import { FieldSelector } from '../model/field-selector.ts';
import { formatGroupResource } from '../model/gvr.ts';
import type { DeepReadonly, UnknownObject } from '../model/object.ts';
import { isWatchable, type ResourceType } from '../model/resource-type.ts';
import { isExpired, isForbidden, isGone, isNotFound, isThrottled, isUnauthorized, statusOf } from '../model/status.ts';
import { StreamEnd } from './ending.ts';
import { explainForbidden } from './forbidden.ts';
import type { Narrowing } from './narrowing.ts';
import type { Session } from './session.ts';

/** One type at work: its informer, and which of its objects were asked for by name. */
export interface Target {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
  /** Undefined = all that namespaces and selectors give. */
  readonly names: ReadonlySet<string> | undefined;
  /** Where they are looked for; undefined for cluster-scoped types. */
  readonly namespaces: readonly string[] | undefined;
}

export interface InformerPlan {
  /** [''] = all; cluster-scoped types ignore them. */
  readonly namespaces: readonly string[];
  readonly as: Representation;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly keepManagedFields: boolean;
  /** What the server is asked beside the selectors, by type. */
  readonly narrowings?: ReadonlyMap<ResourceType, Pick<Narrowing, 'labelSelector' | 'fieldSelector'>> | undefined;
  /** Compares the cache with a fresh list this often, ms; undefined = never. */
  readonly verifyEveryMs?: number | undefined;
  readonly indexers?: Indexers<DeepReadonly<UnknownObject>> | undefined;
  readonly onContinuity?: ((event: ContinuityEvent, type: ResourceType) => void) | undefined;
}

/** Makes an informer a type, not yet running. Throws `discovery` for a type that cannot be listed and watched. */
export function createTargets(session: Session, selections: readonly ResourceSelection[], plan: InformerPlan): Target[] {
  return selections.map(({ type, names }) => {
    if (!isWatchable(type)) throw notWatchable(type);
    const informer = createInformer(session, type, names, plan);
    return {
      type,
      informer,
      names: names.length === 0 ? undefined : new Set(names),
      namespaces: type.namespaced ? plan.namespaces : undefined,
    };
  });
}

/** Runs them until the session ends. A refusal before the first sync ends the session with that error: waiting would not mend it. */
export async function runTargets(targets: readonly Target[], session: Session): Promise<void> {
  await Promise.all(targets.map(({ informer }) => informer.run(session.signal)));
}

/** When time ran out before the first states were there, that is an error: throws `sync` with what is missing. */
export function refuseUnsynced(reason: unknown, targets: readonly Target[]): void {
  const missing = targets.filter(({ informer }) => !informer.hasSynced).map(({ informer }) => informer.name);
  if (!(reason instanceof StreamEnd && reason.kind === 'timeout') || missing.length === 0) return;
  throw new InformerError('sync', `no first state of ${missing.join(', ')} within --timeout`, {
    cause: reason,
    hint: 'is the server slow, or failing? -v 2 tells more; a longer --timeout waits longer',
  });
}

function createInformer(session: Session, type: ResourceType, names: readonly string[], plan: InformerPlan): SharedInformer<UnknownObject> {
  const { namespaces, as, keepManagedFields, indexers } = plan;
  const scopes = type.namespaced ? namespaces : [''];
  const sources: ScopedSource<UnknownObject>[] = scopes.map((scope) => {
    const namespace = scope || undefined;
    return { namespace, source: session.client.resource(type.gvr, { namespace, as, dropManagedFields: !keepManagedFields }) };
  });
  const name = formatGroupResource(type.gvr);
  let faults = 0;
  let isEnding = false;
  const informer: SharedInformer<UnknownObject> = new SharedInformer(sources, {
    name,
    resource: type.gvr,
    sync: 'auto',
    verifyEveryMs: plan.verifyEveryMs,
    selectors: selectorsOf(type, names, plan),
    clock: session.clock,
    logger: session.logger,
    ...(indexers ? { indexers } : {}),
    onContinuity: (event) => {
      const isHopeless =
        event.kind === 'fault' && event.fault !== 'store' && !informer.hasSynced && isFinal(event.error, ++faults / scopes.length);
      if (isHopeless && !isEnding) {
        isEnding = true;
        void explained(event.error, type, plan, session).then(session.end);
      } else if (!isEnding) plan.onContinuity?.(event, type);
    },
  });
  return informer;
}

/** One name is asked of the server, which then needs to be allowed no more than that; several are picked out here. */
function selectorsOf(type: ResourceType, names: readonly string[], { selector, fieldSelector, narrowings }: InformerPlan) {
  const [name] = names;
  const own = names.length === 1 && name !== undefined ? fieldIs('metadata.name', name) : undefined;
  const more = narrowings?.get(type);
  return { labelSelector: joined(selector, more?.labelSelector), fieldSelector: joined(own, fieldSelector, more?.fieldSelector) };
}

const joined = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined && part !== '').join(',') || undefined;

const fieldIs = (field: string, value: string) => FieldSelector.of([{ field, operator: '=', value }]).toString();

/** So often a first state may break off before nobody believes in it any more. */
const MOST_TRIES = 5;

/** Codes of Node that say that there is no such server, or not the one we trust. */
const NO_SERVER = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EPROTO|CERT_.*|ERR_(TLS|SSL|OSSL)_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;

/** Whether trying again cannot help: the server refuses, or there is none. What broke off is asked for again, but not for ever. */
function isFinal(error: unknown, tries: number): boolean {
  const { code } = statusOf(error) ?? {};
  if (code !== undefined) return code >= 400 && code < 500 && code !== 408 && !isThrottled(error) && !isExpired(error) && !isGone(error);
  return tries >= MOST_TRIES || [...causesOf(error)].some(saysNoServer);
}

function saysNoServer(error: unknown): boolean {
  if (isInformerError(error, 'config') || isInformerError(error, 'credentials')) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && NO_SERVER.test(code);
}

/** The error as it is told, which may take asking the server what would be allowed. Never rejects. */
async function explained(error: unknown, type: ResourceType, { namespaces }: InformerPlan, session: Session): Promise<unknown> {
  const { client } = session;
  const { code, message = messageOf(error) } = statusOf(error) ?? {};
  const resource = formatGroupResource(type.gvr);
  if (isUnauthorized(error))
    return new InformerError('credentials', 'You must be logged in to the server (Unauthorized)', {
      hint: 'the server refused the credentials: log in again, or choose another user with --context or --user',
    });
  if (isNotFound(error)) {
    void client.discovery.invalidate().catch(() => {}); // what was kept on disk is not true any more
    return new InformerError('discovery', `the server doesn't have a resource type "${resource}" any more`, {
      hint: 'its CustomResourceDefinition was deleted, or its API is gone; kubectl api-resources lists the types there are',
    });
  }
  if (code === 400)
    return new InformerError('argument', message, { hint: `the server refuses the request for ${resource}: look at the selectors` });
  return isForbidden(error) ? explainForbidden(error, type, namespaces, session) : error;
}

function notWatchable(type: ResourceType): InformerError {
  const verbs = type.verbs.length === 0 ? 'nothing' : type.verbs.join(', ');
  return new InformerError('discovery', `${formatGroupResource(type.gvr)} cannot be listed and watched: the server offers ${verbs}`);
}
