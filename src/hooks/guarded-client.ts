import { InformerError } from '../kit/error.ts';
import { checkIsOptions } from '../kit/known-options.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import { formatGroupResource, formatGvr } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ListOptions } from '../model/list-options.ts';
import type { ListPage, UnknownObject } from '../model/object.ts';
import { checkName } from '../model/path-segment.ts';
import type { OfSubresource, PatchBodies, PatchKind, WriteBody } from '../model/write-body.ts';
import type { ActionOutcome, RedactStates } from './action-runner.ts';
import type { ActionMode, ActionPatchOptions, ActionWriteOptions } from './actions/action-client.ts';
import { FIELD_MANAGER } from './actions/action-client.ts';
import { checkSecretBody } from './actions/secret-body.ts';
import type { WriteBudget } from './actions/write-budget.ts';
import { unlimitedWrites } from './actions/write-budget.ts';

/** The requests of a hook's client for one resource type. */
export interface HookResource<T extends object = UnknownObject> {
  get(name: string, options?: HookCallOptions): Promise<T>;
  list(options?: ListOptions, call?: HookCallOptions): Promise<ListPage<T>>;
  create<R extends object = T>(object: object, options: ActionWriteOptions & OfSubresource): Promise<R>;
  create(object: WriteBody<T>, options?: ActionWriteOptions): Promise<T>;
  update<R extends object = T>(object: object, options: ActionWriteOptions & OfSubresource): Promise<R>;
  update(object: WriteBody<T>, options?: ActionWriteOptions): Promise<T>;
  patch<R extends object = T>(name: string, body: object, options: ActionPatchOptions & OfSubresource): Promise<R>;
  patch<P extends PatchKind>(name: string, body: PatchBodies<T>[P], options: ActionPatchOptions<P>): Promise<T>;
  delete(name: string, options?: { signal?: AbortSignal | undefined; dryRun?: boolean | undefined }): Promise<unknown>;
}

/** The client in a hook's context. `T` is the type of the objects, as the hook declares it. It is not checked. */
export interface HookClient {
  resource(gvr: GroupVersionResource, options?: { namespace?: string | undefined }): HookResource;
  resource<T extends object>(gvr: GroupVersionResource, options?: { namespace?: string | undefined }): HookResource<T>;
}

/** Options of the reads of a hook's client. */
export type HookCallOptions = { signal?: AbortSignal | undefined };

/** The client that is guarded. A Client fits. */
export interface UnguardedClient {
  resource(gvr: GroupVersionResource, options?: { namespace?: string | undefined }): UnguardedResource;
}

interface UnguardedResource extends Omit<HookResource<object>, 'get' | 'create' | 'update' | 'patch'> {
  get(name: string, options?: HookCallOptions): Promise<object>;
  create(object: object, options?: ActionWriteOptions): Promise<object>;
  update(object: object, options?: ActionWriteOptions): Promise<object>;
  patch(name: string, body: unknown, options: ActionPatchOptions): Promise<object>;
}

