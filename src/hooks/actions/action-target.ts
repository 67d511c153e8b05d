import type { CachedObject } from '../../controller/resource-event.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { GroupVersionKind, GroupVersionResource } from '../../model/gvr.ts';
import { formatGroupVersion, formatGvr, parseGroupVersion, sameGvr } from '../../model/gvr.ts';
import { pathSegment } from '../../model/path-segment.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Action, Body, TargetRef } from '../reply.ts';

/** The reconciled object, which is the default target of actions. */
export interface Subject {
  readonly namespace: string;
  readonly name: string;
  /** Its present state; null if it does not exist. */
  readonly object: CachedObject | null;
}

/** The part of a resource type that actions need. */
export type TargetType = Pick<ResourceType, 'gvr' | 'kind' | 'namespaced'>;

/** The object that an action changes. */
export interface ActionTarget {
  readonly type: TargetType;
  /** Undefined for cluster-scoped types. */
  readonly namespace: string | undefined;
  /** '' if the server makes the name (generateName). */
  readonly name: string;
}

export interface TargetResolverOptions {
  /** The reconciled type. */
  primary: TargetType;
  /** Returns all types of the server. Called only for an action on another type. */
  types: () => Promise<readonly TargetType[]>;
}

/**
 * Finds the target of an action: the object that `on` names, else the one that the body names, else the reconciled one.
 */
export class TargetResolver {
  readonly #options: TargetResolverOptions;

  constructor(options: TargetResolverOptions) {
    this.#options = options;
  }

  /**
   * Rejects with `hook` if the server does not have the type, and if the name or the namespace is missing or invalid.
   */
  async resolve(action: Exclude<Action, { verb: 'log' }>, subject: Subject): Promise<ActionTarget> {
    const body: Body = action.verb === 'apply' || action.verb === 'create' ? action.body : {};
    const metadata = (body.metadata ?? {}) as { name?: string; namespace?: string; generateName?: string };
    const type = await this.#typeOf(action.on, body);
    const isPrimary = sameGvr(type.gvr, this.#options.primary.gvr);
    const ownName = isPrimary && !metadata.generateName ? subject.name : '';
    const name = action.on?.name ?? metadata.name ?? ownName;
    if (name === '' && !metadata.generateName) throw unclear(action, `names no object of ${formatGvr(type.gvr)}`);
    const namespace = type.namespaced ? (action.on?.namespace ?? metadata.namespace ?? subject.namespace) : undefined;
    if (namespace === '') throw unclear(action, `names no namespace for ${formatGvr(type.gvr)}`);
    checkSegments(action, { name: name === '' ? undefined : name, namespace });
    return { type, namespace, name };
  }

  async #typeOf(on: TargetRef | undefined, { apiVersion, kind }: Body): Promise<TargetType> {
    if (on?.gvr) return this.#byGvr(on.gvr);
    if (typeof apiVersion === 'string' && typeof kind === 'string')
      return this.#byKind({ ...parseGroupVersion(apiVersion), kind });
    return this.#options.primary;
  }

  async #byGvr(gvr: GroupVersionResource): Promise<TargetType> {
    const isMatch = (type: TargetType) => sameGvr(type.gvr, gvr);
    const { primary, types } = this.#options;
    const found = isMatch(primary) ? primary : (await types()).find(isMatch);
    return found ?? unknown(`the server has no resource type ${formatGvr(gvr)}`);
  }

  async #byKind(gvk: GroupVersionKind): Promise<TargetType> {
    const isMatch = ({ gvr, kind }: TargetType) =>
      kind === gvk.kind && gvr.group === gvk.group && gvr.version === gvk.version;
    const { primary, types } = this.#options;
    const found = isMatch(primary) ? primary : (await types()).find(isMatch);
    return found ?? unknown(`the server has no kind ${gvk.kind} in ${formatGroupVersion(gvk)}`);
  }
}

/** `apps/v1/deployments shop/web` */
export function formatTarget({ type, namespace, name }: ActionTarget): string {
  return `${formatGvr(type.gvr)} ${namespace === undefined ? '' : `${namespace}/`}${name || '<generated>'}`;
}

function unclear({ verb }: Action, what: string): InformerError {
  return new InformerError('hook', `the action ${verb} ${what}`, {
    hint: 'name it in the body, or with "on": {"gvr": …, "namespace": …, "name": …}',
  });
}

/** Refuses invalid names before the first action is sent. */
function checkSegments({ verb }: Action, parts: Readonly<Record<string, string | undefined>>): void {
  for (const [what, value] of Object.entries(parts)) {
    if (value === undefined) continue;
    try {
      pathSegment(value, what);
    } catch (cause) {
      throw new InformerError('hook', `the action ${verb}: ${messageOf(cause)}`, { cause });
    }
  }
}

function unknown(message: string): never {
  throw new InformerError('hook', message);
}
