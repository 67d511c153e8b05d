import { isJsonMap } from '../kit/exact-json.ts';
import type { ReadonlyObject } from '../model/object.ts';

/** The last write of a field manager, as managedFields have it. */
export interface ManagerWrite {
  /** RFC 3339; '' if it is not known. */
  readonly time: string;
  readonly who: string;
  readonly isApply: boolean;
  readonly subresource: string;
  /** The fields, by their first two levels. */
  readonly paths: readonly string[];
}

/** The last write of each field manager of an object. */
export function lastWrites({ metadata }: ReadonlyObject): ManagerWrite[] {
  return (metadata.managedFields ?? []).map(
    ({ manager = 'unknown', operation, subresource = '', time = '', fieldsV1 }) => ({
      time,
      who: manager,
      isApply: operation === 'Apply',
      subresource,
      paths: pathsOf(fieldsV1),
    }),
  );
}

/** The most fields that are named. */
const MOST_PATHS = 4;

function pathsOf(fields: unknown): string[] {
  if (!isJsonMap(fields)) return [];
  const paths = Object.entries(fields).flatMap(([name, inner]) => {
    const names = isJsonMap(inner) ? Object.keys(inner).filter((each) => each.startsWith('f:')) : [];
    const first = `.${name.replace(/^f:/, '')}`;
    return names.length === 0 ? [first] : names.map((each) => `${first}.${each.slice(2)}`);
  });
  return paths.length > MOST_PATHS ? [...paths.slice(0, MOST_PATHS), `${paths.length - MOST_PATHS} more`] : paths;
}
