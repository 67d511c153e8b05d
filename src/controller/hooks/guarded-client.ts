import { InformerError } from '../../kit/error.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import type { ListOptions } from '../../model/list-options.ts';
import type { ListPage, UnknownObject } from '../../model/object.ts';
import { checkName } from '../../model/path-segment.ts';
import type { ActionMode, ActionPatchOptions, ActionWriteOptions } from './actions.ts';
import { FIELD_MANAGER, refuseRedacted } from './actions.ts';
import type { WriteBudget } from './write-budget.ts';
import { unlimitedWrites } from './write-budget.ts';

/** The requests of a hook's client for one resource type. */
export interface HookResource<T extends object = UnknownObject> {
  get<R extends object = T>(name: string, options?: CallOptions): Promise<R>;
  list(options?: ListOptions, call?: CallOptions): Promise<ListPage<T>>;
  create<R extends object = T>(object: object, options?: ActionWriteOptions): Promise<R>;
  update<R extends object = T>(object: object, options?: ActionWriteOptions): Promise<R>;
  patch<R extends object = T>(name: string, body: unknown, options: ActionPatchOptions): Promise<R>;
  delete(name: string, options?: { signal?: AbortSignal | undefined; dryRun?: boolean | undefined }): Promise<unknown>;
}

/** The client in a hook's context. `T` is the type of the objects, as the hook declares it. It is not checked. */
export interface HookClient {
  resource<T extends object = UnknownObject>(gvr: GroupVersionResource, options?: { namespace?: string | undefined }): HookResource<T>;
}

type CallOptions = { signal?: AbortSignal | undefined };

/** The client that is guarded. A Client fits. */
export interface UnguardedClient {
  resource(gvr: GroupVersionResource, options?: { namespace?: string | undefined }): UnguardedResource;
}

interface UnguardedResource extends Omit<HookResource<object>, 'get' | 'create' | 'update' | 'patch'> {
  get(name: string, options?: CallOptions): Promise<object>;
  create(object: object, options?: ActionWriteOptions): Promise<object>;
  update(object: object, options?: ActionWriteOptions): Promise<object>;
  patch(name: string, body: unknown, options: ActionPatchOptions): Promise<object>;
}

export interface GuardOptions {
  mode: ActionMode;
  /** Redacts every object that is read. It must not change its argument. */
  redact?: (<T extends object>(object: T, gvr: GroupVersionResource) => T) | undefined;
  budget?: WriteBudget | undefined;
}

/**
 * A client that limits the writes of a hook. With `describe` every write rejects and says how to allow it. With
 * `dry-run` every write is sent as a dry run. With `write` each write counts against the budget. Writes have the field
 * manager {@link FIELD_MANAGER} unless they name another.
 *
 * Objects that are read are redacted, and redacted values cannot be written back. An invalid name is refused with
 * `argument` before anything else. There is no deleteCollection: one call could delete any number of objects, and the
 * budget could not count them.
 */
export function guardClient(
  client: UnguardedClient,
  { mode, budget = unlimitedWrites, redact = (object) => object }: GuardOptions,
): HookClient {
  const never = new AbortController().signal;
  const permit = async <O extends ActionWriteOptions>(verb: string, gvr: GroupVersionResource, options: O): Promise<O> => {
    if (mode === 'describe') {
      throw new InformerError('hook', `the hook may not write (${verb} ${formatGvr(gvr)})`, {
        hint: 'allow it with --allow-write, or try it with --dry-run',
      });
    }
    if (mode === 'dry-run') return { ...options, dryRun: true };
    if (!options.dryRun) await budget.take(options.signal ?? never);
    return options;
  };
  return {
    resource<T extends object = UnknownObject>(gvr: GroupVersionResource, scope: { namespace?: string | undefined } = {}): HookResource<T> {
      const resource = client.resource(gvr, scope);
      const shown = async <R extends object>(answer: Promise<object>) => redact(await answer, gvr) as R;
      const write = async <O extends ActionWriteOptions>(verb: string, body: unknown, options: O) => {
        refuseRedacted(body, gvr);
        return permit(verb, gvr, { fieldManager: FIELD_MANAGER, ...options });
      };
      const checked = (name: unknown) => checkName(name, formatGroupResource(gvr));
      return {
        get: async (name, options) => {
          checked(name);
          return shown(resource.get(name, options));
        },
        async list(options, call) {
          const page = await resource.list(options, call);
          return { ...page, items: page.items.map((item) => redact(item, gvr) as T) };
        },
        create: async (object, options = {}) => shown(resource.create(object, await write('create', object, options))),
        update: async (object, options = {}) => {
          checked((object as Partial<UnknownObject> | undefined)?.metadata?.name);
          return shown(resource.update(object, await write('update', object, options)));
        },
        patch: async (name, body, options) => {
          checked(name);
          return shown(resource.patch(name, body, await write('patch', body, options)));
        },
        delete: async (name, options = {}) => {
          checked(name);
          return resource.delete(name, await permit('delete', gvr, options));
        },
      };
    },
  };
}
