import { jsonText } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { AnswerFormat } from '../api/negotiate.ts';
import { StoredObject } from '../store/stored-object.ts';
import { columnDefinitions, hasPrinter, row, rowConditions } from '../table/table.ts';
import type { ApiType } from '../types/api-type.ts';
import { presented } from '../types/conversion.ts';

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue: string;
  readonly remaining: number | undefined;
  /** See `ReadPart.listMeta`. */
  readonly part: object | undefined;
}

/** Writes a list as JSON in pieces: an opening, the items, between which the caller puts commas, and a closing. */
export interface ListEncoder {
  open(meta: ListMeta, empty: boolean): string;
  item(object: StoredObject): string;
  close(meta: ListMeta, empty: boolean): string;
}

type Shape = Pick<AnswerFormat, 'form' | 'includeObject'> & Partial<Pick<AnswerFormat, 'dropsManagedFields'>>;

/** One object as a whole body without a line feed. `headed` says whether a table has its column definitions. */
export function encodeObject(type: ApiType, stored: StoredObject, shape: Shape, now: number, headed = true): string {
  const object = shape.dropsManagedFields ? withoutManagedFields(stored) : stored;
  if (shape.form === 'metadata') return metadataOf(object);
  if (shape.form === 'object') return wholeObject(type, object);
  const { resourceVersion } = object.object.metadata;
  const columns = headed ? columnDefinitions(type) : 'null';
  const head = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"${resourceVersion}"},`;
  return `${head}"columnDefinitions":${columns},"rows":[${tableRow(type, object, shape, now)}]}`;
}

/** An object in the version of its type, with kind and apiVersion first. */
function wholeObject(type: ApiType, object: StoredObject): string {
  return leadOf(type) + presented(type, object).fields;
}

export function listEncoder(type: ApiType, shape: Shape, now: number): ListEncoder {
  const encoder = encoderOf(type, shape, now);
  return shape.dropsManagedFields
    ? { ...encoder, item: (object) => encoder.item(withoutManagedFields(object)) }
    : encoder;
}

const bare = new WeakMap<StoredObject, StoredObject>();

function withoutManagedFields(stored: StoredObject): StoredObject {
  const known = bare.get(stored);
  if (known) return known;
  const { managedFields: _, ...metadata } = stored.object.metadata;
  const object = new StoredObject(stored.key, { ...stored.object, metadata }, stored.revision);
  bare.set(stored, object);
  return object;
}

function encoderOf(type: ApiType, shape: Shape, now: number): ListEncoder {
  if (shape.form === 'table') return tableEncoder(type, shape, now);
  if (shape.form === 'metadata') return metadataEncoder;
  return type.custom ? customEncoder(type) : builtinEncoder(type);
}

const CLOSE = ']}\n';

function builtinEncoder(type: ApiType): ListEncoder {
  const head = `{"kind":"${type.listKind}","apiVersion":"${formatGroupVersion(type.gvr)}"`;
  return {
    open: (meta) => `${head},"metadata":${metaJson(meta, meta.part)},"items":[`,
    item: (object) => `{${presented(type, object).fields}`,
    close: () => CLOSE,
  };
}

/**
 * The encoder of custom resources. A real server sorts the keys of the list, repeats the kind in items, and always
 * writes `continue`.
 */
function customEncoder(type: ApiType): ListEncoder {
  return {
    open: () => `{"apiVersion":"${formatGroupVersion(type.gvr)}","items":[`,
    item: (object) => wholeObject(type, object),
    close: (meta) => `],"kind":"${type.listKind}","metadata":${customMetaJson(meta)}}\n`,
  };
}

function tableEncoder(type: ApiType, shape: Shape, now: number): ListEncoder {
  const head = '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":';
  // for a type without columns of its own a real server writes `null`
  const hasNull = (empty: boolean) => empty && !hasPrinter(type);
  return {
    open: (meta, empty) =>
      `${head}${metaJson(meta)},"columnDefinitions":${columnDefinitions(type)},"rows":${hasNull(empty) ? 'null' : '['}`,
    item: (object) => tableRow(type, object, shape, now),
    close: (_meta, empty) => (hasNull(empty) ? '}\n' : CLOSE),
  };
}

const metadataEncoder: ListEncoder = {
  open: (meta) =>
    `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metaJson(meta)},"items":[`,
  item: metadataOf,
  close: () => CLOSE,
};

function tableRow(type: ApiType, object: StoredObject, { includeObject }: Shape, now: number): string {
  const conditions = rowConditions(type, object.object);
  const marks = conditions ? `"conditions":${JSON.stringify(conditions)},` : '';
  const head = `{"cells":${jsonText(row(type, object.object, now))},${marks}"object":`;
  if (includeObject === 'None') return `${head}null}`;
  return `${head}${includeObject === 'Object' ? wholeObject(type, object) : metadataOf(object)}}`;
}

function metadataOf({ object }: StoredObject): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${jsonText(object.metadata)}}`;
}

function metaJson({ resourceVersion, continue: token, remaining }: ListMeta, part?: object): string {
  return JSON.stringify({
    resourceVersion,
    ...(token === '' ? {} : { continue: token }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
    ...part,
  });
}

function customMetaJson({ resourceVersion, continue: token, remaining, part }: ListMeta): string {
  return JSON.stringify({
    continue: token,
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
    resourceVersion,
    ...part,
  });
}

const leads = new WeakMap<ApiType, string>();

/** The first fields of every object of a type. A real server sorts them for custom resources. */
function leadOf(type: ApiType): string {
  let lead = leads.get(type);
  if (!lead) {
    const apiVersion = `"apiVersion":"${formatGroupVersion(type.gvr)}"`;
    const kind = `"kind":"${type.kind}"`;
    lead = type.custom ? `{${apiVersion},${kind},` : `{${kind},${apiVersion},`;
    leads.set(type, lead);
  }
  return lead;
}
