import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Delta, DeltaFifo, type DeltaFifoOptions } from '../../../src/informer/store/delta-fifo.ts';
import { type KubeObject, Tombstone } from '../../../src/model/object.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { pod } from '../../support/objects.ts';

type Pod = KubeObject;

const fifo = (options: DeltaFifoOptions<Pod> = {}) => new DeltaFifo<Pod>(options);

function text(delta: Delta<Pod>): string {
  switch (delta.type) {
    case 'ReplacedAll':
      return `ReplacedAll ${delta.resourceVersion} [${delta.objects.map((o) => `${o.metadata.name}${o.metadata.resourceVersion}`).join(',')}]`;
    case 'Merged':
      return `Merged ${delta.resourceVersion}`;
    case 'SyncAll':
      return 'SyncAll';
    case 'Bookmark':
      return `Bookmark ${delta.resourceVersion}`;
    case 'Continuity':
      return `Continuity ${delta.event.kind}`;
    default: {
      const { object } = delta;
      return object instanceof Tombstone
        ? `${delta.type} tombstone ${object.key}`
        : `${delta.type} ${object.metadata.name}${object.metadata.resourceVersion}`;
    }
  }
}

/** Takes everything, one delta or batch at a time. */
async function takeAll(queue: DeltaFifo<Pod>, how: 'pop' | 'popBatch' = 'pop'): Promise<string[][]> {
  const taken: string[][] = [];
  while (queue.size > 0) await queue[how]((deltas) => void taken.push(deltas.map(text)));
  return taken;
}

it('a list that arrived is ended when it is queued, whole or merged; its packed objects are queued as they are', async () => {
  const calls: string[] = [];
  const packed = pod('packed', 1);
  const queue = fifo({
    transform: (object) => {
      calls.push(`transform ${object.metadata.name}`);
      return object;
    },
    arrivals: {
      begin: () => calls.push('begin'),
      end: () => calls.push('end'),
      take: (object) => (object.metadata.name === 'foo' ? object : packed),
      isPacked: (object) => object === packed,
    },
  });
  const taken = () => {
    queue.arriving();
    return [queue.arrived(pod('foo', 2)), queue.arrived(pod('bar', 2))];
  };
  queue.replace(taken(), '2');
  expect(calls.splice(0)).toEqual(['begin', 'transform foo', 'end']);
  queue.merge(taken(), () => true, '3');
  expect(calls).toEqual(['begin', 'transform foo', 'end']);
  expect(await takeAll(queue)).toEqual([['ReplacedAll 2 [foo2,packed1]'], ['Merged 3']]);
});

it('without arrivals takes the objects of a list as they are', () => {
  const queue = fifo();
  queue.arriving();
  const object = pod('foo', 1);
  expect(queue.arrived(object)).toBe(object);
});

describe('order', () => {
  it('keeps every change of a key, each by itself [FIFO-01]', async () => {
    const queue = fifo();
    queue.add(pod('foo', 10));
    queue.update(pod('foo', 12));
    queue.delete(pod('foo', 15));
    expect(await takeAll(queue)).toEqual([['Added foo10'], ['Updated foo12'], ['Deleted foo15']]);
  });

  it('is that of arrival, across keys [FIFO-02]', async () => {
    const queue = fifo();
    for (const [name, version] of [
      ['foo', 10],
      ['bar', 1],
      ['foo', 11],
      ['foo', 13],
      ['zab', 30],
    ] as const)
      queue.add(pod(name, version));
    const first: string[] = [];
    await queue.pop((deltas) => void first.push(...deltas.map(text)));
    queue.add(pod('foo', 14));
    expect(first).toEqual(['Added foo10']);
    expect((await takeAll(queue)).flat()).toEqual([
      'Added bar1',
      'Added foo11',
      'Added foo13',
      'Added zab30',
      'Added foo14',
    ]);
  });

  it('includes the deletion of an unknown object [FIFO-03]', async () => {
    const queue = fifo();
    queue.add(pod('foo', 10));
    queue.update(pod('bar', 15));
    queue.add(pod('qux', 17));
    queue.delete(pod('qux', 18));
    queue.delete(pod('baz', 20));
    expect((await takeAll(queue)).flat()).toEqual([
      'Added foo10',
      'Updated bar15',
      'Added qux17',
      'Deleted qux18',
      'Deleted baz20',
    ]);
  });

  it('has one entry for a list, a resync and a bookmark each [FIFO-12] [FIFO-14]', async () => {
    const queue = fifo();
    queue.add(pod('foo', 1));
    queue.bookmark('123');
    queue.replace([], '1234');
    queue.resync();
    expect((await takeAll(queue)).flat()).toEqual(['Added foo1', 'Bookmark 123', 'ReplacedAll 1234 []', 'SyncAll']);
  });
});

