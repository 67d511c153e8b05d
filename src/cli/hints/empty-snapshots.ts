import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';

export interface SnapshotFacts {
  readonly snapshots: readonly {
    /** The name that `--with` gives it. */
    readonly name: string;
    readonly selector: string | undefined;
    readonly selection: { readonly type: ResourceType; readonly names: readonly string[] };
    readonly isEmpty: boolean;
  }[];
}

/** Names the snapshots of `--with` that have no object at all. */
export async function emptySnapshots({ snapshots }: SnapshotFacts): Promise<string[]> {
  return snapshots
    .filter(({ isEmpty }) => isEmpty)
    .map(({ name, selector, selection: { type, names } }) => {
      const which =
        selector !== undefined ? ` that ${selector} selects` : names.length > 0 ? ` named ${names.join(', ')}` : '';
      return `--with ${name}: there are no ${formatGroupResource(type.gvr)}${which}`;
    });
}
