/**
 * The messages between the page and its server. The page sends JSON bodies; the server answers with JSON, and streams
 * messages as server-sent events whose data is JSON. All times are wall-clock ms since 1970.
 */

/** The rows that a page wants to see. All parts must hold. */
export interface UiQuery {
  /** The id of a cached type: `v1/pods`. */
  readonly type: string;
  /** Only this namespace; absent or '': all. */
  readonly namespace?: string | undefined;
  /** Words; each must be in `namespace/name`. Case does not matter. */
  readonly name?: string | undefined;
  /** A label selector, as for `-l`. */
  readonly selector?: string | undefined;
  /** CEL over the printed columns, as for `--where`. */
  readonly where?: string | undefined;
  /** CEL over the object, as for `--filter`. */
  readonly filter?: string | undefined;
  /** Only objects with this value in an index. */
  readonly index?: { readonly name: string; readonly value: string } | undefined;
}

/** One object. */
export interface UiSubject {
  readonly type: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
}

/** The view of an open page. It replaces the view before. */
export interface UiView {
  /** From the `hello` of the page's stream. */
  readonly session: string;
  /** Counted by the page. Messages that belong to a view have its number, so that late ones can be recognised. */
  readonly number: number;
  /** Absent: the rows stay as they are. Null: no rows. */
  readonly question?: UiQuery | null | undefined;
  /** Absent: the object stays as it is. Null: no object. */
  readonly subject?: UiSubject | null | undefined;
  /** The moment of the recording that rows and object are of. Absent: now. */
  readonly at?: number | undefined;
}

/** The objects whose history a page draws out of the recording. */
export interface UiPastQuery {
  /** The id of a recorded type. */
  readonly type: string;
  readonly namespace?: string | undefined;
  /** Absent: all objects of the type. Else this one, and all that it owns. */
  readonly name?: string | undefined;
}

/** Why a request was refused. */
export interface UiRefusal {
  readonly error: string;
  readonly hint?: string | undefined;
  /** The box whose text is wrong. */
  readonly field?: 'where' | 'filter' | 'selector' | 'index' | undefined;
  /** Where in that text, counted from 0. */
  readonly position?: number | undefined;
}

export interface UiColumn {
  readonly heading: string;
  /** Shown only if wide columns are. */
  readonly isWide: boolean;
  /** The page computes the cell from the time of creation. */
  readonly isAge: boolean;
}

/**
 * A row: the key of its object, its cells, one letter of state for each cell (` ` none, `g` good, `w` waiting, `b` bad,
 * `e` ending, `d` done), and the time of creation (null: unknown).
 */
export type UiRow = readonly [key: string, cells: readonly string[], states: string, created: number | null];

export interface UiValues {
  readonly values: readonly (readonly [value: string, count: number])[];
  /** How many different values there are; `values` may be the most frequent of them only. */
  readonly distinct: number;
  /** How many objects were looked at, and how many of them have no value. */
  readonly objects: number;
  readonly without: number;
  /** The values are digests of secret values, and cannot be searched for. */
  readonly isRedacted: boolean;
}

/** A cached type, now. */
export interface UiTypeState {
  readonly id: string;
  /** `pods`, `deployments.apps`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly objects: number;
  /** The resource version of the cache: it differs after every change. */
  readonly version: string;
  readonly hasSynced: boolean;
  readonly connection: 'connecting' | 'connected' | 'disconnected';
  readonly connectionSince: number;
  /** Why it is not connected. */
  readonly why?: string | undefined;
  /** When the server last gave a sign of life; of several sources the oldest one. */
  readonly lastSign?: number | undefined;
  readonly relists: number;
  readonly gaps: number;
  /** Changes may be missing now: a gap has not been closed by a new list. */
  readonly isGap: boolean;
}

/** A part of a time line. `to` is absent while it lasts. */
export interface UiSpan {
  readonly state: 'connecting' | 'connected' | 'outage' | 'gap';
  readonly from: number;
  readonly to?: number | undefined;
  readonly why?: string | undefined;
}

/** One moment of a time line. */
export interface UiMark {
  readonly at: number;
  readonly kind: 'synced' | 'relisted' | 'gap' | 'resumed' | 'outage' | 'connected' | 'waiting' | 'fault';
  readonly text: string;
}

/** The time line of one source: a type, in one namespace or in all. */
export interface UiLane {
  readonly type: string;
  readonly scope?: string | undefined;
  readonly spans: readonly UiSpan[];
  readonly marks: readonly UiMark[];
}

/** One changed field, as short texts; absent: there was, or is, no value. */
export interface UiFieldChange {
  readonly path: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The field manager that wrote it; absent: unknown. */
  readonly by?: string | undefined;
}

/** One change of an object. */
export interface UiChange {
  readonly at: number;
  readonly what: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly cause: string;
  readonly fields: readonly UiFieldChange[];
  /** Fields that changed beyond those in `fields`. */
  readonly more: number;
  /** Who created an added object. */
  readonly by?: string | undefined;
}

/** An owner of an object, from the one that the object names up to the root. */
export interface UiOwner {
  readonly kind: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** The id of the cached type that has the owner. Absent: the serve does not cache its type, or does not have it. */
  readonly type?: string | undefined;
  /** Its type is cached, and this owner is not in the cache: it was deleted, or it is another object now. */
  readonly isGone: boolean;
}

/** An Event about an object. */
export interface UiEvent {
  /** When it happened last; null: the Event does not say. */
  readonly at: number | null;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** The component that reported it. */
  readonly from: string;
}

/** The messages of a page's stream, by the name of their event. */
export interface UiMessages {
  hello: {
    session: string;
    program: string;
    server: string;
    startedAt: number;
    indexes: readonly string[];
    now: number;
  };
  state: { now: number; types: readonly UiTypeState[] };
  /** The lanes that changed since the last one. */
  timeline: { now: number; since: number; lanes: readonly UiLane[] };
  columns: { view: number; columns: readonly UiColumn[] };
  rows: { view: number; set: readonly UiRow[]; gone: readonly string[] };
  /** How many of `of` objects have been looked at for this view. Sent until the tally says `isWhole`. */
  progress: { view: number; looked: number; of: number };
  /** `isWhole`: every row that matches has been sent. `remark`: what is wrong with the evaluation. */
  tally: {
    view: number;
    total: number;
    isWhole: boolean;
    namespaces: readonly (readonly [string, number])[];
    remark?: string;
  };
  object: {
    view: number;
    key: string;
    /** Absent: the cache does not have the object. */
    yaml?: string;
    /** How many characters were left out at the end. */
    cut: number;
    owners: readonly UiOwner[];
    /** The newest first. Absent: the serve caches no Events. */
    events?: readonly UiEvent[];
    changes: readonly UiChange[];
    /** The changes are complete since then. */
    since: number;
  };
}

export type UiMessage = {
  [K in keyof UiMessages]: { readonly event: K; readonly data: UiMessages[K] };
}[keyof UiMessages];
