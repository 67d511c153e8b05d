import { yieldToEventLoop } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import type { ItemReading } from '../../model/item-reading.ts';
import { withManagedFieldsText } from '../../model/managed-fields-text.ts';
import type { ListPage } from '../../model/object.ts';
import { isStatus, StatusError } from '../../model/status.ts';
import type { UnwantedObjects } from '../../model/unwanted-objects.ts';
import { parserOf } from './huge-numbers.ts';
import { giveRead, itemReader, type ReadItem, wholeRead } from './item-reader.ts';
import { ItemsSplitter } from './items-splitter.ts';
import { findManagedFields, type MetadataPath, OF_OBJECT, OF_ROW, splice } from './managed-fields.ts';
import {
  type Decode,
  decodeJson,
  decodeTrimmed,
  dropManagedFields,
  hasManagedFields,
  type KeepText,
  type Parse,
  parseOrNone,
} from './object-decoder.ts';
import { columnsIn, isTable, objectOfRow, rowFrom } from './table.ts';
import { leavesOutAt } from './unwanted.ts';

/** The request of a LIST, and how to decode its body. */
export interface ListBodyOptions {
  gvr: GroupVersionResource;
  /** Whether a table was requested. The server may send plain objects all the same. */
  table: boolean;
  /** The wall-clock time, ms: rows note when they arrive. Absent: their cells do not grow older. */
  now?: (() => number) | undefined;
  dropManagedFields: boolean;
  /** managedFields stay beside each object as text. */
  managedFieldsAsText?: boolean | undefined;
  /** Items that are left out without being decoded. */
  unwanted?: UnwantedObjects | undefined;
  /**
   * Called with each object when it has arrived, and with the text that it was parsed from if that is at hand. The
   * result takes its place in the page.
   */
  arrived?: ((object: never, bytes?: Uint8Array) => unknown) | undefined;
  /** Takes the objects: then the page has none. */
  reading?: ItemReading | undefined;
  /** Called with the number of items that each chunk of the body completes. */
  onItems?: ((count: number) => void) | undefined;
}

/**
 * The bytes after which other code runs, some milliseconds. Node reads up to two megabytes from a socket before the event
 * loop goes on.
 */
const TURN_BYTES = 256 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a LIST as it arrives: never as one string, and each object once.
 * Items without a kind get the kind and apiVersion of the list. Rejects with `decode` if the body is broken or not a
 * list, with `list` for a table that was not requested, and with the StatusError of a Status.
 */
export async function readList<T extends object>(
  body: AsyncIterable<Uint8Array>,
  options: ListBodyOptions,
): Promise<ListPage<T>> {
  let decode: Decode<unknown> | undefined;
  const { unwanted, onItems, reading } = options;
  const leavesOut = unwanted && {
    items: leavesOutAt(OF_OBJECT, unwanted),
    rows: leavesOutAt(OF_ROW, unwanted),
  };
  const splitter: ItemsSplitter<unknown> = new ItemsSplitter({
    leavesOut:
      leavesOut &&
      ((bytes) => {
        const isLeftOut = leavesOut[splitter.arrayKey === 'rows' ? 'rows' : 'items'](bytes);
        if (isLeftOut) onItems?.(1);
        return isLeftOut;
      }),
    keys: options.table ? ['items', 'rows'] : ['items'],
    decode: (bytes, offset) => {
      decode ??= hasHead(splitter) ? decoderOf(splitter, options) : decodeJson;
      return decode(bytes, offset);
    },
  });
  const items: unknown[] = [];
  const take = (more: readonly unknown[]) => {
    if (more.length > 0) onItems?.(more.length);
    if (reading && decode !== decodeJson) giveRead(more as readonly (ReadItem | undefined)[], reading);
    else for (const item of more) items.push(item);
  };
  let decoded = 0;
  for await (const chunk of body) {
    take(splitter.push(chunk));
    decoded += chunk.length;
    const full = reading?.room();
    if (full) await full;
    if (decoded < TURN_BYTES) continue;
    decoded = 0;
    await yieldToEventLoop();
  }
  take(splitter.finish());
  checkIsList(splitter, options);
  const finish = finisher(splitter, options);
  const page = position(splitter.fields);
  if (!reading)
    return {
      items: (decode === decodeJson ? items.map((item) => arrivedOf(finish(item) as object, options)) : items) as T[],
      ...page,
    };
  if (decode === undefined || decode === decodeJson) reading.begin(page.resourceVersion);
  for (const item of items) giveRead([wholeRead(finish(item) as object, reading)], reading);
  return { items: [], ...page };
}

