import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { Shard } from '../../model/shard.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { shardText } from '../session/shard-choice.ts';
import { countText, filled } from './count-text.ts';

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

/** Says that there are objects, and that nothing of them was asked for. */
export const noneMatches = (samples: readonly Sample[]): string => `none of ${countText(filled(samples))} matches`;
