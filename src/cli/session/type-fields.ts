import { type FieldSchema, loadFieldSchema } from '../../client/field-schema.ts';
import { scope } from '../../kit/abort.ts';
import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { type Address, addressText, EACH, type FieldReads } from '../../model/field-path.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Server } from './session.ts';

/** How long an answer about the fields of a type is waited for. */
const SCHEMA_MS = 2_000;

/**
 * Throws `argument` for a field that the type cannot have, by the server's schema of it. Where there is none, only what
 * every object's metadata can have is known. What has any name, such as a label, is not refused.
 */
export async function refuseAbsentFields(
  { flag, addresses }: FieldReads,
  type: ResourceType,
  session: Server,
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

/** Whether a type can have a field: by its schema, else by what is known of the metadata of every type. */
export const verdictOn = (address: Address, schema: FieldSchema | undefined) => {
  const steps = address.map((step) => (step === EACH ? undefined : step));
  return schema?.look(steps) ?? byMetadata(steps);
};

/** The fields that the metadata of every object may have. Source: apimachinery meta/v1 ObjectMeta. */
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

/** Looks where there is no schema. */
function byMetadata([first, second, third]: readonly (string | undefined)[]): ReturnType<FieldSchema['look']> {
  if (first !== 'metadata' || second === undefined)
    return { is: first === 'metadata' ? 'field' : 'open', known: 0, beside: [] };
  if (!METADATA.includes(second)) return { is: 'none', known: 1, beside: METADATA };
  const isMap = second === 'labels' || second === 'annotations';
  return { is: isMap && third !== undefined ? 'open' : 'field', known: 2, beside: [] };
}

/** The schema of a type; undefined if the server has none, or does not give it in time. */
export async function schemaOf(
  { gvr, kind }: ResourceType,
  { client, clock, signal }: Server,
): Promise<FieldSchema | undefined> {
  using asking = scope(signal);
  using _timer = clock.after(SCHEMA_MS, () => asking.abort());
  const { group, version } = gvr;
  return await loadFieldSchema(client, { group, version, kind }, asking.signal).catch(() => undefined);
}