describe('the sync mark', () => {
  it('is set at once by a change that comes before any list, and reported once [FIFO-15]', () => {
    let told = 0;
    const queue = fifo({ onSynced: () => told++ });
    expect(queue.hasSynced).toBe(false);
    queue.bookmark('1');
    queue.resync();
    expect(queue.hasSynced).toBe(false);
    queue.add(pod('a', 1));
    expect(queue.hasSynced).toBe(true);
    queue.add(pod('b', 1));
    queue.replace([], '5');
    expect(told).toBe(1);
  });

  it.each([[[]], [[pod('a', 1), pod('b', 1)]]])(
    'is set when the first list has been processed, even an empty one [FIFO-15] [FIFO-17]',
    async (objects) => {
      const queue = fifo();
      queue.replace(objects, '5');
      queue.add(pod('c', 6));
      const seen: [boolean, boolean][] = [];
      await queue.pop((_, isInInitialList) => void seen.push([isInInitialList, queue.hasSynced]));
      expect(seen).toEqual([[true, false]]);
      expect(queue.hasSynced).toBe(true);
      await queue.pop((_, isInInitialList) => void seen.push([isInInitialList, queue.hasSynced]));
      expect(seen[1]).toEqual([false, true]);
    },
  );

  it('waits for a bookmark queued before the list too, and for the promise of the callback', async () => {
    let synced = 0;
    const queue = fifo({ onSynced: () => synced++ });
    queue.bookmark('1');
    queue.replace([], '5');
    await queue.pop(() => {});
    expect(queue.hasSynced).toBe(false);
    let finish = () => {};
    const popping = queue.pop(() => new Promise<void>((resolve) => (finish = resolve)));
    await settled();
    expect(queue.hasSynced).toBe(false);
    finish();
    await popping;
    expect([queue.hasSynced, synced]).toEqual([true, 1]);
  });

  it('is reported once, and only the first list is marked as initial', async () => {
    let synced = 0;
    const queue = fifo({ onSynced: () => synced++ });
    queue.replace([pod('a', 1)], '5');
    queue.replace([pod('a', 2)], '6');
    const initial: boolean[] = [];
    await queue.pop((_, isInInitialList) => void initial.push(isInInitialList));
    expect(queue.hasSynced).toBe(true);
    await queue.pop((_, isInInitialList) => void initial.push(isInInitialList));
    expect([synced, initial]).toEqual([1, [true, false]]);
  });

  it('is set also when the processing of the list threw, and stays set', async () => {
    const queue = fifo();
    queue.replace([], '5');
    await expect(queue.pop(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(queue.hasSynced).toBe(true);
    queue.replace([], '6');
    expect(queue.hasSynced).toBe(true);
  });
});

describe('batches', () => {
  it('contain at most the batch size [FIFO-20]', async () => {
    const queue = fifo({ batchSize: 2 });
    for (const name of ['a', 'b', 'c']) queue.add(pod(name, 1));
    expect(await takeAll(queue, 'popBatch')).toEqual([['Added a1', 'Added b1'], ['Added c1']]);
  });

  it('never contain the initial list together with later changes [FIFO-21]', async () => {
    const queue = fifo();
    queue.bookmark('1');
    queue.replace([pod('a', 1)], '2');
    queue.update(pod('b', 3));
    queue.update(pod('c', 4));
    const flags: boolean[] = [];
    while (queue.size > 0) await queue.popBatch((_, isInInitialList) => void flags.push(isInInitialList));
    expect(flags).toEqual([true, true, false]);
  });

  it('contain a key once', async () => {
    const queue = fifo();
    queue.add(pod('a', 1));
    queue.add(pod('b', 1));
    queue.update(pod('a', 2));
    queue.delete(pod('b', 3));
    expect(await takeAll(queue, 'popBatch')).toEqual([
      ['Added a1', 'Added b1'],
      ['Updated a2', 'Deleted b3'],
    ]);
    for (const [name, version] of [
      ['a', 1],
      ['b', 2],
      ['b', 3],
      ['c', 4],
    ] as const)
      queue.add(pod(name, version));
    expect(await takeAll(queue, 'popBatch')).toEqual([
      ['Added a1', 'Added b2'],
      ['Added b3', 'Added c4'],
    ]);
  });

  it('end with an object whose key the transform has removed [FIFO-23]', async () => {
    const strip = (object: Pod) =>
      object.metadata.name?.startsWith('bad') ? ({ spec: object.metadata.name } as unknown as Pod) : object;
    const queue = fifo({ transform: strip });
    for (const name of ['ok1', 'ok2', 'bad3', 'bad4']) queue.add(pod(name, 1));
    const sizes: number[] = [];
    while (queue.size > 0) await queue.popBatch((deltas) => void sizes.push(deltas.length));
    expect(sizes).toEqual([3, 1]);
    for (const name of ['bad1', 'ok2', 'ok3']) queue.add(pod(name, 1));
    while (queue.size > 0) await queue.popBatch((deltas) => void sizes.push(deltas.length));
    expect(sizes).toEqual([3, 1, 1, 2]);
  });

  it('never mix lists, resyncs and bookmarks with changes [FIFO-24]', async () => {
    const queue = fifo();
    queue.add(pod('a', 1));
    queue.resync();
    queue.add(pod('b', 1));
    queue.bookmark('9');
    queue.replace([], '10');
    expect(await takeAll(queue, 'popBatch')).toEqual([
      ['Added a1'],
      ['SyncAll'],
      ['Added b1'],
      ['Bookmark 9'],
      ['ReplacedAll 10 []'],
    ]);
  });
});

describe('the transform', () => {
  it('runs once for every object and never for a tombstone [FIFO-25]', async () => {
    let runs = 0;
    const queue = fifo({
      transform: (object) => {
        runs++;
        return object;
      },
    });
    queue.add(pod('a', 1));
    queue.update(pod('a', 2));
    queue.delete(pod('a', 3));
    queue.replace([pod('b', 1), pod('c', 1)], '5');
    queue.delete(new Tombstone('b', pod('b', 1)));
    queue.resync();
    await takeAll(queue);
    expect(runs).toBe(5);
  });

  it('that throws keeps the change out of the queue [FIFO-25]', () => {
    const queue = fifo({
      transform: () => {
        throw new Error('bad');
      },
    });
    expect(() => queue.add(pod('a', 1))).toThrow('transforming: bad');
    expect(() => queue.replace([pod('a', 1)], '5')).toThrow('transforming: bad');
    expect(queue.size).toBe(0);
  });

  it('that removes the key of an object keeps the whole list out, because the list would be incomplete', () => {
    const queue = fifo({ transform: () => ({}) as Pod });
    expect(() => queue.replace([pod('a', 1)], '5')).toThrow('object has no meta');
    expect([queue.size, queue.hasSynced]).toEqual([0, false]);
  });
});

it('refuses an object without a key and queues nothing [IDX-14]', () => {
  const queue = fifo();
  expect(() => queue.add({} as Pod)).toThrow("couldn't create key for object: object has no meta");
  expect(() => queue.replace([pod('a', 1), {} as Pod], '5')).toThrow('object has no meta');
  expect(queue.size).toBe(0);
});

it('refuses options that it does not have', () => {
  expect(() => fifo({ size: 1 } as never)).toThrow('"size"');
  expect(() => fifo({ onSynced: true } as never)).toThrow('onSynced');
});

it('is closed by using', async () => {
  const queue = fifo();
  expect(queue.isClosed).toBe(false);
  queue[Symbol.dispose]();
  expect(queue.isClosed).toBe(true);
  await expect(queue.pop(() => {})).rejects.toThrow('the delta queue is closed');
});

it('restores a stored list with the keys of its objects, without its transform, and refuses one without a key', async () => {
  const queue = fifo({ transform: () => expect.unreachable() });
  queue.restore([pod('ns/foo', 1)], '7');
  const taken: Delta<Pod>[] = [];
  await queue.pop((deltas) => void taken.push(...deltas));
  const stored = { objects: [pod('ns/foo', 1)], keys: ['ns/foo'], resourceVersion: '7', isStored: true };
  expect(taken).toEqual([{ type: 'ReplacedAll', ...stored }]);
  expect(() => queue.restore([{} as Pod], '8')).toThrow("couldn't create key for object");
  expect(queue.size).toBe(0);
});

it('refuses sizes below 1 [FIFO-28]', () => {
  expect(() => fifo({ batchSize: 0 })).toThrow('batchSize must be at least 1, not 0');
  expect(() => fifo({ highWater: Number.NaN })).toThrow('highWater');
  expect(fifo({ batchSize: 1, highWater: 1 }).size).toBe(0);
});

it('is idle when no delta is queued and none is being processed', async () => {
  const queue = fifo();
  const seen = [queue.isIdle];
  queue.add(pod('a', 1));
  seen.push(queue.isIdle);
  let finish = () => {};
  const popping = queue.pop(() => new Promise<void>((resolve) => (finish = resolve)));
  await settled();
  seen.push(queue.isIdle);
  finish();
  await popping;
  seen.push(queue.isIdle);
  expect(seen).toEqual([true, false, false, true]);
});

it('reports the number of queued deltas after each push and each take', async () => {
  const depths: number[] = [];
  const queue = fifo({ metrics: { queued: (depth) => depths.push(depth) } });
  queue.add(pod('a', 1));
  queue.add(pod('b', 1));
  queue.bookmark('3');
  await queue.popBatch(() => {});
  await queue.pop(() => {});
  expect(depths).toEqual([1, 2, 3, 1, 0]);
});

describe('closing', () => {
  it('ends every wait, each with "closed" [FIFO-19]', async () => {
    const queue = fifo();
    const ends = Promise.allSettled(Array.from({ length: 10 }, () => queue.pop(() => {})));
    await settled();
    expect(queue.isClosed).toBe(false);
    queue.close();
    expect(queue.isClosed).toBe(true);
    expect(await ends).toMatchObject(Array(10).fill({ status: 'rejected', reason: { code: 'closed' } }));
  });

  it('leaves the queued deltas to be taken, one by one or as a batch [FIFO-19]', async () => {
    for (const how of ['pop', 'popBatch'] as const) {
      const queue = fifo();
      queue.replace([pod('a', 1)], '1');
      queue.add(pod('b', 2));
      queue.close();
      expect((await takeAll(queue, how)).flat()).toEqual(['ReplacedAll 1 [a1]', 'Added b2']);
      expect(queue.hasSynced).toBe(true);
      await expect(queue[how](() => {})).rejects.toMatchObject({ code: 'closed' });
    }
  });

  it('releases a producer that waits for room', async () => {
    const queue = fifo({ batchSize: 1, highWater: 1 });
    queue.add(pod('a', 1));
    const room = queue.room(new AbortController().signal);
    queue.close();
    await room;
    expect(queue.room(new AbortController().signal)).toBeUndefined();
  });

  it('is not needed: a wait also ends by its signal', async () => {
    const queue = fifo();
    const controller = new AbortController();
    const popping = queue.pop(() => {}, { signal: controller.signal });
    controller.abort();
    await expect(popping).rejects.toBe(controller.signal.reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

it('drops a delta whose processing threw and goes on with the next [FIFO-29]', async () => {
  const queue = fifo();
  queue.add(pod('a', 1));
  queue.add(pod('b', 1));
  await expect(
    queue.pop(() => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await takeAll(queue)).toEqual([['Added b1']]);
});

it('makes the producer wait from the high-water mark until half of it is gone', async () => {
  const queue = fifo({ batchSize: 2, highWater: 4 });
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i++) queue.add(pod(`p${i}`, 1));
  expect(queue.room(signal)).toBeUndefined();
  queue.add(pod('p3', 1));
  let hasRoom = false;
  void queue.room(signal)?.then(() => (hasRoom = true));
  await queue.pop(() => {});
  await settled();
  expect(hasRoom).toBe(false);
  await queue.pop(() => {});
  await settled();
  expect(hasRoom).toBe(true);
});

it('makes the producer wait at 2000 deltas and takes 1000 at once, by default', async () => {
  const queue = fifo();
  for (let i = 0; i < 2000; i++) queue.add(pod(`p${i}`, 1));
  const controller = new AbortController();
  const room = queue.room(controller.signal);
  expect(room).toBeDefined();
  await queue.popBatch((deltas) => void expect(deltas).toHaveLength(1000));
  await room;
});

it('is not idle while its last list is being applied, though it is empty; and is idle after a failure', async () => {
  const queue = fifo();
  expect(queue.isIdle).toBe(true);
  queue.replace([pod('a', 1)], '1');
  expect(queue.isIdle).toBe(false);
  let applied = () => {};
  const popping = queue.popBatch(() => new Promise<void>((resolve) => (applied = resolve)));
  await Promise.resolve();
  expect([queue.size, queue.isIdle]).toEqual([0, false]);
  applied();
  await popping;
  expect(queue.isIdle).toBe(true);

  queue.resync();
  await expect(queue.popBatch(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(queue.isIdle).toBe(true);
});

it('a take waits for the next delta, of whichever kind', async () => {
  const queue = fifo();
  const taken: string[] = [];
  const take = () => queue.pop((deltas) => void taken.push(...deltas.map(text)));
  const pushes = [
    () => queue.replace([], '1'),
    () => queue.add(pod('foo', 2)),
    () => queue.merge([], () => true, '3'),
    () => queue.bookmark('4'),
    () => queue.continuity({ kind: 'gap' } as never),
  ];
  for (const push of pushes) {
    const waiting = take();
    await settled();
    const before = taken.length;
    push();
    await waiting;
    expect(taken).toHaveLength(before + 1);
  }
  expect(taken).toEqual(['ReplacedAll 1 []', 'Added foo2', 'Merged 3', 'Bookmark 4', 'Continuity gap']);
});

it('has no continuity event before the initial list, or a change', async () => {
  const queue = fifo();
  queue.continuity({ kind: 'gap' } as never);
  expect(queue.size).toBe(0);
  queue.add(pod('foo', 1));
  queue.continuity({ kind: 'gap' } as never);
  expect(await takeAll(queue)).toEqual([['Added foo1'], ['Continuity gap']]);
});

it.each<[string, (queue: DeltaFifo<Pod>, objects: Pod[]) => void]>([
  ['list', (queue, objects) => queue.replace(objects, '1')],
  ['merge', (queue, objects) => queue.merge(objects, () => true, '1')],
])('a %s whose objects arrive is refused if one has no key, before its transform or after it', (_, put) => {
  const nameless = { kind: 'Pod' } as Pod;
  const transforms: ((object: Pod) => Pod)[] = [() => pod('named', 1), () => nameless];
  for (const [i, transform] of transforms.entries()) {
    const queue = fifo({
      transform,
      arrivals: { begin: () => {}, end: () => {}, take: (object) => object, isPacked: () => false },
    });
    expect(() => put(queue, [i === 0 ? nameless : pod('foo', 1)])).toThrow("couldn't create key for object");
    expect(queue.size).toBe(0);
  }
});
