import type { UnknownObject } from '../../model/object.ts';
import { statusOf } from '../../model/status.ts';
import { hasConsistentUnpagedList, type ListerWatcher } from './lister-watcher.ts';

interface OwnSelectors {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

/**
 * A source that may be asked for less than the user's own selectors give. A server that cannot select by the rest
 * answers 400, as an aggregated API may. Then it is asked by the user's own selectors alone, and `onRefused` is called.
 */
export function pushedDownSource(
  source: ListerWatcher<UnknownObject>,
  { labelSelector, fieldSelector }: OwnSelectors,
  onRefused: () => void,
): ListerWatcher<UnknownObject> {
  const { probe } = source;
  return {
    givesJson: source.givesJson,
    ...(probe ? { probe: (options, context) => probe.call(source, options, context) } : {}),
    watch: (options, context) => source.watch(options, context),
    async list(options, context) {
      try {
        return await source.list(options, context);
      } catch (error) {
        const isPushedDown = options.labelSelector !== labelSelector || options.fieldSelector !== fieldSelector;
        if (statusOf(error)?.code !== 400 || !isPushedDown) throw error;
        const answer = await source.list({ ...options, labelSelector, fieldSelector }, context);
        onRefused();
        return answer;
      }
    },
    consistentUnpagedList: (context) => hasConsistentUnpagedList(source, context),
  };
}
