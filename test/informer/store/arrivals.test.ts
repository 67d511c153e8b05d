import { describe, expect, it } from 'vitest';
import { type Cached, PackedObject } from '../../../src/informer/compact/packed-object.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { Arrivals } from '../../../src/informer/store/arrivals.ts';
import type { ArrivingObjects } from '../../../src/informer/store/cache-store.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { added, initialEnd, ScriptedListerWatcher, ScriptedStream } from '../../support/scripted-events.ts';

const pods = (count: number, version = 1) => Array.from({ length: count }, (_, i) => pod(`shop/p${i}`, version + i));

const arrivalsOf = (indexer: Indexer<Pod>, transform?: (object: Pod) => Pod) =>
  indexer.store.arrivals(transform) as ArrivingObjects<Cached<Pod>>;

function arrivals(transform?: (object: Pod) => Pod) {
  const indexer = new Indexer<Pod>({ store: 'compact' }, { clock: new FakeClock() });
  return { indexer, arrivals: arrivalsOf(indexer, transform) };
}

describe('the objects of a list that arrives', () => {
  it('are packed one by one, before the list is complete', () => {
    const { indexer, arrivals: arriving } = arrivals();
    arriving.begin();
    for (const object of pods(10)) expect(arriving.take(object)).toBeInstanceOf(PackedObject);
    expect(indexer.memory).toMatchObject({ objects: 0, packed: 10 });
  });

  it('are kept with 32 MiB of their texts at most until it is known whether they are packed', () => {
    const packed: unknown[] = [];
    const list = new Arrivals<Pod>({
      transform: undefined,
      packsFrom: () => false,
      pack: (object, { bytes }) => {
        packed.push(bytes?.length);
        return object;
      },
      discard: () => {},
    });
    const [half, one] = [new Uint8Array(16 * 1024 * 1024), new Uint8Array(1)];
    const taken = [half, half, one].map((bytes, i) => list.take(pod(`shop/p${i}`, 1), bytes));
    for (const object of taken) list.prepare(object);
    list.begin();
    list.prepare(list.take(pod('shop/next', 1), one));
    expect(packed).toEqual([half.length, half.length, undefined, 1]);
  });

  it('stay as they are where JSON cannot express them', () => {
    const { arrivals: arriving } = arrivals();
    const object = { ...pod('shop/a', 1), at: new Date(0) } as Pod;
    arriving.begin();
    expect(arriving.take(object)).toBe(object);
    expect(arriving.prepare(object)).toBe(object);
    expect(Object.keys(object)).toEqual(['apiVersion', 'kind', 'metadata', 'at']);
  });

  it('stay as they are without a key, which is reported when they are stored', () => {
    const { arrivals: arriving } = arrivals();
    const object = { kind: 'Pod' } as unknown as Pod;
    arriving.begin();
    expect([arriving.take(object), arriving.prepare(object)]).toEqual([object, object]);
  });

  it('are packed from the texts that came, the first ones too, which are kept parsed until the list is long', () => {
    const indexer = new Indexer<Pod>({ store: 'auto' }, { isFromServer: () => true, clock: new FakeClock() });
    const arriving = arrivalsOf(indexer);
    const text = (object: Pod) => Buffer.from(JSON.stringify(object, null, 1));
    const read = Buffer.alloc(8192); // memory that is used again for each object
    // more than the 8 MiB that stay parsed, so that most objects are read from their texts
    const all = pods(5_010).map((object, i) => ({ ...object, spec: { filler: `${i}`.padStart(4000, '.') } }) as Pod);
    arriving.begin();
    const taken = all.map((object) => arriving.take(object, read.subarray(0, text(object).copy(read))));
    const entries = taken.map((object) => (arriving.isPacked(object) ? object : arriving.prepare(object)));
    arriving.end();
    expect(taken.filter((object) => object instanceof PackedObject)).toHaveLength(10);
    indexer.replace(entries, '1');
    const textBytes = all.reduce((sum, object) => sum + text(object).length, 0);
    expect(indexer.memory).toMatchObject({ packed: 5_010, textBytes });
    expect(indexer.memory.hotObjects).toBeLessThan(2_500);
    expect(indexer.values().toArray()).toEqual(all);
  });

  it('are packed as the transform made them, not from the texts that came', () => {
    const indexer = new Indexer<Pod>({ store: 'auto' }, { isFromServer: () => true, clock: new FakeClock() });
    const arriving = arrivalsOf(indexer, (object) => ({ ...object, spec: {} }) as Pod);
    arriving.begin();
    for (const object of pods(5_010)) arriving.take(object, Buffer.from(JSON.stringify(object)));
    const first = arriving.prepare(pod('shop/a', 1));
    expect(indexer.store.open(first)).toEqual({ ...pod('shop/a', 1), spec: {} });
  });

  it('give their memory back when the list failed and another one begins', () => {
    const { indexer, arrivals: arriving } = arrivals();
    arriving.begin();
    for (const object of pods(100)) arriving.take(object);
    arriving.begin();
    expect(indexer.memory).toMatchObject({ packed: 0, textBytes: 0 });
  });

  it('give their memory back when the cache refuses to add them, or is to delete them', () => {
    const { indexer, arrivals: arriving } = arrivals();
    indexer.addIndexers({
      picky() {
        throw new Error('hm');
      },
    });
    const [one, other] = pods(2).map((object) => arriving.take(object)) as [Cached<Pod>, Cached<Pod>];
    arriving.end();
    expect(indexer.memory.packed).toBe(2);
    expect(() => indexer.add(one)).toThrow('hm');
    expect(indexer.memory.packed).toBe(1);
    indexer.delete(other);
    expect(indexer.memory).toMatchObject({ objects: 0, packed: 0 });
  });

  it('belong to the cache alone once they are stored: the next list gives back none of them', () => {
    const { indexer, arrivals: arriving } = arrivals();
    arriving.begin();
    indexer.replace(
      pods(10).map((object) => arriving.take(object)),
      '1',
    );
    arriving.end();
    indexer.update(pod('shop/p0', 100));
    arriving.begin();
    expect(indexer.memory).toMatchObject({ objects: 10, packed: 10 });
    expect(indexer.values().toArray()).toEqual([pod('shop/p0', 100), ...pods(10).slice(1)]);
  });

  it('are the objects in the cache if these are the same, which stay when the list fails', () => {
    const { indexer, arrivals: arriving } = arrivals();
    indexer.replace(pods(10), '1');
    arriving.begin();
    const entries = pods(10).map((object) => arriving.take(object) as unknown);
    expect(entries).toEqual([...indexer.store.items.values()]);
    for (const [i, [, each]] of [...indexer.store.items].entries()) expect(entries[i]).toBe(each);
    arriving.begin();
    expect(indexer.memory).toMatchObject({ objects: 10, packed: 10 });
    expect(indexer.values().toArray()).toEqual(pods(10));
  });

  it('are not the objects in the cache if they have no version: texts of one length may differ', () => {
    const { indexer, arrivals: arriving } = arrivals();
    indexer.replace([pod('shop/a', undefined)], '1');
    arriving.begin();
    expect(arriving.take(pod('shop/a', undefined))).not.toBe(indexer.store.items.get('shop/a'));
  });

  it('stay in the cache when the next list begins before this one is stored', async () => {
    const { indexer, arrivals: arriving } = arrivals();
    arriving.begin();
    const entries = pods(500).map((object) => arriving.take(object));
    const steps = indexer.replacing(entries, '1');
    steps.next();
    arriving.begin();
    for (const _ of steps);
    await settled();
    expect(indexer.memory).toMatchObject({ objects: 500, packed: 500 });
    expect(indexer.values().toArray()).toEqual(pods(500));
  });

  it.each<[string, (steps: Generator<undefined, void>) => void]>([
    ['is abandoned between two steps', (steps) => void steps.return()],
    [
      'fails for one object',
      (steps) =>
        expect(() => {
          for (const _ of steps);
        }).toThrow('on index "picky"'),
    ],
  ])('give their memory back when the replacement of the cache %s, which then stays as it was', async (_, end) => {
    const indexer = new Indexer<Pod>({ store: 'compact' }, { clock: new FakeClock() });
    indexer.replace(pods(10), '1');
    indexer.addIndexers({
      picky({ metadata }) {
        if (metadata.name === 'p400') throw new Error('hm');
        return [];
      },
    });
    const arriving = arrivalsOf(indexer);
    arriving.begin();
    const entries = pods(500, 1000).map((object) => arriving.take(object));
    arriving.end();
    expect(indexer.memory.packed).toBe(510);
    const steps = indexer.replacing(entries, '2');
    steps.next();
    end(steps);
    await settled();
    expect(indexer.memory).toMatchObject({ objects: 10, packed: 10 });
    expect([indexer.values().toArray(), indexer.resourceVersion]).toEqual([pods(10), '1']);
  });

  it('are transformed once', () => {
    let calls = 0;
    const { arrivals: arriving } = arrivals((object) => {
      calls++;
      return object;
    });
    arriving.begin();
    const entries = pods(10).map((object) => arriving.take(object));
    for (const object of entries) arriving.prepare(object);
    expect(calls).toBe(10);
  });

  it('that cannot be transformed fail when the list is queued, with the error of the transform', () => {
    const { arrivals: arriving } = arrivals(() => {
      throw new Error('no');
    });
    arriving.begin();
    const [object] = pods(1) as [Pod];
    expect(arriving.take(object)).toBe(object);
    expect(() => arriving.prepare(object)).toThrow('no');
  });
});

