import { gzipSync } from 'node:zlib';

/** How hard pods are to read: means for one pod, as a server sends it. */
export interface PodFigures {
  readonly bytes: number;
  /** The size that nine of ten pods do not exceed. */
  readonly largeBytes: number;
  readonly managedFieldsBytes: number;
  readonly keys: number;
  /** Strings, keys among them. */
  readonly strings: number;
  readonly escapes: number;
  readonly digits: number;
  /** Runs of 16 decimal digits and more: where a reader has to look whether a number is exact. */
  readonly longRuns: number;
  /** In one stream with the other pods, at the level at which API servers compress. */
  readonly gzipBytes: number;
  /** Every field that a pod has, `[]` for the entries of a list, without what is in managedFields. */
  readonly fields: readonly string[];
}

/** The figures of pods as JSON texts. Maps of which users choose the keys are one field. */
export function podFigures(texts: readonly string[]): PodFigures {
  const mean = (of: (text: string) => number) => texts.reduce((sum, text) => sum + of(text), 0) / texts.length;
  const sizes = texts.map(({ length }) => length).sort((a, b) => a - b);
  const objects = texts.map((text) => JSON.parse(text) as { metadata: { managedFields?: unknown } });
  const count = (pattern: RegExp) => mean((text) => text.match(pattern)?.length ?? 0);
  const fields = new Set<string>();
  for (const object of objects) addFields(object, '', fields);
  return {
    bytes: mean(({ length }) => length),
    largeBytes: sizes[Math.floor(sizes.length * 0.9)] ?? Number.NaN,
    managedFieldsBytes:
      objects.reduce((sum, { metadata }) => sum + (JSON.stringify(metadata.managedFields)?.length ?? 0), 0) /
      objects.length,
    keys: count(/":/g),
    strings: count(/"(?:[^"\\]|\\.)*"/g),
    escapes: count(/\\/g),
    digits: count(/\d/g),
    longRuns: count(/\d{16,}/g),
    gzipBytes: gzipSync(texts.join(','), { level: 1 }).length / texts.length,
    fields: [...fields].sort(),
  };
}

const MAPS = new Set(['.metadata.labels', '.metadata.annotations', '.metadata.managedFields[].fieldsV1']);

function addFields(value: unknown, place: string, fields: Set<string>): void {
  if (place !== '') fields.add(place);
  if (Array.isArray(value)) for (const entry of value) addFields(entry, `${place}[]`, fields);
  else if (value !== null && typeof value === 'object' && !MAPS.has(place))
    for (const [field, part] of Object.entries(value)) addFields(part, `${place}.${field}`, fields);
}
