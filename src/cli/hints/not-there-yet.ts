import { formatGroupResource } from '../../model/gvr.ts';
import { missingOf, type Named } from '../session/missing-names.ts';

export interface NameFacts {
  readonly plan: {
    readonly ignoreNotFound: boolean;
    readonly selector: string | undefined;
    readonly fieldSelector: string | undefined;
  };
  readonly targets: readonly Named[];
  /** The missing names are said elsewhere: by the error of a command that answers once, or the progress of a wait. */
  readonly areNamesReported: boolean;
}

/**
 * Names each object that was asked for by name and is not there, where it is shown as soon as it is. Beside selectors
 * it may just not match them.
 */
export async function notThereYet({ plan, targets, areNamesReported }: NameFacts): Promise<string[]> {
  if (areNamesReported || plan.ignoreNotFound || plan.selector || plan.fieldSelector) return [];
  return targets
    .flatMap(missingOf)
    .map(
      ({ type, name }) =>
        `${formatGroupResource(type.gvr)} ${JSON.stringify(name)} is not there yet: it is shown when it comes`,
    );
}
