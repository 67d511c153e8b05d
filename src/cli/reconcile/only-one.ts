import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError } from '../../kit/error.ts';

/** `reconcile` is about one type; others come in through --owns and --watches. */
export function onlyOne(selections: readonly ResourceSelection[]): ResourceSelection {
  const [one, ...more] = selections;
  if (one && more.length === 0) return one;
  throw new InformerError('argument', `one type is reconciled at a time, not ${selections.length}`, {
    hint: 'run one command a type, or name further types with --owns or --watches',
  });
}
