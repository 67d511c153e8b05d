import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';

export interface SnapshotFacts {
  /** The snapshots of `--with` that have no object at all. */
  readonly empty: readonly {
    /** The name that `--with` gives it. */
    readonly name: string;
    readonly selector: string | undefined;
    readonly selection: { readonly type: ResourceType; readonly names: readonly string[] };
  }[];
}

/** Names the snapshots without objects. */
export async function emptySnapshots({ empty }: SnapshotFacts): Promise<string[]> {
  return empty.map(({ name, selector, selection: { type, names } }) => {
    const which =
      selector !== undefined ? ` that ${selector} selects` : names.length > 0 ? ` named ${names.join(', ')}` : '';
    return `--with ${name}: there are no ${formatGroupResource(type.gvr)}${which}`;
  });
}
