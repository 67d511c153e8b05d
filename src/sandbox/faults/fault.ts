/** A fault of one answer. `after` counts lines; a line of a watch is an event, a list is one line. */
export type Fault =
  /** The connection breaks after `after` lines, or after `bytes` bytes. */
  | { readonly kind: 'cut'; readonly after?: number; readonly bytes?: number }
  /** The connection stays open, and sends nothing after `after` lines. */
  | { readonly kind: 'stall'; readonly after?: number }
  /** Half of the line after `after` lines is sent, then the answer ends without an error. */
  | { readonly kind: 'truncate'; readonly after?: number }
  /** The answer is a 200 that ends after `after` lines without an error, also where a watch would go on. */
  | { readonly kind: 'empty'; readonly after?: number }
  /** 410: an ERROR event after `after` events of a watch, and the whole answer to other requests. */
  | { readonly kind: 'gone'; readonly after?: number }
  /**
   * The answer is a Status with this code, and nothing is written. 409 is the conflict of a write whose object was
   * changed by another client; it is injected into writes only.
   */
  | {
      readonly kind: 'status';
      readonly code: 401 | 403 | 409 | 429 | 500 | 503 | 504;
      readonly retryAfterSeconds?: number;
    }
  /** The answer comes `ms` later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Every line takes `ms`; with `bytes`, every piece of at most that size does. */
  | { readonly kind: 'slow'; readonly ms: number; readonly bytes?: number }
  /** All that the server sends comes `ms` later, in its order and at its rate, as from a cache that is behind. */
  | { readonly kind: 'lag'; readonly ms: number }
  /** The line after `after` lines is sent twice. */
  | { readonly kind: 'duplicate'; readonly after?: number }
  /** After `after` lines, the members of all JSON objects are in the opposite order, on which no client may depend. */
  | { readonly kind: 'reorder'; readonly after?: number }
  /** The connection is refused, and the request is not served. */
  | { readonly kind: 'refuse' };

/** A fault of the whole server, which a request sets off. The state of the server stays changed after the request. */
export type Incident =
  /**
   * The server restarts as by Sandbox.restart, or with `wiped` as by Sandbox.wipe. All connections break, this one
   * included.
   */
  | { readonly kind: 'restart'; readonly keepHistory?: boolean; readonly wiped?: boolean; readonly downMs?: number }
  /**
   * The clock of the server is `ms` ahead from now on, as by Sandbox.skewClock: in its Date header and in every time
   * that it writes.
   */
  | { readonly kind: 'skew'; readonly ms: number }
  /** The administrator's token expires as by Sandbox.expireToken: the answer is 401 until a new token is issued. */
  | { readonly kind: 'expire' };

/**
 * A fault drawn at random for a share of the matching requests. The same seed and the same requests give the same
 * faults.
 */
export interface RandomFaults {
  readonly kind: 'random';
  readonly seed: number;
  /** The share of requests that get a fault, 0 to 1. */
  readonly rate: number;
  /** The kinds to draw from. Default: RANDOM_KINDS. */
  readonly kinds?: readonly RandomKind[] | undefined;
}

/** The kinds of faults that are injected at random. */
export type RandomKind = (Fault | Incident)['kind'];

/** The requests that a fault applies to. A condition that is absent always holds. */
export interface FaultMatch {
  readonly method?: string | undefined;
  /** A text that the path with its query contains, or a pattern that it matches. */
  readonly path?: string | RegExp | undefined;
  /** True: only watches. False: only requests that are no watch. */
  readonly watch?: boolean | undefined;
}

/** A fault, and the requests that it is injected into. */
export interface FaultRule {
  readonly fault: Fault | Incident | RandomFaults;
  readonly match?: FaultMatch | undefined;
  /** How many matching requests get no fault before the first one does. Default: 0. */
  readonly skip?: number | undefined;
  /** How many requests get the fault after that; Infinity for all. Default: 1, for random faults Infinity. */
  readonly times?: number | undefined;
}

export function isIncident(fault: Fault | Incident): fault is Incident {
  return fault.kind === 'restart' || fault.kind === 'skew' || fault.kind === 'expire';
}