function decoderOf(splitter: ItemsSplitter<unknown>, options: ListBodyOptions): Decode<unknown> {
  const { reading } = options;
  if (!reading) return itemDecoder(splitter, options);
  const whole = itemDecoder(splitter, { ...options, arrived: undefined }); // no page takes what it would give
  reading.begin((splitter.fields.metadata as { resourceVersion?: string } | undefined)?.resourceVersion);
  return itemReader(reading, {
    isRow: splitter.arrayKey === 'rows',
    kind: itemKindOf(splitter.fields),
    apiVersion: splitter.fields.apiVersion,
    dropsManagedFields: options.dropManagedFields,
    whole: whole as Decode<object>,
    finish: finisher(splitter, options) as (row: unknown) => object,
  });
}

/** Whether the fields that all items need have arrived before the items, as servers send them. */
function hasHead({ arrayKey, fields }: ItemsSplitter<unknown>): boolean {
  return arrayKey === 'rows'
    ? fields.columnDefinitions !== undefined
    : fields.kind !== undefined && fields.apiVersion !== undefined;
}

function checkIsList({ fields, arrayKey }: ItemsSplitter<unknown>, { gvr, table }: ListBodyOptions): void {
  if (isStatus(fields)) throw new StatusError(fields);
  if (!table && isTable(fields)) throw new InformerError('list', `unsupported list gvk: ${gvkOf(fields)}`);
  const { items, rows } = fields as Fields;
  if (arrayKey === undefined && items !== null && rows !== null) {
    throw new InformerError('decode', `the answer to listing ${formatGvr(gvr)} is not a list but ${gvkOf(fields)}`);
  }
}

