import { InformerError } from '../kit/error.ts';

/**
 * One part of a REST path (a name, a namespace, a subresource), escaped.
 * Throws `argument` when `value` is not a string, is empty, `.` or `..`, contains `/` or `%`, or contains half a
 * surrogate pair. An empty or missing name would address the whole collection. Source: apimachinery api/validation/path
 * IsValidPathSegmentName.
 */
export function pathSegment(value: unknown, what: string): string {
  if (typeof value !== 'string') throw refused(what, `must be a text, not ${value === null ? 'null' : typeof value}`);
  if (value === '') throw refused(what, 'may not be empty');
  if (value === '.' || value === '..') throw refused(what, `may not be '${value}'`);
  const wrong = ['/', '%'].find((c) => value.includes(c));
  if (wrong) throw refused(what, `may not contain '${wrong}': ${JSON.stringify(value)}`);
  if (!value.isWellFormed()) throw refused(what, `is not well-formed: ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}

/** Throws `argument` when an object cannot have this name; see {@link pathSegment}. */
export function checkName(name: unknown, resource: string): void {
  pathSegment(name, `the name of the object (${resource})`);
}

function refused(what: string, why: string): InformerError {
  return new InformerError('argument', `${what} ${why}`);
}
