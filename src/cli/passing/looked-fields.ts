import type { CelProgram } from '../../expr/cel/cel.ts';
import { loadCel } from '../../expr/cel/load-cel.ts';
import { fieldsSeenBy } from '../../expr/jsonpath/fields-seen.ts';
import type { Address } from '../../model/field-path.ts';
import { type FieldTree, fieldTreeOf } from '../../model/field-tree.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { OutputFormat } from '../../output/formats.ts';
import { splitColumns } from '../../output/tables/column-spec.ts';

/** The parts of a command that look at each object that it prints or counts. */
export interface Looks {
  readonly type: Pick<ResourceType, 'gvr'>;
  /** Undefined: no object is printed. */
  readonly format: OutputFormat | undefined;
  readonly filters: readonly CelProgram[];
  readonly wheres: readonly CelProgram[];
  /** Rows have the labels of their object. */
  readonly showsLabels: boolean;
}

/** The fields by which an object is known, and those of the columns that are made here. */
const ALWAYS: readonly Address[] = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'].map((name) => [
  'metadata',
  name,
]);

/** The fields that are looked at; undefined for whole objects. */
export async function fieldsLookedAt(looks: Looks): Promise<FieldTree | undefined> {
  const { type, format, filters, wheres, showsLabels } = looks;
  if (isSecretResource(type.gvr)) return undefined; // the values of a Secret may be in any of its fields
  if (wheres.length > 0) return undefined; // the columns of a row are made of more than its cells
  const printed = format ? fieldsPrinted(format) : [];
  const seen = filters.length > 0 ? filters.map((await loadCel()).fieldsSeen) : [];
  const all = [printed, ...seen, ...(showsLabels ? [[['metadata', 'labels']]] : [])];
  return all.every((each) => each !== undefined) ? fieldTreeOf([...ALWAYS, ...all.flat()]) : undefined;
}

/** The fields that a format prints, beside those that every object is known by; undefined for whole objects. */
function fieldsPrinted({ traits, value }: OutputFormat): readonly Address[] | undefined {
  switch (traits.value) {
    case 'template':
      return fieldsSeenBy(value);
    case 'columns':
      return ofAll(splitColumns(value).map((column) => column.slice(column.indexOf(':') + 1)));
    case 'column-lines':
      return ofAll((value.split(/\r?\n/)[1] ?? '').split(/\s+/).filter((word) => word !== ''));
    default:
      return traits.needsObject ? undefined : [];
  }
}

function ofAll(paths: readonly string[]): readonly Address[] | undefined {
  const seen = paths.map(fieldsSeenBy);
  return seen.every((each) => each !== undefined) ? seen.flat() : undefined;
}