export interface GuardOptions {
  mode: ActionMode;
  /** Redacts every object that is read. It must not change its argument. */
  redact?: (<T extends object>(object: T, gvr: GroupVersionResource) => T) | undefined;
  /** Whether the hook may see the values of Secrets. */
  maySeeSecrets?: boolean | undefined;
  budget?: WriteBudget | undefined;
  /** Returns the key of the run that is calling. */
  runKey?: (() => ObjectKey | undefined) | undefined;
  /** Redacts what is reported, also what it has from other states of the same object. Default: `redact`. */
  redactReport?: RedactStates | undefined;
  /** With `dry-run`: called after each write with what it would change. */
  report?: ((outcomes: readonly ActionOutcome[]) => void) | undefined;
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
export function guardClient(client: UnguardedClient, options: GuardOptions): HookClient {
  return {
    resource<T extends object = UnknownObject>(
      gvr: GroupVersionResource,
      scope: { namespace?: string | undefined } = {},
    ): HookResource<T> {
      return guardedResource<T>(client.resource(gvr, scope), gvr, scope.namespace, options);
    },
  };
}

function guardedResource<T extends object>(
  resource: UnguardedResource,
  gvr: GroupVersionResource,
  namespace: string | undefined,
  options: GuardOptions,
): HookResource<T> {
  const { redact = (object) => object } = options;
  // the type of an answer is not checked: it is what the hook declares
  const shown = async (answer: Promise<object>) => redact(await answer, gvr) as never;
  const checked = (name: unknown) => checkName(name, formatGroupResource(gvr));
  const write = async <O extends ActionWriteOptions>(verb: string, body: unknown, given: O): Promise<O> => {
    if (given !== undefined) checkIsOptions(verb, given);
    checkSecretBody(body, gvr, options);
    return permitted(verb, gvr, { fieldManager: FIELD_MANAGER, ...given }, options);
  };
  const written = async <A>(write: Written, send: () => Promise<A>): Promise<A> => {
    const before = await stateBefore(resource, write, options);
    const answer = await send();
    if (options.mode === 'dry-run') reportDryRun(write, { gvr, namespace, before, answer }, options);
    return answer;
  };
  return {
    get: async (name, given) => {
      checked(name);
      return shown(resource.get(name, given));
    },
    async list(given, call) {
      const page = await resource.list(given, call);
      return { ...page, items: page.items.map((item) => redact(item, gvr) as T) };
    },
    create: async (object: object, given: ActionWriteOptions = {}) => {
      const call = await write('create', object, given);
      const { name = '' } = (object as Partial<UnknownObject>).metadata ?? {};
      return shown(written({ verb: 'create', name, body: object, call }, () => resource.create(object, call)));
    },
    update: async (object: object, given: ActionWriteOptions = {}) => {
      const name = (object as Partial<UnknownObject> | undefined)?.metadata?.name;
      checked(name);
      const call = await write('update', object, given);
      return shown(
        written({ verb: 'update', name: name as string, body: object, call }, () => resource.update(object, call)),
      );
    },
    patch: async (name: string, body: unknown, given: ActionPatchOptions) => {
      checked(name);
      const call = await write('patch', body, given);
      return shown(written({ verb: 'patch', name, body, call }, () => resource.patch(name, body, call)));
    },
    delete: async (name, given = {}) => {
      checked(name);
      const call = await permitted('delete', gvr, given, options);
      return written({ verb: 'delete', name, body: {}, call }, () => resource.delete(name, call));
    },
  };
}

interface Written {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** '' if the server makes the name. */
  readonly name: string;
  readonly body: unknown;
  readonly call: ActionWriteOptions;
}

/** The object before a dry run; undefined if there is none, if it may not be read, or if nothing is reported. */
async function stateBefore(
  resource: UnguardedResource,
  { verb, name, call: { signal } }: Written,
  { mode, report }: GuardOptions,
): Promise<UnknownObject | undefined> {
  if (mode !== 'dry-run' || !report || verb === 'create') return undefined;
  return (await resource.get(name, { signal }).catch(() => undefined)) as UnknownObject | undefined;
}

function reportDryRun(
  { verb, name, body }: Written,
  {
    gvr,
    namespace,
    before,
    answer,
  }: { gvr: GroupVersionResource; namespace: string | undefined; before: UnknownObject | undefined; answer: unknown },
  { report, runKey, redact = (object) => object, redactReport = redact }: GuardOptions,
): void {
  const after = verb === 'delete' ? undefined : (answer as UnknownObject);
  const states = [before, after].filter((state) => state !== undefined);
  report?.([
    {
      mode: 'dry-run',
      verb,
      subject: runKey?.() ?? name,
      target: { type: { gvr, kind: after?.kind ?? '', namespaced: namespace !== undefined }, namespace, name },
      body: Array.isArray(body) ? {} : redactReport(body as object, gvr),
      before: before && redactReport(before, gvr, states),
      after: after && redactReport(after, gvr, states),
    },
  ]);
}

/** The options of a write, as the mode allows it. Waits for the budget. Throws `hook` if the hook may not write. */
async function permitted<O extends ActionWriteOptions>(
  verb: string,
  gvr: GroupVersionResource,
  given: O,
  { mode, budget = unlimitedWrites, runKey }: GuardOptions,
): Promise<O> {
  if (mode === 'describe') {
    throw new InformerError('hook', `the hook may not write (${verb} ${formatGvr(gvr)})`, {
      hint: 'allow it with --allow-write, or try it with --dry-run',
    });
  }
  if (mode === 'dry-run') return { ...given, dryRun: true };
  if (!given.dryRun) await budget.take(given.signal ?? NEVER, runKey?.());
  return given;
}

const NEVER = new AbortController().signal;
