import type { GroupVersionResource } from '../../model/gvr.ts';

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
}

/** Called after each write that the server stored. Dry runs are not stored. */
export type OnWrite = (write: StoredWrite) => void;

interface Answer {
  readonly kind?: unknown;
  readonly metadata?: { namespace?: string; name?: string; uid?: string; resourceVersion?: string };
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
): StoredWrite {
  const { kind, metadata = {}, details } = (answer ?? {}) as Answer;
  if (kind === 'Status') return { gvr, namespace, name, uid: details?.uid };
  const { uid, resourceVersion } = metadata;
  return { gvr, namespace: metadata.namespace ?? namespace, name: metadata.name ?? name, uid, resourceVersion };
}
