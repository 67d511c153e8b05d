import { formatGroupResource } from '../../model/gvr.ts';
import { missingOf } from '../session/missing-names.ts';
import type { Facts } from './hint.ts';

/**
 * Names each object that was asked for by name and is not there, where it is shown as soon as it is. Beside selectors
 * it may just not match them.
 */
export async function notThereYet({ plan, targets, areNamesReported }: Facts): Promise<string[]> {
  if (areNamesReported || plan.ignoreNotFound || plan.selector || plan.fieldSelector) return [];
  return targets
    .flatMap(missingOf)
    .map(
      ({ type, name }) =>
        `${formatGroupResource(type.gvr)} ${JSON.stringify(name)} is not there yet: it is shown when it comes`,
    );
}
