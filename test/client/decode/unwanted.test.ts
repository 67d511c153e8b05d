import { describe, expect, it } from 'vitest';
import { readList } from '../../../src/client/decode/list-body.ts';
import { WatchStream } from '../../../src/client/decode/watch-body.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { UnwantedObjects } from '../../../src/model/unwanted-objects.ts';
import type { WatchEvent } from '../../../src/model/watch-event.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

/** Bytes in pieces of any size. */
async function* pieces(text: string, random: () => number, most: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * most);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** What looks like the end of an object, and like another object, inside of one. */
const nested = (random: () => number) => ({
  items: Array.from({ length: Math.floor(random() * 3) }, (_, i) => ({
    metadata: { name: `inner-${i}`, uid: `b-${i}`, namespace: 'b' },
  })),
  text: '"},{"metadata":{"uid":"b"}}] é\\',
});

function objectOf(i: number, random: () => number) {
  const metadata = { name: `o-${i}`, namespace: random() < 0.5 ? 'a' : 'b', uid: `${random() < 0.5 ? 'a' : 'b'}-${i}` };
  const odd = random();
  if (odd < 0.05) return { metadata: { ...metadata, uid: undefined, namespace: undefined }, spec: nested(random) };
  if (odd < 0.15) return { spec: nested(random), metadata };
  if (odd < 0.2) return { metadata: { annotations: { uid: 'b', namespace: 'b' }, ...metadata } };
  return { metadata, spec: nested(random) };
}

const asked: string[] = [];
const unwanted = (by: UnwantedObjects['by']): UnwantedObjects => ({
  by,
  leavesOut: (value) => {
    asked.push(value);
    return value.startsWith('b');
  },
});
const isWanted = (object: UnknownObject, by: UnwantedObjects['by']) =>
  !object.metadata[by === 'uid' ? 'uid' : 'namespace']?.startsWith('b'); // a key begins with its namespace

describe.each(['uid', 'namespace', 'name'] as const)('what is unwanted by %s', (by) => {
  it.each([false, true])('a list has what a list of all has without it, in any pieces; a table: %s', async (table) => {
    const random = seededRandom(5);
    for (let round = 0; round < 60; round++) {
      const objects = Array.from({ length: 12 }, (_, i) => objectOf(i, random));
      const head = table
        ? { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '7' }, columnDefinitions: [] }
        : { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
      const rows = objects.map((object) => ({ cells: [], object }));
      const text = JSON.stringify(
        { ...head, ...(table ? { rows } : { items: objects }) },
        null,
        round % 5 === 0 ? 1 : 0,
      );
      const read = (options: { unwanted?: UnwantedObjects }, seen: number[]) =>
        readList<UnknownObject>(pieces(text, random, round % 2 === 0 ? 40 : 4000), {
          gvr: PODS,
          table,
          dropManagedFields: true,
          onItems: (count) => seen.push(count),
          ...options,
        });
      const [allSeen, seen]: [number[], number[]] = [[], []];
      const all = await read({}, allSeen);
      asked.length = 0;
      const some = await read({ unwanted: unwanted(by) }, seen);
      // an object in an unusual form may come all the same: its reader decides
      const left = some.items.filter((object) => isWanted(object, by));
      expect(left).toEqual(all.items.filter((object) => isWanted(object, by)));
      expect(some.items.length).toBeLessThan(all.items.length);
      expect(some.resourceVersion).toBe('7');
      const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
      expect(sum(seen)).toBe(sum(allSeen));
      if (by === 'uid') expect(new Set(asked).size).toBe(asked.length); // each object once
    }
  });

  it('a watch has what it has without them; a chunk of nothing else is an empty batch, as a sign of life', async () => {
    const random = seededRandom(9);
    const events = Array.from({ length: 200 }, (_, i) => {
      const type = ['ADDED', 'MODIFIED', 'DELETED'][i % 3];
      if (i % 20 === 19)
        return { type: 'BOOKMARK', object: { metadata: { uid: 'b', namespace: 'b', resourceVersion: `${i}` } } };
      if (i === 150)
        return { type: 'ERROR', object: { kind: 'Status', metadata: { uid: 'b', namespace: 'b' }, code: 410 } };
      return { type, object: { kind: 'Pod', apiVersion: 'v1', ...objectOf(i, random) } };
    });
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    async function* oneByOne() {
      for (const line of lines) yield Buffer.from(line);
    }
    const stream = new WatchStream<UnknownObject>(oneByOne(), {
      gvr: PODS,
      table: false,
      dropManagedFields: true,
      unwanted: unwanted(by),
    });
    const batches: WatchEvent<UnknownObject>[][] = [];
    for await (const batch of stream) batches.push(batch);
    expect(batches).toHaveLength(events.length);
    const wanted = events.filter(
      ({ type, object }) => ['BOOKMARK', 'ERROR'].includes(type ?? '') || isWanted(object as UnknownObject, by),
    );
    const got = batches
      .flat()
      .filter(({ type, object }) => ['BOOKMARK', 'ERROR'].includes(type) || isWanted(object as UnknownObject, by));
    expect(got).toEqual(JSON.parse(JSON.stringify(wanted)));
    expect(batches.filter((batch) => batch.length === 0).length).toBeGreaterThan(50);
  });
});

it('a watch of tables leaves no table out: it may have several rows', async () => {
  const object = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { uid: 'b', namespace: 'b', name: 'b' } };
  const row = { cells: [], object: { metadata: { name: 'x', uid: 'b' } } };
  const text = `${JSON.stringify({ type: 'ADDED', object: { ...object, columnDefinitions: [], rows: [row, row] } })}\n`;
  for (const by of ['uid', 'namespace', 'name'] as const) {
    const body = pieces(text, () => 0.5, 100);
    const options = { gvr: PODS, table: true, dropManagedFields: true, unwanted: unwanted(by) };
    const events: unknown[] = [];
    for await (const batch of new WatchStream<UnknownObject>(body, options)) events.push(...batch);
    expect(events).toHaveLength(2);
  }
});

it('a list that breaks off in an object that is left out is cut', async () => {
  const text = JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    items: [{ metadata: { uid: 'a' } }, { metadata: { uid: 'b', labels: {} } }],
  });
  for (let cut = 1; cut < 30; cut++) {
    const body = pieces(text.slice(0, -cut), () => 0.5, 60);
    const reading = readList(body, { gvr: PODS, table: false, dropManagedFields: true, unwanted: unwanted('uid') });
    await expect(reading).rejects.toThrow('the response ends in the middle of it');
  }
});

describe('an object whose first bytes do not show its key whole', () => {
  const never: UnwantedObjects = { by: 'name', leavesOut: () => expect.unreachable() };
  it.each([
    ['has no namespace', '{"name":"b"}'],
    ['has no name', '{"namespace":"b"}'],
    ['has neither', '{}'],
  ])('is decoded: it %s', async (_, metadata) => {
    const text = `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":${metadata}}]}`;
    const body = pieces(text, () => 0.5, 1000);
    const options = { gvr: PODS, table: false, dropManagedFields: false, unwanted: never };
    const { items } = await readList<UnknownObject>(body, options);
    expect(items).toHaveLength(1);
  });
});
