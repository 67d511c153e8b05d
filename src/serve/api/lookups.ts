import type { Writable } from 'node:stream';
import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { isInformerError, messageOf } from '../../kit/error.ts';
import { formatGvr, isSecretResource } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject } from '../../stream/shown-object.ts';
import type { ServedCacheSet } from '../hold/served-cache.ts';

/** One line of a stream of lookups. */
interface LookupLine {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly value?: unknown;
  /** `keys` or `objects`. Default `keys`. */
  readonly output?: unknown;
}

/** Finds the types that words name. */
type Resolve = (words: readonly string[]) => Promise<readonly ResourceSelection[]>;

const LONGEST_LINE = 64 * 1024;

/**
 * Answers point lookups, one JSON line each, while they arrive: `{"type":"pods","index":"node","value":"w1"}` gives
 * `{"keys":["shop/web-1"]}`, and with `"output":"objects"` the objects. A line that cannot be answered gives
 * `{"error":…}` and the next one is read. Many lookups a second over one connection need nothing else.
 */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #types: ServedCacheSet;
  readonly #resolved = new Map<string, ResourceType>();
  readonly #definitions = new Map<string, IndexDefinition>();
  readonly #redactor: Redactor;

  constructor(resolve: Resolve, types: ServedCacheSet, redactor: Redactor) {
    this.#redactor = redactor;
    this.#resolve = resolve;
    this.#types = types;
  }

  async stream(chunks: AsyncIterable<Uint8Array>, body: Writable, isMasked: boolean): Promise<void> {
    const gone = new Promise<void>((resolve) => void body.once('close', resolve));
    for await (const lines of linesOf(chunks)) {
      let answers = '';
      for (const line of lines) answers += `${JSON.stringify(await this.#answer(line, isMasked))}\n`;
      if (answers !== '' && !body.write(answers))
        await Promise.race([gone, new Promise<void>((resolve) => void body.once('drain', resolve))]);
      if (body.destroyed) return;
    }
    body.end();
  }

  async #answer(line: string, isMasked: boolean): Promise<object> {
    try {
      return await this.#found((JSON.parse(line) ?? {}) as LookupLine, isMasked);
    } catch (error) {
      return { error: { message: messageOf(error), hint: isInformerError(error) ? error.hint : undefined } };
    }
  }

  async #found({ type: word, index, value, output = 'keys' }: LookupLine, isMasked: boolean): Promise<object> {
    if (typeof word !== 'string' || typeof index !== 'string' || typeof value !== 'string')
      throw new Error('a lookup has the texts type, index and value');
    if (output !== 'keys' && output !== 'objects') throw new Error('output is keys or objects');
    const type = this.#resolved.get(word) ?? (await this.#typeOf(word));
    const target = this.#types.find(type);
    if (!target?.informer.hasSynced) throw new Error(`this serve does not hold ${formatGvr(type.gvr)}`);
    const { lister } = target.informer;
    const definition = this.#definitions.get(index) ?? this.#define(index);
    const { key } = definition;
    const options = { redactor: this.#redactor, showManagedFields: false };
    const answer = (objects: readonly ReadonlyObject[]) => {
      const byKey = new Map(objects.map((object) => [keyOf(object), object]));
      const keys = [...byKey.keys()].sort();
      if (output === 'keys') return { keys };
      return { objects: keys.map((each) => shownObject(byKey.get(each) as ReadonlyObject, type, options)) };
    };
    if (isMasked && isSecretResource(type.gvr)) {
      const masked = lister.list().map((object) => this.#redactor.masked(object, type.gvr));
      return answer(masked.filter((object) => definition.valuesOf(object).includes(value)));
    }
    if (!lister.hasIndex(key)) target.informer.addIndexers(indexersOf([definition]) as never);
    if (output === 'keys') return { keys: lister.indexKeys(key, value) };
    return answer(lister.byIndex(key, value));
  }

  async #typeOf(word: string): Promise<ResourceType> {
    const [selection] = await this.#resolve([word]);
    const type = selection?.type as ResourceType;
    this.#resolved.set(word, type);
    return type;
  }

  #define(index: string): IndexDefinition {
    const definition = new IndexCatalog(this.#types.declared).get(index);
    if (!definition.stable) throw new Error(`the index ${index} cannot be kept; query --eq ${index}=… reads it`);
    this.#definitions.set(index, definition);
    return definition;
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() as string;
    if (rest.length > LONGEST_LINE) throw new Error('a line of lookups is too long');
    yield parts.filter((line) => line !== '');
  }
  if (rest.trim() !== '') yield [rest];
}
