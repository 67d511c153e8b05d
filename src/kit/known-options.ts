import { InformerError } from './error.ts';
import { nearest } from './nearest.ts';

/**
 * The values that an option accepts: all (true), values of one type, one of a list of values, or nested options.
 * Undefined is always accepted and means the default.
 */
export type OptionKind = true | keyof typeof SORTS | readonly unknown[] | KnownOptions;

/** The names of options, and the values that each accepts. */
export interface KnownOptions {
  readonly [name: string]: OptionKind;
}

/** For `satisfies`, so that the compiler reports a missing option. */
export type KnownOptionsOf<T> = Readonly<Record<keyof T, OptionKind>>;

const SORTS = {
  boolean: { words: 'true or false', holds: (value: unknown) => typeof value === 'boolean' },
  number: { words: 'a number', holds: (value: unknown) => typeof value === 'number' && !Number.isNaN(value) },
  text: { words: 'a text', holds: (value: unknown) => typeof value === 'string' },
  function: { words: 'a function', holds: (value: unknown) => typeof value === 'function' },
  list: { words: 'a list', holds: (value: unknown) => Array.isArray(value) },
  signal: { words: 'an AbortSignal', holds: isSignal },
  clock: { words: 'a clock', holds: hasFunctions('now', 'monotonic', 'sleep', 'after') },
  logger: { words: 'a logger', holds: hasFunctions('error', 'warn', 'info', 'debug', 'child') },
  rateLimiter: { words: 'a rate limiter', holds: hasFunctions('when', 'forget', 'numRequeues') },
  metrics: { words: 'a metrics provider', holds: hasFunctions('counter', 'gauge', 'histogram', 'observe') },
  object: { words: 'an object', holds: (value: unknown) => typeof value === 'object' && !Array.isArray(value) },
};

function hasFunctions(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => {
    const members = Object(value) as Readonly<Record<string, unknown>>;
    return names.every((name) => typeof members[name] === 'function');
  };
}

function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

/**
 * Throws `argument` for options that are not an object, for an unknown name (a misspelt `dryRun` would be a write), and
 * for a value that an option does not accept (`dryRun: 'false'` would be true). Only the value of an option with a list
 * of choices is quoted.
 */
export function checkOptions(where: string, options: unknown, known: KnownOptions): void {
  checkIsOptions(where, options);
  for (const name of Object.keys(options)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw unknownOption(where, name, Object.keys(known));
    checkValue(where, name, value, kind);
  }
}

/** Throws `argument` for options that are not an object. For a caller that passes them on to one that checks them. */
export function checkIsOptions(where: string, options: unknown): asserts options is object {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InformerError('argument', `${where} takes an object of options, not ${sortOf(options)}`);
}

/** Throws `argument` if an argument that is not an option is missing, or is not of its kind. */
export function checkArgument(where: string, name: string, value: unknown, kind: keyof typeof SORTS): void {
  checkValue(where, name, value, kind);
}

function unknownOption(where: string, name: string, names: readonly string[]): InformerError {
  const [meant] = nearest(name, names, 3);
  return new InformerError('argument', `${where} has no option ${JSON.stringify(name)}`, {
    hint: meant ? `did you mean ${meant}?` : names.length === 0 ? 'there are none' : `known are ${names.join(', ')}`,
  });
}

function checkValue(where: string, name: string, value: unknown, kind: OptionKind): void {
  if (kind === true) return;
  if (typeof kind === 'string') {
    const { words, holds } = SORTS[kind];
    if (!holds(value)) throw new InformerError('argument', `${where}: ${name} must be ${words}, not ${sortOf(value)}`);
  } else if (isChoice(kind)) checkChoice(`${where}: ${name}`, value, kind);
  else checkOptions(`${name} of ${where}`, value, kind);
}

const isChoice = (kind: readonly unknown[] | KnownOptions): kind is readonly unknown[] => Array.isArray(kind);

function sortOf(value: unknown): string {
  if (value === null || Number.isNaN(value)) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value;
}

/** Throws `argument` for a value that is not one of the choices. Undefined is accepted. */
export function checkChoice(name: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw new InformerError(
    'argument',
    `${name} must be one of ${choices.join(', ')}, not ${typeof value === 'string' ? value : sortOf(value)}`,
  );
}
