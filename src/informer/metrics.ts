/**
 * What an informer counts, for whoever exports it. Every method is called on the hot path's edges (per list, stream and batch, never per
 * event) and must not throw. The names in brackets are client-go's Prometheus metrics.
 */
export interface InformerMetrics {
  /** A LIST or streaming list came to its end [reflector_lists_total, reflector_list_duration_seconds, reflector_items_per_list]. */
  listed?(durationMs: number, objects: number): void;
  /** A stream ended [reflector_watches_total, reflector_watch_duration_seconds, reflector_items_per_watch, reflector_short_watches_total]. */
  watched?(durationMs: number, events: number, isShort: boolean): void;
  /** Deltas waiting in the queue, after a push or a pop. */
  queued?(depth: number): void;
  /** A batch of deltas was applied to the store. */
  applied?(durationMs: number, deltas: number): void;
  /** A user's handler threw or rejected. */
  handlerFailed?(): void;
  /** So many changes did not get into the cache, or not under every index, because a transform or an index function threw. */
  storeFailed?(changes: number): void;
}
