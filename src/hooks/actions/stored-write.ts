import type { GroupVersionResource } from '../../model/gvr.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../../model/object.ts';
import { FIELD_MANAGER } from './action-client.ts';

/** A write of the program that the server stored. */
export interface StoredWrite {
  readonly gvr: GroupVersionResource;
  /** Undefined for cluster-scoped types. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
  /**
   * The version of the object after the write. Undefined after a deletion that left nothing. A write that changes
   * nothing has the version that the object had before, which another writer may have made.
   */
  readonly resourceVersion?: string | undefined;
  /**
   * Whether this write made the version: the write changed something. Known from the times that the server keeps for
   * each field manager; false if they are not clear.
   */
  readonly isOwnVersion: boolean;
}

/** Called after each write that the server stored. Dry runs are not stored. */
export type OnWrite = (write: StoredWrite) => void;

interface Answer {
  readonly kind?: unknown;
  readonly metadata?: Partial<ObjectMeta>;
  readonly details?: { uid?: string };
}

/**
 * The stored write that the server's answer describes. The answer is the object, or the Status of a deletion, which has
 * only the uid.
 */
export function storedWrite(
  gvr: GroupVersionResource,
  { namespace, name }: { namespace: string | undefined; name: string },
  answer: unknown,
  manager: string = FIELD_MANAGER,
): StoredWrite {
  const { kind, metadata = {}, details } = (answer ?? {}) as Answer;
  if (kind === 'Status') return { gvr, namespace, name, uid: details?.uid, isOwnVersion: false };
  const { uid, resourceVersion } = metadata;
  return {
    gvr,
    namespace: metadata.namespace ?? namespace,
    name: metadata.name ?? name,
    uid,
    resourceVersion,
    isOwnVersion: resourceVersion !== undefined && isLatest(manager, metadata.managedFields),
  };
}

/**
 * Whether a field manager made the latest change. Its time has seconds only, so that another manager's change in the
 * same second leaves it open. A server without managed fields says nothing.
 */
function isLatest(manager: string, entries: readonly ManagedFieldsEntry[] = []): boolean {
  const latest = entries
    .map(({ time = '' }) => time)
    .sort()
    .at(-1);
  const writers = entries.filter(({ time = '' }) => time === latest);
  return entries.length === 0 || writers.every((entry) => entry.manager === manager);
}
