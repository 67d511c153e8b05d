import type { FieldSchema } from '../../client/field-schema.ts';
import { nearest } from '../../kit/nearest.ts';
import { type Address, addressText, type FieldReads, isAt, valuesAt } from '../../model/field-path.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { Server } from '../session/session.ts';
import { schemaOf, verdictOn } from '../session/type-fields.ts';
import { countText, filled } from './count-text.ts';
import type { Facts } from './hint.ts';

/** From how many objects names of fields are collected, for suggestions. */
const MOST_LOOKED_AT = 200;

/**
 * Names the fields that expressions read and none of the objects has. A field that the type has is no mistake, whatever
 * the objects hold; the server's OpenAPI says so, and is asked only where a field is missing. Where it cannot say, the
 * objects alone decide. No lines without objects.
 */
export async function absentFields(
  { plan: { reads }, samples }: Pick<Facts, 'plan' | 'samples'>,
  server: Server,
): Promise<string[]> {
  if (reads.every(({ addresses }) => addresses.length === 0)) return [];
  const found = filled(samples);
  if (found.length === 0) return [];
  const missing = reads.map((each) => ({
    ...each,
    addresses: each.addresses.filter((address) => !found.some((sample) => isAnywhere(address, sample))),
  }));
  if (missing.every(({ addresses }) => addresses.length === 0)) return [];
  const schemas = await Promise.all(found.map(({ type }) => schemaOf(type, server)));
  return missing.flatMap((each) => linesOf(each, found, schemas));
}

/** A line each, but none for what lies below a field that has one. */
function linesOf(
  reads: FieldReads,
  samples: readonly Sample[],
  schemas: readonly (FieldSchema | undefined)[],
): string[] {
  const found = reads.addresses.map((address) => ({ address, line: lineOf(reads, address, samples, schemas) }));
  const notices = found.filter(({ line }) => line !== undefined).map(({ address }) => address);
  return found.flatMap(({ address, line }) =>
    line === undefined || notices.some((above) => isBelow(address, above)) ? [] : line,
  );
}

const isBelow = (address: Address, above: Address) =>
  address.length > above.length && above.every((step, i) => step === address[i]);

/** Items of a list lack their kind. */
const isAnywhere = (address: Address, { type, objects }: Sample) =>
  objects.some((object) => isAt(withKind(object, type), address));

function lineOf(
  { flag, isOutput }: FieldReads,
  address: Address,
  samples: readonly Sample[],
  schemas: readonly (FieldSchema | undefined)[],
): string | undefined {
  const verdicts = schemas.map((schema) => verdictOn(address, schema));
  if (verdicts.some(({ is }) => is === 'field')) return undefined;
  const isNone = verdicts.every(({ is }) => is === 'none');
  const kinds = samples.map(({ type }) => type.kind).join(' or ');
  const near = meant(address, samples, verdicts);
  if (isOutput && !isNone && near === undefined) return undefined;
  const where = `in none of ${countText(samples)}`;
  return `${flag}: ${addressText(address)} is ${where}${isNone ? `, and is no field of ${kinds}` : ''}${near ? `; did you mean ${near}?` : ''}`;
}

/** The name nearest to the first unknown one, among its siblings. */
function meant(
  address: Address,
  samples: readonly Sample[],
  verdicts: readonly ReturnType<FieldSchema['look']>[],
): string | undefined {
  const some = samples.flatMap(({ type, objects }) =>
    objects.slice(0, MOST_LOOKED_AT).map((object) => withKind(object, type)),
  );
  const at = address.findIndex((_, i) => !some.some((object) => isAt(object, address.slice(0, i + 1))));
  const name = address[at];
  if (typeof name !== 'string') return undefined;
  const inObjects = some.flatMap((object) => valuesAt(object, address.slice(0, at))).flatMap(keysOf);
  const inSchemas = verdicts.filter(({ known }) => known === at).flatMap(({ beside }) => beside);
  if (name.includes('/') && at === 0) return `.${name.split('/').filter(Boolean).join('.')}`;
  const [near] = nearest(name, [...inSchemas, ...inObjects]);
  return near === undefined ? undefined : addressText([...address.slice(0, at), near, ...address.slice(at + 1)]);
}

const keysOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? value.flatMap((item) => keysOf(item)) : Object.keys(value);
};