function gvkOf({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): string {
  return `${shown(apiVersion ?? 'no apiVersion')}, Kind=${shown(kind ?? '')}`;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

function itemDecoder(splitter: ItemsSplitter<unknown>, options: ListBodyOptions): Decode<unknown> {
  const finish = finisher(splitter, options);
  const isTableBody = splitter.arrayKey === 'rows';
  const { dropManagedFields: drops, managedFieldsAsText: keepsText } = options;
  const path = drops || keepsText ? (isTableBody ? OF_ROW : OF_OBJECT) : undefined;
  const keep = keepsText ? (isTableBody ? keepRowText : keepItemText) : undefined;
  const parse = parserOf(options.gvr);
  const plain = (bytes: Buffer, offset: number) => {
    const object = path ? decodeTrimmed(bytes, offset, path, parse, keep) : decodeJson(bytes, offset, parse);
    return arrivedOf(finish(object) as object, options);
  };
  const kind = isTableBody ? '' : itemKindOf(splitter.fields);
  const { apiVersion } = splitter.fields;
  return kind === '' || typeof apiVersion !== 'string' || keep
    ? plain
    : kindedDecoder(kind, apiVersion, { path, plain, parse, arrived: options.arrived });
}

const keepItemText: KeepText = (item, text) => withManagedFieldsText(objectFrom(item), text);
const keepRowText: KeepText = (row, text) => withManagedFieldsText(rowFrom(row).object as object, text);

const arrivedOf = (object: object, { arrived }: ListBodyOptions) => (arrived ? arrived(object as never) : object);

/** A placeholder for a kind, which shows whether the item has a kind of its own. As JSON it is not shorter. */
const placeholderFor = (kind: string) => '\0'.repeat(Math.ceil(JSON.stringify(kind).length / '\\u0000'.length));

/**
 * Adds kind and apiVersion at the start of the text of an item, which costs almost nothing; adding them to the parsed
 * object needs a copy. `plain` decodes an item with a kind of its own, and one in a form that servers do not write.
 */
function kindedDecoder(
  kind: string,
  apiVersion: string,
  { path, plain, parse, arrived }: KindedOptions,
): Decode<unknown> {
  const placeholder = placeholderFor(kind);
  const quoted = JSON.stringify(placeholder);
  const head = `${JSON.stringify({ kind: placeholder, apiVersion }).slice(0, -1)},`;
  const ownHead = head.replace(quoted, () => JSON.stringify(kind).padEnd(quoted.length));
  const isAscii = /^[ -~]*$/.test(ownHead);
  return (bytes, offset) => {
    if (bytes[0] !== OPEN_BRACE || OWN_HEADS.has(bytes[2])) return plain(bytes, offset);
    const cut = path && findManagedFields(bytes, path);
    const spliced = splice(bytes, { head, from: 1, cut });
    const object = parseOrNone<{ kind: unknown }>(spliced.text, (text) => parse(bytes, text, cut));
    if (object?.kind !== placeholder) return plain(bytes, offset);
    object.kind = kind;
    const isAsText = path === undefined || !hasManagedFields(object);
    const whole = isAsText ? object : dropManagedFields(object);
    if (!arrived) return whole;
    if (!spliced.bytes || !isAsText || !isAscii) return arrived(whole as never);
    spliced.bytes.write(ownHead, 'latin1');
    return arrived(whole as never, spliced.bytes);
  };
}

/** The first letters of the members that an item with a kind of its own begins with. */
const OWN_HEADS: ReadonlySet<number | undefined> = new Set(Buffer.from('ka'));
const OPEN_BRACE = 0x7b;

interface KindedOptions extends Pick<ListBodyOptions, 'arrived'> {
  path: MetadataPath | undefined;
  plain: Decode<unknown>;
  parse: Parse;
}

/** The kind of the items. Source: apimachinery unstructured_list.go, helpers.go (decodeToList). */
function itemKindOf({ kind }: Fields): string {
  return typeof kind === 'string' ? kind.replace(/List$/, '') : '';
}

/** The function that completes a parsed item. */
function finisher({ arrayKey, fields }: ItemsSplitter<unknown>, options: ListBodyOptions): (item: unknown) => unknown {
  return arrayKey === 'rows' ? rowFinisher(fields, options) : itemFinisher(fields, options);
}

function itemFinisher(fields: Fields, options: ListBodyOptions): (item: unknown) => unknown {
  const { apiVersion } = fields;
  const kind = itemKindOf(fields);
  const trim = options.dropManagedFields ? dropManagedFields<object> : (item: object) => item;
  return (item) => {
    const object = trim(objectFrom(item));
    return kind === '' || (object as { kind?: unknown }).kind !== undefined ? object : { kind, apiVersion, ...object };
  };
}

function rowFinisher({ columnDefinitions }: Fields, options: ListBodyOptions): (row: unknown) => unknown {
  const columns = columnsIn(columnDefinitions);
  return (value) => {
    const row = rowFrom(value);
    if (options.dropManagedFields) dropManagedFields(row.object);
    return objectOfRow(row, columns, options);
  };
}

function objectFrom(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  const what = value === null ? 'null' : `a ${typeof value}`;
  throw new InformerError('decode', `the list has an item that is not an object but ${what}`);
}

function position({ metadata }: Fields): Omit<ListPage<never>, 'items'> {
  const {
    resourceVersion = '',
    continue: token,
    remainingItemCount,
    shardInfo,
  } = (metadata ?? {}) as Partial<ListPage<never>> & { shardInfo?: { selector?: string } };
  return {
    resourceVersion,
    ...(token ? { continue: token } : {}),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    ...(typeof shardInfo?.selector === 'string' ? { shardSelector: shardInfo.selector } : {}),
  };
}
