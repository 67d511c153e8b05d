import type { LookedAt } from '../../informer/compact/field-columns.ts';
import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { Clock } from '../../kit/clock.ts';
import type { TableColumn } from '../../model/cells.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import type { CompiledCondition } from '../../stream/conditions/condition.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import type { UiPastQuery } from './wire.ts';

/** A cached type that the page shows. */
export interface UiCache {
  /** `v1/pods`; unique among the caches. */
  readonly id: string;
  readonly type: ResourceType;
  /** Its objects should have their managedFields, or no change has its writer; and their table rows. */
  readonly informer: SharedInformer<UnknownObject>;
  /** The namespaces that are watched, in the order of the sources; absent: all, or none. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether a source may not be read, and so has no connection. `source` is its index in the informer's continuity. */
  isLeftOut?(source: number): boolean;
}

/** One printed column of a type. */
export interface UiPrintedColumn {
  readonly heading: string;
  readonly isWide: boolean;
  cell(object: ReadonlyObject, now: number): string;
  /** The letter of the state that the cell shows, as in `UiRow`. */
  state(cell: string): string;
}

/** How things are written. The page has no texts of its own for what commands print too. */
export interface UiTexts {
  /** All columns of a type, wide ones too. `server` are those of the server's table. */
  columns(type: ResourceType, server: readonly TableColumn[] | undefined): readonly UiPrintedColumn[];
  /** A redacted object as YAML. */
  yaml(object: ReadonlyObject): string;
  /** Two values of a changed field, each cut to `limit` around the first difference. */
  values(before: unknown, after: unknown, limit: number): readonly [string, string];
}

/** A type at a moment; with a namespace, only its objects there. */
export interface PastType {
  readonly id: string;
  readonly namespace?: string | undefined;
}

/** A recording of the program whose caches a page shows. */
export interface UiPast {
  /** The history of a type, or of one object and what it owns. Undefined: it is not in the recording. */
  timeline(
    of: UiPastQuery & { readonly until?: number | undefined },
    signal?: AbortSignal,
  ): Promise<Timeline | undefined>;
  /** The types that were recorded. */
  readonly types: readonly { readonly id: string; readonly namespaced: boolean }[];
  /** Caches with the objects of a moment; nothing is added to them. */
  at(moment: number, types: readonly PastType[]): Promise<readonly UiCache[]>;
}

/** Compiled expressions of the page. */
export interface UiConditions {
  readonly conditions: readonly CompiledCondition[];
  /** The parts of an object that they read; undefined if they may read any. */
  readonly looked?: LookedAt | undefined;
}

/** The program whose caches the page shows. */
export interface UiProgram {
  /** `kubectl-informer 1.2.3`. */
  readonly name: string;
  /** The cluster, as a person calls it. */
  readonly server: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly texts: UiTexts;
  /** The caches now. Types may be added while the program runs. */
  caches(): readonly UiCache[];
  /** Calls back after a type was added. */
  onCaches?(changed: () => void): Disposable;
  /** The recording that the program makes. */
  readonly past?: UiPast | undefined;
  /** The names of indexes that can be asked for. */
  indexNames(): readonly string[];
  /** The index of this name. Throws `argument` if there is none. */
  index(name: string): IndexDefinition;
  /**
   * Compiles the texts of `--where` and `--filter`. `columns` are those of the server for the type; undefined while
   * there is no object, and then no column is refused. Rejects with `argument`, whose message begins with the flag, for a text that is not valid.
   */
  compile(
    texts: { readonly where?: string | undefined; readonly filter?: string | undefined },
    columns: readonly TableColumn[] | undefined,
  ): Promise<UiConditions>;
}
