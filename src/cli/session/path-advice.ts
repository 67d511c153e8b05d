import { type FieldSchema, loadFieldSchema } from '../../client/field-schema.ts';
import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { type Address, addressText, EACH, type FieldReads, isAt, valuesAt } from '../../model/field-path.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { Session } from './session.ts';

/** How long an answer about the fields of a type is waited for; what the objects say counts then. */
const SCHEMA_MS = 2_000;

/** From how many objects names of fields are collected, for suggestions. */
const MOST_LOOKED_AT = 200;

/**
 * Says of the fields that expressions read which are in none of the objects: one line each. A field that the type has
 * is no mistake, whatever the objects hold; the server's OpenAPI says so, and is asked only where a field is missing.
 * Where it cannot say, the objects alone decide. No lines without objects. Never rejects.
 */
export async function pathAdvice(
  reads: readonly FieldReads[],
  samples: readonly Sample[],
  session: Pick<Session, 'client' | 'clock' | 'signal'>,
): Promise<string[]> {
  if (reads.every(({ addresses }) => addresses.length === 0)) return [];
  const filled = samples.filter(({ objects }) => objects.length > 0);
  if (filled.length === 0) return [];
  const missing = reads.map((each) => ({
    ...each,
    addresses: each.addresses.filter((address) => !filled.some((sample) => isAnywhere(address, sample))),
  }));
  if (missing.every(({ addresses }) => addresses.length === 0)) return [];
  const schemas = await Promise.all(filled.map(({ type }) => schemaOf(type, session)));
  return missing.flatMap((each) => linesOf(each, filled, schemas));
}

/**
 * Throws `argument` for a field that the type cannot have, by the server's schema of it. Where there is none, only what
 * every object's metadata can have is known. What has any name, such as a label, is not refused.
 */
export async function refuseAbsentFields(
  { flag, addresses }: FieldReads,
  type: ResourceType,
  session: Pick<Session, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  if (addresses.length === 0) return;
  const schema = await schemaOf(type, session);
  for (const address of addresses) {
    const { is, known, beside } = verdictOn(address, schema);
    if (is !== 'none') continue;
    const [near] = nearest(String(address[known]), beside);
    const meant = near && addressText([...address.slice(0, known), near, ...address.slice(known + 1)]);
    throw new InformerError('argument', `${flag}: ${addressText(address)} is no field of ${type.kind}`, {
      hint: meant ? `did you mean ${meant}?` : `see kubectl explain ${type.gvr.resource}`,
    });
  }
}

const verdictOn = (address: Address, schema: FieldSchema | undefined) => {
  const steps = address.map((step) => (step === EACH ? undefined : step));
  return schema?.look(steps) ?? byMetadata(steps);
};

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

/** `4 pods`, `1 pod and 2 deployments.apps`. */
export function countText(samples: readonly Sample[]): string {
  const text = ({ type, objects: { length }, isPart }: Sample) =>
    length === 1 && !isPart
      ? `1 ${type.singular || type.kind.toLowerCase()}`
      : `${length}${isPart ? ' or more' : ''} ${formatGroupResource(type.gvr)}`;
  return samples.map(text).join(' and ');
}

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

/** What every object may carry. Source: apimachinery meta/v1 ObjectMeta. */
const METADATA = [
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

/** Without a schema: what is known of every type. */
function byMetadata([first, second, third]: readonly (string | undefined)[]): ReturnType<FieldSchema['look']> {
  if (first !== 'metadata' || second === undefined)
    return { is: first === 'metadata' ? 'field' : 'open', known: 0, beside: [] };
  if (!METADATA.includes(second)) return { is: 'none', known: 1, beside: METADATA };
  const isMap = second === 'labels' || second === 'annotations';
  return { is: isMap && third !== undefined ? 'open' : 'field', known: 2, beside: [] };
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

async function schemaOf(
  { gvr, kind }: ResourceType,
  { client, clock, signal }: Pick<Session, 'client' | 'clock' | 'signal'>,
): Promise<FieldSchema | undefined> {
  const late = new AbortController();
  const timer = clock.after(SCHEMA_MS, () => late.abort());
  try {
    return await loadFieldSchema(
      client,
      { group: gvr.group, version: gvr.version, kind },
      AbortSignal.any([signal, late.signal]),
    );
  } catch {
    return undefined; // the objects decide
  } finally {
    timer.cancel();
  }
}
