import type { AsyncLocalStorage } from 'node:async_hooks';
import { builtin } from '../kit/builtin.ts';
import type { GroupVersionResource } from './gvr.ts';
import { joinKey, type ObjectKey } from './key.ts';
import type { ManagedFieldsEntry, ObjectMeta, ReadonlyObject, UnknownObject } from './object.ts';

/** A write that the server stored, as its answer describes it. */
export interface StoredWrite {
  /** The server, as `ServedTypes.server` is; undefined if it is not known. */
  readonly server: unknown;
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  /** The version of the object after the write; undefined if it is gone. */
  readonly resourceVersion: string | undefined;
  /** The object after the write, or before its deletion; undefined if the answer has none. */
  readonly object: ReadonlyObject | undefined;
  /** Whether the object is gone. */
  readonly isGone: boolean;
  /**
   * Whether this write made the version. A write that changes nothing has the version that another writer may have
   * made. Undefined if the answer does not say it.
   */
  readonly isOwnVersion: boolean | undefined;
}

/** The request of a write. */
export interface WriteRequest {
  readonly server: unknown;
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  readonly method: string;
  readonly name: string | undefined;
  readonly fieldManager: string | undefined;
  /** The version that the server was asked to replace. */
  readonly replaced: string | undefined;
}

interface Answer {
  readonly kind?: unknown;
  readonly metadata?: Partial<ObjectMeta> | undefined;
  readonly details?: { readonly name?: string; readonly uid?: string } | undefined;
  readonly items?: readonly Answer[] | undefined;
  readonly [field: string]: unknown;
}

/** A write that the server may have stored, although no answer says so: the connection broke, or the server failed. */
export interface LostWrite extends Pick<WriteRequest, 'server' | 'gvr' | 'namespace'> {
  /**
   * Reads the object as the server has it now, in the form of an answer; undefined if the write names none. Rejects if
   * the server cannot be asked.
   */
  readonly read: ((signal: AbortSignal) => Promise<readonly StoredWrite[]>) | undefined;
}

/** Gets what became of one write. */
export interface WriteOutcome {
  /** Called with each object that the server has stored, as the answer says. */
  stored(write: StoredWrite): void;
  lost?(write: LostWrite): void;
}

/** Called with a write before it is sent. */
export type OnWrite = (request: WriteRequest) => WriteOutcome;

let observed: AsyncLocalStorage<OnWrite> | undefined;

/** Calls `work`. `onWrite` is called with every write of a client that `work` begins, also later. */
export function observingWrites<R>(onWrite: OnWrite, work: () => R): R {
  observed ??= new (builtin.asyncHooks().AsyncLocalStorage)<OnWrite>();
  return observed.run(onWrite, work);
}

/** A write that someone observes. */
export interface NotedWrite {
  answered(answer: unknown): void;
  /** Notes that no answer says what became of it. `get` reads the object of the write; undefined if it names none. */
  lost(get: ((signal: AbortSignal) => Promise<unknown>) | undefined): void;
}

/** Notes that a write is about to be sent. Undefined if no one observes it. */
export function noteWrite(request: WriteRequest): NotedWrite | undefined {
  const outcome = observed?.getStore()?.(request);
  if (!outcome) return undefined;
  const { server, gvr, namespace } = request;
  return {
    answered: (answer) => {
      for (const write of storedWrites(request, answer as Answer)) outcome.stored(write);
    },
    lost: (get) => {
      const read = get && ((signal: AbortSignal) => get(signal).then((object) => readWrites(request, object)));
      outcome.lost?.({ server, gvr, namespace, read });
    },
  };
}

/** The write as a read shows it: an object at a version that may be another writer's, or that there is none. */
function readWrites(request: WriteRequest, object: unknown): StoredWrite[] {
  const answer = object === undefined ? { kind: 'Status' } : (object as Answer);
  const method = object === undefined ? 'DELETE' : 'GET';
  return storedWrites({ ...request, method, replaced: undefined, fieldManager: undefined }, answer);
}

function storedWrites(request: WriteRequest, answer: Answer): StoredWrite[] {
  if (Array.isArray(answer.items)) return answer.items.flatMap((item) => storedWrites(request, item));
  const { kind, metadata = {}, details } = answer;
  const { server, gvr, method } = request;
  const name = metadata.name ?? details?.name ?? request.name;
  const namespace = metadata.namespace ?? request.namespace;
  const { uid = details?.uid, resourceVersion } = metadata;
  const isGone = (method === 'DELETE' && kind === 'Status') || isRemoved(metadata, method);
  if (name === undefined || (!isGone && resourceVersion === undefined)) return [];
  return [
    {
      server,
      gvr,
      namespace,
      key: joinKey(namespace, name),
      uid,
      resourceVersion: isGone ? undefined : resourceVersion,
      object: answer.metadata && (answer as UnknownObject),
      isGone,
      isOwnVersion: isGone ? undefined : isOwnVersion(request, metadata),
    },
  ];
}

/** A server removes an object at once that is deleted and that nothing keeps, and answers its last state. */
function isRemoved({ deletionTimestamp, deletionGracePeriodSeconds, finalizers }: Partial<ObjectMeta>, method: string) {
  if (deletionTimestamp === undefined) return method === 'DELETE';
  return (deletionGracePeriodSeconds ?? 0) === 0 && (finalizers?.length ?? 0) === 0;
}

function isOwnVersion({ method, replaced, fieldManager }: WriteRequest, metadata: Partial<ObjectMeta>) {
  if (method === 'POST') return true;
  if (replaced !== undefined) return metadata.resourceVersion !== replaced;
  return fieldManager === undefined ? undefined : isLatest(fieldManager, metadata.managedFields);
}

/**
 * Whether a field manager made the latest change. Its time has seconds only, so that another manager's change in the
 * same second leaves it open. A server without managed fields says nothing.
 */
function isLatest(manager: string, entries: readonly ManagedFieldsEntry[] = []): boolean | undefined {
  if (entries.length === 0) return undefined;
  const latest = entries
    .map(({ time = '' }) => time)
    .sort()
    .at(-1);
  return entries.filter(({ time = '' }) => time === latest).every((entry) => entry.manager === manager);
}
