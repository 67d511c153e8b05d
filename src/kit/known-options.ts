import { InformerError } from './error.ts';
import { nearest } from './nearest.ts';

/** Each option's name, so that the compiler notices one that is missing: `satisfies Record<keyof Options, true>`. */
export type KnownOptions = Readonly<Record<string, true>>;

/** Throws `argument` for options that are no object, or hold a name that is none of those known: it would be passed over in silence. */
export function checkOptions(where: string, options: unknown, known: KnownOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new InformerError('argument', `${where} takes an object of options, not ${typeof options}`);
  const names = Object.keys(known);
  const stray = Object.keys(options).find(
    (name) => !Object.hasOwn(known, name) && (options as Record<string, unknown>)[name] !== undefined,
  );
  if (stray === undefined) return;
  const [meant] = nearest(stray, names, 3);
  throw new InformerError('argument', `${where} has no option ${JSON.stringify(stray)}`, {
    hint: meant ? `did you mean ${meant}?` : `known are ${names.join(', ')}`,
  });
}

/** Throws `argument` for a value that is none of those that are taken; undefined is the default. */
export function checkChoice(name: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw new InformerError(
    'argument',
    `${name} must be one of ${choices.join(', ')}, not ${typeof value === 'string' ? value : typeof value}`,
  );
}
