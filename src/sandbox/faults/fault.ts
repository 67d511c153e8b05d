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
  /** Every line takes this long; with `bytes`, so many bytes at a time do. */
  | { readonly kind: 'slow'; readonly ms: number; readonly bytes?: number }
  /** A line comes twice. */
  | { readonly kind: 'duplicate'; readonly after?: number }
  /** From so many lines on, the members of all JSON objects come in the opposite order: what depends on their order was wrong. */
  | { readonly kind: 'reorder'; readonly after?: number }
  /** The connection is refused: the request never arrives. */
  | { readonly kind: 'refuse' };

/** Something that happens to the server as a whole when a request comes; it stays so until it is put right. */
export type Incident =
  /** The server restarts, as by Sandbox.restart, `wiped` as by Sandbox.wipe: this connection breaks with all the others. */
  | { readonly kind: 'restart'; readonly keepHistory?: boolean; readonly wiped?: boolean; readonly downMs?: number }
  /** From this request on the server's clock is off by so much, as by Sandbox.skewClock: its Date header, and every time it writes. */
  | { readonly kind: 'skew'; readonly ms: number }
  /** The token expires, as by Sandbox.expireToken: 401 until there is a new one. */
  | { readonly kind: 'expire' };

/** One of several faults, drawn for each matching request; most go unharmed. The same seed and requests give the same faults. */
export interface RandomFaults {
  readonly kind: 'random';
  readonly seed: number;
  /** The share of requests that are harmed, 0 to 1. */
  readonly rate: number;
  /** All that RANDOM_KINDS names unless said. */
  readonly kinds?: readonly RandomKind[] | undefined;
}

export type RandomKind = (Fault | Incident)['kind'];

/** Which requests a fault befalls. What is absent is not looked at. */
export interface FaultMatch {
  readonly method?: string | undefined;
  /** A part of the path with its query, or a pattern it fits. */
  readonly path?: string | RegExp | undefined;
  /** Only watches, or only what is not one. */
  readonly watch?: boolean | undefined;
}

export interface FaultRule {
  readonly fault: Fault | Incident | RandomFaults;
  readonly match?: FaultMatch | undefined;
  /** So many matching requests go through unharmed first. */
  readonly skip?: number | undefined;
  /** So many are harmed then; 1 unless said (of random faults all), Infinity for all. */
  readonly times?: number | undefined;
}

export function isIncident(fault: Fault | Incident): fault is Incident {
  return fault.kind === 'restart' || fault.kind === 'skew' || fault.kind === 'expire';
}
