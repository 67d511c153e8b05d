import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { FieldReads } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { CompiledOutput } from '../../output/compiled-output.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { LiveTable } from '../../output/live/live-table.ts';
import type { Printer } from '../../output/printer.ts';
import type { CollectionPart } from '../../query/answer/collection-part.ts';
import type { WatchFlags } from '../args/watch-flags.ts';
import type { InformerPlan, WatchTarget } from '../session/informers.ts';
import type { StreamFilters } from '../session/stream-filters.ts';
import type { Waits } from './wait-flags.ts';

/** A `watch` with everything read, resolved and checked. */
export interface WatchPlan extends Omit<InformerPlan, 'onContinuity' | 'part'> {
  readonly flags: WatchFlags;
  readonly part: CollectionPart | undefined;
  readonly selections: readonly ResourceSelection[];
  /** The errors of types that this part of several does not have. */
  readonly unserved?: readonly unknown[] | undefined;
  readonly format: OutputFormat;
  readonly printer: Printer;
  readonly output: CompiledOutput;
  /** Redraws in place instead of printing line by line. */
  readonly live: LiveTable | undefined;
  readonly rules: StreamFilters['rules'];
  readonly judging: Pick<StreamFilters, 'filters' | 'wheres'>;
  /** The fields that expressions and paths of the command line look at. */
  readonly reads: readonly FieldReads[];
  /** The conditions that `--for` names. */
  readonly conditionsNamed: readonly string[];
  readonly waits: Waits;
  readonly sortInitial: ((a: ReadonlyObject, b: ReadonlyObject) => number) | undefined;
  readonly once: boolean;
  /** Names that are not there are no error. */
  readonly ignoreNotFound: boolean;
  readonly withOld: boolean;
  readonly showManagedFields: boolean;
  /** Rows have the labels of their object. */
  readonly showsLabels: boolean;
}

/**
 * Whether the stream is useful without the part that may not be read: not when it waits for all objects, or must be
 * complete.
 */
export const goesOnWithout = ({ once, waits, flags }: WatchPlan) => !once && !waits.rules && !flags.strict;

/** The objects that exist whose changes may be shown, where no filter says more. */
export function* mayBeShown({ rules }: WatchPlan, { informer, names }: WatchTarget): Generator<ReadonlyObject> {
  if ((rules.conditions ?? []).length > 0 || rules.name || rules.excludeName) return;
  for (const object of informer.lister.values()) if (names?.has(object.metadata.name ?? '') ?? true) yield object;
}
