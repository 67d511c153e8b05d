const leading = new WeakSet<AbortSignal>();

/** Notes that the work with this signal is that of a leader, which another process may have done before. */
export function markLeading(signal: AbortSignal): AbortSignal {
  leading.add(signal);
  return signal;
}

/** Whether the work with this signal is that of a leader. A signal that was made from the leader's is another one. */
export const isLeadingWork = (signal: AbortSignal): boolean => leading.has(signal);
