import { nearest } from '../../kit/nearest.ts';
import { fieldChanges } from '../../model/field-changes.ts';
import { momentText } from '../../record/moments.ts';
import type { RecordedStep } from '../../record/recorded-steps.ts';
import { compileScope } from '../../stream/changes/path-scope.ts';

/** The options of `history` that choose changes. */
export interface ChangeChoice {
  readonly path?: readonly string[] | undefined;
  readonly by?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The most fields or managers that a line names. */
const MOST_NAMES = 5;

/**
 * Says why the options of `history` choose none of an object's changes: the field or manager that a misspelt one may
 * mean, or those that there are, and the times of the changes. `changes` are all changes of the object.
 */
export function nothingShown(
  changes: readonly RecordedStep[],
  { path = [], by = [], since, until }: ChangeChoice,
): string {
  const fields = changes.flatMap(({ before, state }) => (before ? fieldChanges(before.object, state.object) : []));
  const unchanged = path.filter((each) => !fields.some(({ steps }) => compileScope([each])?.(steps)));
  const writers = changes.flatMap(({ revision }) => revision.who?.split(',') ?? []);
  const reasons = [
    ...unchanged.map((each) => `--path: none of them changes ${each}: ${instead(each, fields.map((field) => field.path))}`), // biome-ignore format: one line
    ...by.filter((each) => !writers.includes(each)).map((each) => `--by: none of them is by ${each}: ${instead(each, writers)}`), // biome-ignore format: one line
  ];
  const isOfTime = (since ?? until) !== undefined || reasons.length === 0;
  const none =
    changes.length === 1 ? 'its only change is not chosen' : `none of its ${changes.length} changes is chosen`;
  return [none, ...reasons, ...(isOfTime ? [timesText(changes)] : [])].join('; '); // biome-ignore format: one line
}

function instead(name: string, given: readonly string[]): string {
  const known = [...new Set(given)];
  const [near] = nearest(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  const more = known.length > MOST_NAMES ? `, ${known.length - MOST_NAMES} more` : '';
  return known.length === 0 ? 'there are none' : `there are ${known.slice(0, MOST_NAMES).join(', ')}${more}`;
}

/** Their times. `changes` has at least one. */
function timesText(changes: readonly RecordedStep[]): string {
  const times = changes.map(({ revision }) => revision.at);
  const [first, last] = [Math.min(...times), Math.max(...times)].map(momentText);
  return first === last ? `its time is ${first}` : `they are from ${first} to ${last}`;
}
