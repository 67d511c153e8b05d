/** Something that goes wrong with one answer. Counts are of lines, which in a watch are events. */
export type Fault =
  /** The connection breaks after so many lines (and, for lists, bytes). */
  | { readonly kind: 'cut'; readonly after?: number; readonly bytes?: number }
  /** The connection stays open, but nothing comes any more. */
  | { readonly kind: 'stall'; readonly after?: number }
  /** Half of the next line comes, then the answer ends as if in good order. */
  | { readonly kind: 'truncate'; readonly after?: number }
  /** 410: as an ERROR event in a watch, as the whole answer otherwise. */
  | { readonly kind: 'gone'; readonly after?: number }
  /** A Status of this code instead of the answer. */
  | { readonly kind: 'status'; readonly code: 401 | 403 | 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** The answer is late by this much. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Every line takes this long. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** A line comes twice. */
  | { readonly kind: 'duplicate'; readonly after?: number }
  /** The connection is refused: the request never arrives. */
  | { readonly kind: 'refuse' };

/** Which requests a fault befalls. What is absent is not looked at. */
export interface FaultMatch {
  readonly method?: string | undefined;
  /** A part of the path with its query, or a pattern it fits. */
  readonly path?: string | RegExp | undefined;
  /** Only watches, or only what is not one. */
  readonly watch?: boolean | undefined;
}

export interface FaultRule {
  readonly fault: Fault;
  readonly match?: FaultMatch | undefined;
  /** So many matching requests go through unharmed first. */
  readonly skip?: number | undefined;
  /** So many are harmed then; 1 unless said, Infinity for all. */
  readonly times?: number | undefined;
}
