import type { FieldTree } from '../../model/field-tree.ts';
import type { ItemReading } from '../../model/item-reading.ts';
import { ItemScan } from './item-scan.ts';
import type { Decode } from './object-decoder.ts';

/** An object of a list that was read and is kept, with its text if that is asked for. */
export interface ReadItem {
  readonly object: object;
  readonly text: string | undefined;
}

/** The list of which items are read. */
export interface ReadList {
  /** The items are rows of a table. */
  readonly isRow: boolean;
  /** The kind and apiVersion of the items that have none; '' if that is not known. */
  readonly kind: string;
  readonly apiVersion: unknown;
  readonly dropsManagedFields: boolean;
  /** Decodes an item as a whole. */
  readonly whole: Decode<object>;
  /** Completes a parsed row. */
  readonly finish: (row: unknown) => object;
}

/** Reads the items of a list. An item that is not kept is undefined. */
export function itemReader(reading: ItemReading, list: ReadList): Decode<ReadItem | undefined> {
  const { whole, isRow, kind, apiVersion } = list;
  const isKnown = isRow || (kind !== '' && typeof apiVersion === 'string');
  const scan = isKnown ? scanOf(reading, list) : undefined;
  if (!scan) return (bytes, offset) => wholeRead(whole(bytes, offset), reading);
  const heads = headsOf(kind, apiVersion);
  let wholeLeft = reading.wholeFirst;
  return (bytes, offset) => {
    const part = scan.read(bytes) ? scan.parsed() : undefined;
    const head = part === undefined || isRow ? '' : heads(part as Kinded);
    if (part === undefined || head === undefined) return wholeRead(whole(bytes, offset), reading);
    const isWhole = reading.fields === undefined || wholeLeft-- > 0;
    const object = isWhole ? whole(bytes, offset) : isRow ? list.finish(part) : (part as object);
    if (!reading.keeps(object as never)) return undefined;
    if (!reading.needsText) return { object, text: undefined };
    const text = isRow ? undefined : scan.text(head);
    return { object: text === undefined && !isWhole ? whole(bytes, offset) : object, text };
  };
}

/** An item that was decoded as a whole. */
export function wholeRead(object: object, reading: ItemReading): ReadItem | undefined {
  return reading.keeps(object as never) ? { object, text: undefined } : undefined;
}

/** Hands over the items that are kept. */
export function giveRead(items: readonly (ReadItem | undefined)[], reading: ItemReading): void {
  for (const item of items) if (item) reading.take(item.object as never, item.text);
}

/** A scan for the fields that are looked at; undefined if whole objects are, and no texts. */
function scanOf({ fields, needsText }: ItemReading, { isRow, dropsManagedFields }: ReadList): ItemScan | undefined {
  if (!fields && !needsText) return undefined;
  const read: FieldTree = new Map([...(fields ?? []), ...KINDS]);
  const metadata = dropsManagedFields ? ['metadata'] : undefined;
  if (!isRow) return new ItemScan(withMetadata(read), metadata);
  return new ItemScan(
    new Map<string, FieldTree | true>([
      ['cells', true],
      ['object', withMetadata(read)],
    ]),
    metadata && ['object', ...metadata],
  );
}

const KINDS = [
  ['kind', true],
  ['apiVersion', true],
] as const;

/** The metadata is looked at, if only to leave out managedFields. */
const withMetadata = (fields: FieldTree): FieldTree =>
  fields.has('metadata') ? fields : new Map([...fields, ['metadata', new Map([['name', true]])]]);

interface Kinded {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
}

/**
 * The begin of the text of an item: with the kind of the list, if the item has none. Undefined for an item that is of
 * another kind than the list says: what it needs is not known.
 */
function headsOf(kind: string, apiVersion: unknown): (item: Kinded) => string | undefined {
  const added = `${JSON.stringify({ kind, apiVersion }).slice(0, -1)},`;
  return (item) => {
    if (item.kind === undefined && item.apiVersion === undefined) return added;
    return item.kind === kind && item.apiVersion === apiVersion ? '{' : undefined;
  };
}
