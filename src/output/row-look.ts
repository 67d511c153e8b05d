import { sameValue } from '../kit/same-value.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { sameRows } from '../stream/changes/noise.ts';
import type { CompiledOutput } from './compiled-output.ts';
import type { PrintedObject } from './printer.ts';

/** Whether two states of an object are printed in the same way. */
type SameLook = (before: PrintedObject, after: PrintedObject) => boolean;

interface PrintedRows {
  readonly output: CompiledOutput;
  readonly noHeaders: boolean;
  /** The labels that a table shows. */
  readonly labels: 'all' | readonly string[];
}

/**
 * How the states of a row are compared in a format. In a table ages do not count, which grow by themselves; a name never
 * changes; whole objects differ when their versions do; what an expression prints is compared as text. `shown` is the
 * object as it is printed.
 */
export function sameLookIn(
  { output, noHeaders, labels }: PrintedRows,
  shown: (item: PrintedObject) => PrintedObject,
  clock: { now(): number },
): SameLook {
  const { traits } = output.format;
  if (traits.columns !== 'none') {
    const same = sameRows({ wide: traits.columns === 'wide', labels });
    return (before, after) => same(before.object, after.object);
  }
  if (!traits.needsObject) return () => true;
  if (traits.records) return (before, after) => isSameState(before.object, after.object);
  const text = (item: PrintedObject) => {
    // widths of other rows are no part of what is compared
    const printer = output.createPrinter({ clock, single: false, noHeaders });
    return [...printer.objects([shown(item)])].join('');
  };
  return (before, after) => isSameState(before.object, after.object) || text(before) === text(after);
}

/**
 * A server whose history was replaced may use a version a second time, for another state. So equal versions are no
 * proof; they are of different objects only after a relist.
 */
function isSameState(before: ReadonlyObject, after: ReadonlyObject): boolean {
  return versionOf(before) === versionOf(after) && sameValue(before, after);
}

const versionOf = ({ metadata: { uid, resourceVersion } }: ReadonlyObject) => `${uid ?? ''} ${resourceVersion ?? ''}`;
