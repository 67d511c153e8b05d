/**
 * The measurements of an informer, for an exporter. The informer calls a method once for each list, stream or batch,
 * never for each event. The methods must not throw. The names in brackets are client-go's Prometheus metrics.
 */
export interface InformerMetrics {
  /**
   * A LIST or streaming list was completed [reflector_lists_total, reflector_list_duration_seconds,
   * reflector_items_per_list].
   */
  listed?(durationMs: number, objects: number): void;
  /**
   * A stream ended [reflector_watches_total, reflector_watch_duration_seconds, reflector_items_per_watch,
   * reflector_short_watches_total].
   */
  watched?(durationMs: number, events: number, isShort: boolean): void;
  /** The number of deltas in the queue, after a push or a pop. */
  queued?(depth: number): void;
  /** A batch of deltas was applied to the store. */
  applied?(durationMs: number, deltas: number): void;
  /** A handler threw or rejected. */
  handlerFailed?(): void;
  /**
   * The cache did not store this number of changes, or not under every index, because a transform or an index function
   * threw.
   */
  storeFailed?(changes: number): void;
}
