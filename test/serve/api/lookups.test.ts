import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import type { Indexers } from '../../../src/informer/store/object-index.ts';
import { InformerError } from '../../../src/kit/error.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import type { IndexDefinition } from '../../../src/query/index/index-definition.ts';
import { Lookups } from '../../../src/serve/api/lookups.ts';
import type { ServedCacheSet } from '../../../src/serve/hold/served-cache.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { PODS } from '../../support/query.ts';

const typeOf = (resource: string, kind: string) =>
  ({ gvr: { group: '', version: 'v1', resource }, kind, namespaced: true }) as ResourceType;
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'shop', managedFields: [{ manager: 'x' }] },
  data: { k: 'aHVzaA==' },
} as unknown as UnknownObject;
const valueIndex: IndexDefinition = {
  name: 'k',
  key: 'k',
  from: '.data.k',
  stable: true,
  valuesOf: ({ data }) => [String((data as { k?: string } | undefined)?.k)],
};
const unstable: IndexDefinition = { ...valueIndex, name: 'loose', key: 'loose', stable: false };

/** Lookups in caches of pods and Secrets; services are not cached. */
function lookups() {
  const asked: string[] = [];
  const caches: [ResourceType, readonly UnknownObject[]][] = [
    [typeOf('pods', 'Pod'), PODS],
    [typeOf('secrets', 'Secret'), [SECRET]],
  ];
  const targets = caches.map(([type, objects]) => {
    const indexer = new Indexer<UnknownObject>();
    indexer.replace(objects, '1');
    const addIndexers = (indexers: Indexers<UnknownObject>) => indexer.addIndexers(indexers);
    return { type, informer: { hasSynced: true, lister: createLister(indexer), addIndexers } };
  });
  const held = {
    targets,
    declared: [valueIndex, unstable],
    find: (type: ResourceType) => targets.find((each) => each.type.gvr.resource === type.gvr.resource),
  } as unknown as ServedCacheSet;
  const resolve = async ([word = '']: readonly string[]) => {
    asked.push(word);
    if (word === 'nothing') throw new InformerError('argument', 'no such type', { hint: 'look at types' });
    return [{ type: typeOf(word, 'X') }] as never;
  };
  const made = new Lookups(resolve, held, new Redactor());
  const answers = async (chunks: readonly string[], isMasked = false) => {
    const body = new PassThrough();
    let text = '';
    body.on('data', (chunk) => (text += String(chunk)));
    const bytes = async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
    };
    await made.stream(bytes(), body, isMasked);
    expect(body.writableEnded).toBe(true);
    await settled();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  return { made, targets, asked, answers };
}
const line = (fields: object) => `${JSON.stringify({ type: 'pods', index: 'node', value: 'n1', ...fields })}\n`;

