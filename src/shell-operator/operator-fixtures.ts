import { badFixture, checkObject, type Fixture, type FixtureSource, fixtureOf } from '../hooks/fixtures/fixtures.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import type { UnknownObject } from '../model/object.ts';

/** A cause of runs. Each comes when the hooks have nothing left to do. */
export type FixtureChange =
  | { readonly apply: UnknownObject }
  | { readonly delete: UnknownObject }
  /** A time of a schedule: `HOOK/BINDING`. */
  | { readonly schedule: string };

/** A state of a cluster in which hooks start, what happens then, and what is expected. */
export interface OperatorFixture extends Fixture {
  readonly changes: readonly FixtureChange[];
}

/** Keys of fixtures for hooks that have a key or a reply, which hooks of shell-operator do not. */
const USELESS = ['type', 'key', 'deleted', 'old'];
const USELESS_EXPECTED = ['actions', 'parked', 'requeueAfter'];
const SORTS = ['apply', 'delete', 'schedule'];

/** Reads a fixture for a folder of hooks. Throws `argument` with file and line. */
export function operatorFixtureOf(value: unknown, source: FixtureSource): OperatorFixture {
  const { changes = [], ...rest } = isJsonMap(value) ? value : {};
  const expected = isJsonMap(rest.expect) ? rest.expect : {};
  const useless = USELESS.find((name) => name in rest) ?? USELESS_EXPECTED.find((name) => name in expected);
  if (useless !== undefined)
    throw badFixture(
      source,
      useless,
      `${useless} means nothing for hooks of shell-operator`,
      'they have given, changes, and expect with objects, absent and error',
    );
  if (!Array.isArray(changes)) throw badFixture(source, 'changes', 'changes must be a list');
  return {
    ...fixtureOf(isJsonMap(value) ? rest : value, '', source),
    changes: changes.map((each: unknown) => changeOf(each, source)),
  };
}

function changeOf(given: unknown, source: FixtureSource): FixtureChange {
  const [[sort, value] = [], ...others] = isJsonMap(given) ? Object.entries(given) : [];
  if (sort === undefined || others.length > 0 || !SORTS.includes(sort))
    throw badFixture(source, 'changes', `each of changes has one of ${SORTS.join(', ')}`);
  if (sort !== 'schedule') checkObject(value, 'changes', source);
  else if (typeof value !== 'string') throw badFixture(source, sort, 'schedule must be a text: HOOK/BINDING');
  return given as FixtureChange;
}
