import { isJsonMap } from '../kit/exact-json.ts';
import { nearest } from '../kit/nearest.ts';

/** Checks a value. Returns the faults, each with the path of the field; none if the value fits. */
export interface FieldShape {
  (value: unknown, at: string): string[];
  /** The fields that a map may have, with those in them: `kubernetes.jqFilter`. */
  readonly paths?: readonly string[];
}

const named = (at: string, name: string) => (at === '' ? name : `${at}.${name}`);
const must = (test: boolean, at: string, what: string) => (test ? [] : [`${at} must be ${what}`]);

export const textField: FieldShape = (value, at) => must(typeof value === 'string', at, 'a text');
export const truth: FieldShape = (value, at) => must(typeof value === 'boolean', at, 'true or false');
export const wholeField: FieldShape = (value, at) => must(Number.isInteger(value), at, 'a whole number');
export const anything: FieldShape = () => [];

export const oneOf =
  (...words: string[]): FieldShape =>
  (value, at) =>
    must(typeof value === 'string' && words.includes(value), at, `one of ${words.join(', ')}`);

export const listField = (item: FieldShape, least = 0): FieldShape =>
  Object.assign(
    (value: unknown, at: string) => {
      if (!Array.isArray(value)) return [`${at} must be a list`];
      if (value.length < least) return [`${at} must not be empty`];
      return value.flatMap((each, i) => item(each, `${at}[${i}]`));
    },
    { paths: item.paths ?? [] },
  );

/** A map with any keys. */
export const mapField =
  (item: FieldShape): FieldShape =>
  (value, at) =>
    isJsonMap(value)
      ? Object.entries(value).flatMap(([name, each]) => item(each, named(at, name)))
      : [`${at} must be a map`];

/** A map with these fields only. `least`: how many of them there must be. */
export function fields(
  known: Readonly<Record<string, FieldShape>>,
  { required = [], least = 0 }: { required?: string[]; least?: number } = {},
): FieldShape {
  const paths = Object.entries(known).flatMap(([name, { paths: inner = [] }]) => [
    name,
    ...inner.map((each) => `${name}.${each}`),
  ]);
  const check = (value: unknown, at: string) => {
    if (!isJsonMap(value)) return [`${at || 'the configuration'} must be a map`];
    const names = Object.keys(value);
    const faults = names.flatMap((name) => known[name]?.(value[name], named(at, name)) ?? [unknown(name, at, known)]);
    for (const name of required) if (!names.includes(name)) faults.push(`${named(at, name)} is missing`);
    if (names.length < least && faults.length === 0)
      faults.push(`${at || 'the configuration'} needs one of ${Object.keys(known).join(', ')}`);
    return faults;
  };
  return Object.assign(check, { paths });
}

function unknown(name: string, at: string, known: Readonly<Record<string, FieldShape>>): string {
  const [near] = nearest(name, Object.keys(known), 1);
  return `${named(at, name)} is no known field${near === undefined ? '' : `; did you mean ${near}?`}`;
}