describe('lookups', () => {
  it('are answered line by line with keys in order, or with objects, and the type is resolved once', async () => {
    const scene = lookups();
    const [keys, objects, none] = await scene.answers([
      line({}) + line({ output: 'objects' }),
      line({ value: 'n9', output: 'keys' }),
    ]);
    expect(keys).toEqual({ keys: ['bank/c-2', 'shop/a-1', 'shop/a-2'] });
    expect(objects.objects.map(({ metadata }: UnknownObject) => metadata.name)).toEqual(['c-2', 'a-1', 'a-2']);
    expect(objects.objects[0]).toEqual(PODS[4]);
    expect([none, scene.asked]).toEqual([{ keys: [] }, ['pods']]);
    expect(scene.targets[0]?.informer.lister.hasIndex(new IndexCatalog().get('node').key)).toBe(true);
  });

  it('are read as UTF-8, also where a character is divided', async () => {
    const scene = lookups();
    const bytes = Buffer.from(line({ type: 'ä' })).toString('latin1');
    const at = bytes.indexOf('Ã') + 1;
    for (const chunks of [[bytes], [bytes.slice(0, at), bytes.slice(at)]])
      expect(await scene.answers(chunks)).toEqual([{ error: { message: 'this serve does not hold v1/ä' } }]);
  });

  it('are read wherever the bytes are divided, and the last one needs no end of its line', async () => {
    const scene = lookups();
    const text = line({}) + line({ value: 'n2' }).trim();
    for (const at of [0, 1, 40, text.length - 1])
      expect(await scene.answers([text.slice(0, at), text.slice(at)])).toEqual([
        { keys: ['bank/c-2', 'shop/a-1', 'shop/a-2'] },
        { keys: ['shop/b-1'] },
      ]);
    expect(await scene.answers(['\n', `${line({})}\n\n`, '  '])).toHaveLength(1);
  });

  it.each<[string, RegExp]>([
    ['{', /JSON/],
    ['null', /has the texts type, index and value/],
    ['{"type":"pods","index":"node"}', /has the texts type, index and value/],
    ['{"type":"pods","index":5,"value":"x"}', /has the texts type, index and value/],
    ['{"type":{},"index":"node","value":"x"}', /has the texts type, index and value/],
    ['{"type":"pods","index":"node","value":"x","output":"yaml"}', /output is keys or objects/],
    ['{"type":"services","index":"node","value":"x"}', /this serve does not hold v1\/services/],
    ['{"type":"pods","index":"loose","value":"x"}', /the index loose cannot be kept; query --eq loose=… reads it/],
    ['{"type":"pods","index":"nod","value":"x"}', /no index named "nod"/],
    ['{"type":"nothing","index":"node","value":"x"}', /no such type/],
  ])('that cannot be answered give their error, and the next one is read: %s', async (wrong, message) => {
    const scene = lookups();
    const [refused, next] = await scene.answers([`${wrong}\n${line({ value: 'n2' })}`]);
    expect(refused).toEqual({ error: expect.objectContaining({ message: expect.stringMatching(message) }) });
    expect(next).toEqual({ keys: ['shop/b-1'] });
  });

  it('wait for no cache that has not synced', async () => {
    const scene = lookups();
    for (const { informer } of scene.targets) informer.hasSynced = false;
    expect(await scene.answers([line({})])).toEqual([{ error: { message: 'this serve does not hold v1/pods' } }]);
  });

  it('have the hint of an error', async () => {
    const scene = lookups();
    const [refused] = await scene.answers([line({ type: 'nothing' })]);
    expect(refused).toEqual({ error: { message: 'no such type', hint: 'look at types' } });
    const [without] = await scene.answers(['{\n']);
    expect(without.error).not.toHaveProperty('hint');
  });

  it('of Secrets show marks in place of values, and find values only for those who may see them', async () => {
    const scene = lookups();
    const ask = (isMasked: boolean, fields: object) =>
      scene.answers([line({ type: 'secrets', index: 'k', value: 'aHVzaA==', ...fields })], isMasked);
    expect(await ask(false, {})).toEqual([{ keys: ['shop/s'] }]);
    const [{ objects }] = await ask(false, { output: 'objects' });
    expect([objects[0].data.k, objects[0].metadata.managedFields]).toEqual([
      expect.stringMatching(/^hmac:/),
      undefined,
    ]);
    expect(await ask(true, {})).toEqual([{ keys: [] }]);
    expect(await ask(true, { value: objects[0].data.k })).toEqual([{ keys: ['shop/s'] }]);
    const [byMark] = await ask(true, { value: objects[0].data.k, output: 'objects' });
    expect(byMark.objects).toEqual(objects);
    expect(await scene.answers([line({})], true)).toEqual(await scene.answers([line({})]));
  });

  it('end with an error at a line that is too long', async () => {
    const scene = lookups();
    await expect(scene.answers(['x'.repeat(64 * 1024)])).resolves.toHaveLength(1);
    await expect(scene.answers(['x'.repeat(64 * 1024 + 1)])).rejects.toThrow('a line of lookups is too long');
  });

  it('wait for a reader that is slow, and end when it has gone', async () => {
    const scene = lookups();
    const body = new PassThrough({ highWaterMark: 1 });
    let read = 0;
    const chunks = async function* () {
      for (; ; read++) yield Buffer.from(line({}));
    };
    const streaming = scene.made.stream(chunks(), body, false);
    await settled();
    expect(read).toBe(0);
    body.read();
    await settled();
    expect(read).toBeGreaterThan(0);
    body.destroy();
    await streaming;
  });
});
