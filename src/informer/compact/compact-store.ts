import { type Clock, systemClock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { withCells } from '../../model/cells.ts';
import type { Address } from '../../model/field-path.ts';
import type { ObjectKey } from '../../model/key.ts';
import { hasMetadata, type ObjectMeta } from '../../model/object.ts';
import { isWorthPacking } from './auto-compaction.ts';
import { BLOCK_BYTES, Block, type Placed } from './block.ts';
import { ColumnLists } from './column-lists.ts';
import { type Compression, zstd } from './compression.ts';
import { FieldColumn, FieldColumns, type LookedAt, withMetadata } from './field-columns.ts';
import { HotObjects } from './hot-objects.ts';
import { ObjectTexts } from './object-text.ts';
import { type Cached, metadataOf, NamedPackedObject, PackedObject } from './packed-object.ts';
import { SharedLabels } from './shared-labels.ts';
import { Slabs } from './slabs.ts';

/** How a store keeps its objects: parsed, as compressed text, or by their number. */
export type StoreKind = 'objects' | 'compact' | 'auto';

/** The memory of the cache of an informer. */
export interface StoreMemory {
  /** The number of objects. */
  readonly objects: number;
  /** The number of those that are kept as text. The others are kept parsed, and not counted in any field below. */
  readonly packed: number;
  /** The bytes of their texts. */
  readonly textBytes: number;
  /** The bytes that these texts take, compressed and with what is left of dropped ones. */
  readonly storedBytes: number;
  readonly blocks: number;
  /** The number of packed objects that are kept parsed too, because they were read lately. */
  readonly hotObjects: number;
  /** The bytes of their texts. Parsed, they take two to four times as much. */
  readonly hotBytes: number;
  /** Reads that found the object parsed. */
  readonly hotReads: number;
  /** Reads that decoded it. */
  readonly coldReads: number;
  /** The number of blocks that were repacked because most of their objects had changed or gone. */
  readonly repacked: number;
  /** Whether texts are compressed. Node has zstd from 22.15 on. */
  readonly isCompressed: boolean;
}

export interface CompactStoreOptions {
  kind: 'compact' | 'auto';
  /** The number of objects that `auto` keeps parsed. Default 5,000: the whole cache takes less than 40 MB. */
  above?: number | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  /** Whether objects come as the server sent them. Default: each is checked for parts that JSON cannot express. */
  isFromServer?: (() => boolean) | undefined;
  /** Called for each object that is parsed from its text. */
  finish?: ((object: unknown) => unknown) | undefined;
  /** Called when a text is found damaged. */
  onDamage?: ((error: unknown) => void) | undefined;
  compression?: Compression | undefined;
}

/** The facts about an object that is packed. */
interface PackOptions<T> {
  known?: Cached<T> | undefined;
  isHot?: boolean | undefined;
  bytes?: Uint8Array | undefined;
}

/** The number of full blocks that stay uncompressed: the newest texts, which are the likeliest to be replaced. */
const RAW_BLOCKS = 32;
/** Work that is done when nothing else runs. */
interface Work {
  readonly work: Generator<undefined, void>;
  readonly ended: () => void;
}

const HOT_BYTES = 8 * 1024 * 1024;
/** The number of compressed blocks whose texts are kept after a read: a scan reads the objects of a block in a row. */
const OPEN_BLOCKS = 8;
/** The number of rows that are remembered: those of many short lists. */
const MOST_GLANCES = 4096;
/** The bytes of the first texts that help to compress all others. */
const DICTIONARY_BYTES = 64 * 1024;
/** After this time the repacking lets other code run, ms. */
const LONGEST_TURN_MS = 3;

/**
 * The texts of a store's objects, in memory outside of V8's heap: the newest as they are, older ones compressed
 * together. A block of which most texts were dropped is repacked when nothing else runs.
 * Promises: an object is read as it was stored, or the read throws; the memory of dropped texts is given back once no
 * handle has them; one call takes at most the time of a few blocks.
 */
export class CompactStore<T> {
  readonly #options: CompactStoreOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #texts: ObjectTexts;
  readonly #slabs = new Slabs();
  /** Rooms of sealed blocks, for new ones. */
  readonly #rooms: Buffer[] = [];
  #compression: Compression | undefined;
  #hasDictionary = false;
  readonly #labels = new SharedLabels();
  readonly #hot = new HotObjects<T>(HOT_BYTES);
  readonly #lists = new ColumnLists();
  readonly #columns = new FieldColumns(this.#lists);
  /** The fields that index functions read. */
  readonly #parts = new WeakMap<readonly Address[], FieldColumn>();
  readonly #blocks = new Set<Block>();
  /** The block to which texts are added. */
  #open: Block | undefined;
  /** Full blocks that are not compressed yet, oldest first. */
  #raw: Block[] = [];
  /** The compressed blocks that were read last, with their texts. */
  readonly #read: { readonly block: Block; readonly texts: Buffer }[] = [];
  readonly #toRepack = new Set<Block>();
  #isRepacking = false;
  readonly #works: Work[] = [];
  /** The rows of the last lists. */
  #glances = new WeakMap<PackedObject<T>, T>();
  #glanced = 0;
  #isActive: boolean;
  #packed = 0;
  #textBytes = 0;
  #hotReads = 0;
  #coldReads = 0;
  #repacked = 0;

  constructor(options: CompactStoreOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? defaultLogger;
    this.#texts = new ObjectTexts(options.isFromServer ?? (() => false), this.#lists);
    this.#compression = 'compression' in options ? options.compression : zstd();
    this.#isActive = options.kind === 'compact';
  }

  /** Whether new objects are packed. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Packs from now on if there are many objects. Returns whether it has just begun. */
  expect(objects: number): boolean {
    if (this.#isActive || !isWorthPacking(objects, this.#options.above)) return false;
    this.#isActive = true;
    const how = this.#compression ? 'compressed texts' : 'texts without compression, because this Node has no zstd';
    this.#logger.debug(`objects are kept as ${how}`, { objects });
    return true;
  }

  /**
   * The object as the store should have it. `known` is what the store has under the key: if that is the same text of the
   * same version, it is returned. `isHot`: the object will be read soon. `bytes`: the text of the object, in memory that
   * is used again afterwards.
   */
  pack(key: ObjectKey, object: T, { known, isHot, bytes }: PackOptions<T> = {}): Cached<T> {
    if (!this.#isActive || !hasMetadata(object)) return object;
    const text = this.#texts.textOf(object, bytes);
    if (text === undefined) return object;
    const { name = '', namespace, uid, resourceVersion, labels } = object.metadata;
    if (isSameVersion(known, object.metadata) && known.block.hasText(known.at, bytesOf(text))) return known;
    const block = this.#blockFor(text);
    const meta = { name, namespace, uid, resourceVersion, labels: this.#labels.share(labels) };
    const usual = flatKey(namespace, name);
    const Handle = usual === key ? PackedObject<T> : NamedPackedObject<T>;
    const packed = new Handle(usual === key ? usual : key, meta, block, block.add(text));
    this.#claim(packed);
    this.#columns.note(block, packed.at, object, this.#blocks);
    if (isHot) this.#hot.add(packed, object);
    return packed;
  }

  /**
   * The object itself. `isPassing`: it is one of many that are read in a row, so it does not become hot. Throws `store`
   * if its memory is damaged.
   */
  unpack(cached: Cached<T>, isPassing = false): T {
    if (!(cached instanceof PackedObject)) return cached;
    const { hot } = cached;
    if (hot !== undefined) {
      if (!cached.isUsed) cached.isUsed = true; // a write costs more than a look, while V8 marks
      this.#hotReads++;
      return hot;
    }
    this.#coldReads++;
    const object = this.#objectOf(cached);
    if (!isPassing) this.#hot.add(cached, object);
    return object;
  }

  /**
   * The object with its key, its version and labels, when it was created, and its cells in a table at least: enough for a
   * row. Of most objects of a table the rest is not decoded.
   */
  glance(cached: Cached<T>): T {
    if (!(cached instanceof PackedObject)) return cached;
    const known = this.#glances.get(cached) ?? this.#rowOf(cached);
    if (known === undefined) return this.unpack(cached, true);
    if (++this.#glanced > MOST_GLANCES) {
      this.#glances = new WeakMap();
      this.#glanced = 1;
    }
    this.#glances.set(cached, known);
    return known;
  }

  /** Undefined if the text is not one of a table, or need not be read. */
  #rowOf(cached: PackedObject<T>): T | undefined {
    const head = cached.hot === undefined ? this.#reading(cached, (text) => this.#texts.headOf(text)) : undefined;
    if (head === undefined) return undefined;
    const { creationTimestamp, cells } = head;
    return withCells({ metadata: { ...metadataOf(cached), creationTimestamp } }, cells) as T;
  }

  /** The values of these parts of the objects, as far as they are known. `isKept`: it will be asked for often. */
  columnOf(looked: LookedAt, isKept = false): FieldColumn {
    return this.#columns.of(looked, {
      isKept,
      free: (slot) => {
        for (const block of this.#blocks) block.clearNumbers(slot);
      },
    });
  }

  /**
   * An object with the fields of a column at least, for a search. They are read from its text when they are not known yet.
   */
  fieldsOf(cached: Cached<T>, column: FieldColumn): T {
    if (!(cached instanceof PackedObject)) return cached;
    return (column.fieldsOf(cached) ?? this.#readFields(cached, column)) as T;
  }

  /**
   * As {@link fieldsOf}, the same object for objects with equal fields where that can be, so that what follows from them
   * can be remembered.
   */
  sharedOf(cached: Cached<T>, column: FieldColumn): T {
    if (!(cached instanceof PackedObject)) return cached;
    const known = column.isOfEach ? column.fieldsOf(cached) : column.sharedOf(cached);
    if (known !== undefined) return known as T;
    const object = this.#readFields(cached, column);
    return ((column.isOfEach ? undefined : column.sharedOf(cached)) ?? object) as T;
  }

  /** Gives the result of a function for objects with the fields of a column. The function is called once for objects with equal fields. */
  saidOf<R>(column: FieldColumn, say: (object: T) => R): (cached: Cached<T>) => R {
    let said: ({ readonly result: R } | undefined)[] = [];
    let { generation } = column;
    return (cached) => {
      if (!(cached instanceof PackedObject)) return say(cached);
      if (column.numberOf(cached) === 0) {
        const object = this.sharedOf(cached, column);
        if (column.numberOf(cached) === 0) return say(object);
      }
      if (generation !== column.generation) {
        said = [];
        generation = column.generation;
      }
      const number = column.numberOf(cached);
      const known = said[number] ?? { result: say(column.valueOf(number) as T) };
      said[number] = known;
      return known.result;
    };
  }

  /** Reads and remembers the fields of a column. */
  #readFields(packed: PackedObject<T>, column: FieldColumn): T {
    const { block, at } = packed;
    const object = this.#fieldsIn(packed, column);
    if (block.objects[at] === packed) column.note(block, at, object); // the number of an old state would stay
    if (column.isFull) column.renumber(this.#blocks);
    return object;
  }

  #fieldsIn(packed: PackedObject<T>, column: FieldColumn): T {
    if (packed.hot !== undefined) return this.unpack(packed, true);
    if (column.isOfHead) return this.#rowOf(packed) ?? this.unpack(packed, true);
    return column.isOfHandle ? (withMetadata({}, packed) as T) : this.#partOf(packed, column);
  }

  /** An object with these fields at least. They are not remembered, but they may be known. */
  partOf(cached: Cached<T>, fields: readonly Address[]): T {
    if (!(cached instanceof PackedObject) || cached.hot !== undefined) return this.unpack(cached, true);
    const known =
      this.#parts.get(fields) ?? new FieldColumn({ fields }, { slot: 0, isKept: false, lists: this.#lists });
    this.#parts.set(fields, known);
    if (known.isOfHandle) return withMetadata({}, cached) as T;
    return (this.#columns.find(known.id)?.fieldsOf(cached) as T | undefined) ?? this.#partOf(cached, known);
  }

  #partOf(packed: PackedObject<T>, { textPart, hasCells }: Pick<FieldColumn, 'textPart' | 'hasCells'>): T {
    this.#coldReads++;
    const part = this.#reading(packed, (text) => this.#texts.partOf(text, { part: textPart, hasCells }));
    return withMetadata(part, packed) as T;
  }

  /**
   * Whether the JSON of an object may have all these texts. A parsed object is not looked at. `without` remembers blocks
   * that have not, for one search.
   */
  mayHave(cached: Cached<T>, texts: readonly Buffer[], without: Set<Block>): boolean {
    if (!(cached instanceof PackedObject) || cached.hot !== undefined || cached.block.isEscaped) return true;
    const { block, at } = cached;
    if (without.has(block)) return false;
    const all = this.#textsOf(block);
    if (texts.some((text) => !all.includes(text))) {
      without.add(block);
      return false;
    }
    const own = block.textAt(at, all);
    return texts.every((text) => own.includes(text));
  }

  /** The store has the object, also if it was dropped before. */
  adopt(packed: PackedObject<T>): void {
    if (packed.block.objects[packed.at] === packed) return;
    this.#blocks.add(packed.block);
    this.#claim(packed);
    this.#look(packed.block);
  }

  /** The store does not have the object any more. It can be read as long as there is a handle. */
  drop(cached: Cached<T> | undefined): void {
    if (!(cached instanceof PackedObject)) return;
    const { block } = cached;
    if (block.objects[cached.at] !== cached) return;
    cached.isUsed = false;
    this.#packed--;
    this.#textBytes -= block.lengthAt(cached.at);
    block.drop(cached);
    this.#look(block);
  }

  /** Gives a block back that has no object, and queues one that has few. Newer ones are looked at when they are full. */
  #look(block: Block): void {
    if (block === this.#open || this.#raw.includes(block)) return;
    if (block.live === 0) this.#remove(block);
    else if (block.live * 2 < block.count) {
      this.#toRepack.add(block);
      if (!this.#isRepacking) this.whenIdle(this.#repacking(), () => (this.#isRepacking = false));
      this.#isRepacking = true;
    }
  }

  /** Does work in steps when nothing else runs, after other such work. `ended` is called at its end, also by an error. */
  whenIdle(work: Generator<undefined, void>, ended: () => void = () => {}): void {
    this.#works.push({ work, ended });
    if (this.#works.length === 1) void this.#workInTurns();
  }

  memory(objects: number): StoreMemory {
    let storedBytes = this.#slabs.size;
    for (const block of [...this.#raw, ...(this.#open ? [this.#open] : [])]) storedBytes += block.storedBytes;
    return {
      objects,
      packed: this.#packed,
      textBytes: this.#textBytes,
      storedBytes,
      blocks: this.#blocks.size,
      hotObjects: this.#hot.count,
      hotBytes: this.#hot.bytes,
      hotReads: this.#hotReads,
      coldReads: this.#coldReads,
      repacked: this.#repacked,
      isCompressed: this.#compression !== undefined,
    };
  }

  // --- blocks ---

  #claim(packed: PackedObject<T>): void {
    packed.block.claim(packed);
    this.#packed++;
    this.#textBytes += packed.block.lengthAt(packed.at);
  }

  /** The open block if the text fits, else a new one. */
  #blockFor(text: string | Uint8Array): Block {
    // a character takes three bytes at most; their number is counted only if that may matter
    let bytes = typeof text === 'string' ? 3 * text.length : text.length;
    if (this.#open?.hasRoom(bytes)) return this.#open;
    if (typeof text === 'string') bytes = Buffer.byteLength(text);
    if (this.#open?.hasRoom(bytes)) return this.#open;
    if (this.#open) this.#close(this.#open);
    this.#open = this.#newBlock(bytes);
    this.#blocks.add(this.#open);
    return this.#open;
  }

  #newBlock(bytes: number): Block {
    const room = bytes <= BLOCK_BYTES ? this.#rooms.pop() : undefined;
    return new Block(room ?? Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes)));
  }

  #remove(block: Block): void {
    this.#blocks.delete(block);
    block.giveBack(this.#slabs);
  }

  #seal(block: Block): void {
    if (!this.#hasDictionary) this.#chooseDictionary(block);
    const room = block.seal(this.#slabs, this.#compression);
    if (room.length === BLOCK_BYTES && this.#rooms.length < RAW_BLOCKS) this.#rooms.push(room);
  }

  /** The first texts of a collection are likely to resemble all others. */
  #chooseDictionary(block: Block): void {
    this.#hasDictionary = true;
    const texts = Buffer.from(block.texts().subarray(0, Math.min(DICTIONARY_BYTES, block.textBytes)));
    this.#compression = this.#compression?.withDictionary?.(texts) ?? this.#compression;
  }

  /** A full block becomes one of the raw ones, and the oldest of these is compressed. */
  #close(block: Block): void {
    this.#raw.push(block);
    if (this.#raw.length <= RAW_BLOCKS) return;
    const oldest = this.#raw.shift() as Block;
    if (oldest.live === oldest.count) this.#seal(oldest);
    else this.#sealLive(oldest);
  }

  /** Seals the texts of a block that were not dropped. The block itself stays as it is, for handles of old states. */
  #sealLive(block: Block): void {
    const packed = this.#newBlock(block.liveBytes);
    this.#moveAll(block, () => packed);
    if (packed.live === 0) return;
    this.#seal(packed);
    this.#blocks.add(packed);
  }

  /**
   * Moves what is left of a block to others. What is damaged stays, until the informer has listed it again. Returns
   * whether all was moved.
   */
  #moveAll(block: Block, target: (text: Buffer) => Block): boolean {
    try {
      const texts = block.texts();
      for (const [at, object] of block.objects.entries()) if (object) move(object, block.textAt(at, texts), target);
    } catch (error) {
      this.#damaged(error);
    }
    if (block.live === 0) this.#remove(block);
    return block.live === 0;
  }

  async #workInTurns(): Promise<void> {
    await this.#clock.yield();
    for (let first = this.#works[0]; first; first = this.#works[0]) {
      if (this.#worked(first)) this.#works.shift();
      await this.#clock.yield();
    }
  }

  /** Works for a short time, at least one step. Returns whether the work has ended. */
  #worked({ work, ended }: Work): boolean {
    const since = this.#clock.monotonic();
    try {
      do {
        if (!work.next().done) continue;
        ended();
        return true;
      } while (this.#clock.monotonic() - since < LONGEST_TURN_MS);
      return false;
    } catch (error) {
      this.#logger.error('a cache could not be packed', { error });
      ended();
      return true;
    }
  }

  *#repacking(): Generator<undefined, void> {
    for (const block of this.#toRepack) {
      this.#toRepack.delete(block);
      this.#repack(block);
      yield;
    }
  }

  #repack(block: Block): void {
    if (block.live === 0 || block.isDamaged) return;
    if (this.#moveAll(block, (text) => this.#blockFor(text))) this.#repacked++;
  }

  // --- reading ---

  #objectOf(packed: PackedObject<T>): T {
    return this.#reading(packed, (text) => {
      const object = this.#texts.objectOf(text.toString('utf8'));
      return (this.#options.finish ? this.#options.finish(object) : object) as T;
    });
  }

  #reading<R>({ block, at }: PackedObject<T>, read: (text: Buffer) => R): R {
    try {
      return read(block.textAt(at, this.#textsOf(block)));
    } catch (error) {
      if (block.live > 0) this.#damaged(error); // an old state cannot be listed again
      throw error;
    }
  }

  #textsOf(block: Block): Buffer {
    if (!block.isCompressed) return block.texts();
    const i = this.#read.findIndex((each) => each.block === block);
    const found = i === -1 ? { block, texts: block.texts() } : (this.#read[i] as { block: Block; texts: Buffer });
    if (i === 0) return found.texts;
    if (i !== -1) this.#read.splice(i, 1);
    this.#read.unshift(found);
    if (this.#read.length > OPEN_BLOCKS) this.#read.pop();
    return found.texts;
  }

  #damaged(error: unknown): void {
    this.#logger.error('the memory of cached objects is damaged', { error: messageOf(error) });
    this.#options.onDamage?.(error);
  }
}

/** Whether a handle is of the same version of the same object. Texts without a version may differ, and be as long. */
function isSameVersion<T>(
  known: Cached<T> | undefined,
  { uid, resourceVersion }: ObjectMeta,
): known is PackedObject<T> {
  if (!(known instanceof PackedObject) || known.block.isDamaged || resourceVersion === undefined) return false;
  return known.uid === uid && known.resourceVersion === resourceVersion;
}

/** The usual key as one text in memory: V8 keeps two for a text that is put together by an operator. */
const flatKey = (namespace: string | undefined, name: string) => (namespace ? [namespace, name].join('/') : name);

const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? Buffer.from(text) : text);

function move(object: Placed, text: Buffer, target: (text: Buffer) => Block): void {
  const block = target(text);
  const at = block.add(text);
  block.copyNumbers(at, object.block, object.at);
  object.block.drop(object);
  object.block = block;
  object.at = at;
  block.claim(object);
}
