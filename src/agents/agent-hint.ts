import { isInformerError, messageOf } from '../kit/error.ts';

/** Next steps that a command line takes, or none, and what an agent does instead. */
const STEPS: readonly (readonly [hintOrMessage: RegExp, step: string])[] = [
  [/^kubectl api-resources/, 'the tool types lists what the server has'],
  [/-o json/, 'the tool get shows the fields of one object'],
  [/^-A /, 'without namespace all are asked'],
  [/^only the API server selects/, 'filter and where choose by any field'],
];

/** The next step after an error, in the words of the tools; undefined if none is known. */
export function agentHint(error: unknown): string | undefined {
  const hint = isInformerError(error) ? error.hint : undefined;
  const step = STEPS.find(([pattern]) => pattern.test(hint ?? messageOf(error)));
  return step?.[1] ?? hint;
}
