import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Shard } from '../../model/shard.ts';
import { whyUnprintable } from '../../stream/shown-object.ts';
import { shardText } from './shard-choice.ts';

/** The notice of an object that no format can print, named as in the output. */
export const unprintableNotice = (name: string, shown: ReadonlyObject) =>
  `${name} cannot be printed: ${whyUnprintable(shown)}`;

/** kubectl's words for an empty answer. */
export function nothingFound({
  namespaces,
  selections,
  shard,
}: {
  namespaces: readonly string[];
  selections: readonly ResourceSelection[];
  shard?: Shard | undefined;
}): string {
  const isScoped = selections.some(({ type }) => type.namespaced) && !namespaces.includes('');
  const part = shard ? ` (${shardText(shard)})` : '';
  return isScoped
    ? `No resources found in ${namespaces.join(', ')} namespace${namespaces.length > 1 ? 's' : ''}${part}.`
    : `No resources found${part}`;
}
