import data from '../data/descriptions.json' with { type: 'json' };

/** Fields at the top of every object. */
const COMMON: ReadonlyMap<string, string> = new Map([
  ['apiVersion', 'The API version of this object, such as apps/v1.'],
  ['kind', 'The kind of this object, such as Pod.'],
  ['metadata', 'Name, namespace, labels and other metadata.'],
  ['spec', 'The desired state.'],
  ['status', 'The observed state. Controllers write it; other clients only read it.'],
]);

/** By message, then by field. The text under `''` describes the message itself. Written for this project. */
const TEXTS = new Map(
  Object.entries<Readonly<Record<string, string>>>(data).map(([message, texts]) => [
    message,
    new Map(Object.entries(texts)),
  ]),
);

/** The purpose of a message, in one sentence; undefined when there is no description. */
export function describeMessage(name: string): string | undefined {
  return TEXTS.get(name)?.get('');
}

/**
 * The purpose of a field of a message; undefined when there is no description. All kinds of condition share one
 * description.
 */
export function describeField(message: string, field: string): string | undefined {
  return (
    TEXTS.get(message)?.get(field) ?? (message.endsWith('Condition') ? TEXTS.get('Condition')?.get(field) : undefined)
  );
}

/** The purpose of a field at the top of an object. */
export function describeCommon(field: string): string | undefined {
  return COMMON.get(field);
}