/** An informer with a compact store over the config maps of a server. */
async function informed(count: number, options: SharedInformerOptions<ConfigMap> = {}) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < count; i++) maps.put(`a/p${i}`);
  const informer = new SharedInformer<ConfigMap>(client.resource(CONFIG_MAPS), {
    clock,
    sync: 'list',
    store: 'compact',
    random: () => 0,
    logger: createLogger(() => {}),
    ...options,
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  const stop = async () => {
    controller.abort();
    await running;
    await sandbox.stop();
  };
  const relist = async () => {
    sandbox.faults.add({ fault: { kind: 'gone', after: 0 }, match: { watch: true } });
    await sandbox.restart({ keepHistory: true });
    await clock.advance(60_000);
  };
  return { informer, maps, clock, relist, stop };
}

describe('an informer with a compact store', () => {
  it('reports the error of a transform that returns no object, as with parsed objects', async () => {
    const errors: string[] = [];
    for (const store of ['objects', 'compact'] as const) {
      const { informer, stop } = await informed(1, { store, transform: () => undefined as never });
      errors.push((informer.lastError as Error).message);
      await stop();
    }
    expect(errors[0]).toContain("couldn't create key for object");
    expect(errors[1]).toBe(errors[0]);
  });

  it('takes no further memory when a list shows that nothing has changed', async () => {
    const { informer, relist, stop } = await informed(50);
    const before = informer.memory;
    await relist();
    expect(informer.continuity[0]?.relists).toBe(1);
    expect(informer.memory).toMatchObject({ packed: 50, storedBytes: before.storedBytes, textBytes: before.textBytes });
    await stop();
  });

  it.each(['objects', 'compact'] as const)(
    'reports at each list the objects that an index function refuses, and indexes them when it accepts them (%s)',
    async (store) => {
      let isBroken = true;
      const node = ({ data }: ConfigMap) => {
        if (isBroken) throw new Error('no');
        return [data?.node ?? ''];
      };
      const { informer, relist, stop } = await informed(3, { store, indexers: { node: node as never } });
      expect(informer.continuity[0]?.storeErrors).toBe(3);
      await relist();
      expect(informer.continuity[0]?.storeErrors).toBe(6);
      isBroken = false;
      await relist();
      expect(informer.continuity[0]).toMatchObject({ relists: 2, storeErrors: 6 });
      expect(informer.lister.indexKeys('node', 'n1')).toEqual(['a/p0', 'a/p1', 'a/p2']);
      await stop();
    },
  );
});

it('a source of objects that JSON cannot express keeps them as they are, with a compact store', async () => {
  const when = { ...pod('a/x', 1), when: new Date(5), big: 5n };
  const source = new ScriptedListerWatcher<Pod>().onWatch(new ScriptedStream<Pod>().send(added(when), initialEnd(10)));
  const informer = new SharedInformer<Pod>(source, { clock: new FakeClock(), store: 'compact' });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await settled();
  expect(informer.lister.list()).toEqual([when]);
  controller.abort();
  await running;
});

it('a namespace is listed with keys of another kind too, with a compact store', () => {
  const indexer = new Indexer<Pod>({ store: 'compact', keyOf: (object) => (object as Pod).metadata.uid ?? '' });
  const objects = [pod('shop/a', 1, { uid: 'u1' }), pod('other/a', 1, { uid: 'u2' })];
  for (const object of objects) indexer.add(object);
  expect(indexer.memory.packed).toBe(2);
  expect(createLister(indexer).list({ namespace: 'shop' })).toEqual([objects[0]]);
});
