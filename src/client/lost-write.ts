import { isInformerError } from '../kit/error.ts';
import { isNeverConnected } from '../model/connection-error.ts';
import { statusOf } from '../model/status.ts';

/** Whether an answer has nothing of the object that the write has changed: an eviction, a binding. */
export function isOnlyStatus(method: string, { kind }: { readonly kind?: unknown }): boolean {
  return method === 'POST' && kind === 'Status';
}

/** Whether the server may have stored a write that failed so. */
export function mayBeStored(error: unknown): boolean {
  const code = statusOf(error)?.code;
  if (code !== undefined) return code >= 500;
  return !isInformerError(error, 'leadership') && !isNeverConnected(error);
}
