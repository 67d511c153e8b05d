import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cached } from '../../../src/informer/compact/packed-object.ts';
import { type Applied, applyingDeltas } from '../../../src/informer/store/apply-deltas.ts';
import type { Delta } from '../../../src/informer/store/delta-fifo.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Indexer } from '../../support/store-under-test.ts';

const pod = (namespace: string, n: number, version: number): UnknownObject => ({
  metadata: { name: `p${n}`, namespace, uid: `${n}-${version % 2}`, resourceVersion: String(version) },
  color: version % 3 === 0 ? 'red' : 'blue',
});
const keyOf = ({ metadata }: UnknownObject) => `${metadata.namespace}/${metadata.name}`;

/** The objects as a handler knows them from its notifications. Throws at a notification that contradicts them. */
class Follower {
  readonly known = new Map<string, unknown>();
  readonly #indexer: Indexer<UnknownObject>;

  constructor(indexer: Indexer<UnknownObject>) {
    this.#indexer = indexer;
    for (const [key, object] of indexer.entries()) this.known.set(key, object);
  }

  /** The object itself; with a compact store, which decodes it, what it says. */
  #stateOf(object: unknown): unknown {
    const { store } = this.#indexer;
    return store.keepsObjects ? object : JSON.stringify(store.open(object as Cached<UnknownObject>, true));
  }

  expectToKnowAll(): void {
    const states = (objects: Iterable<[string, unknown]>) =>
      new Map(Iterator.from(objects).map(([key, object]) => [key, this.#stateOf(object)] as const));
    expect(states(this.known)).toEqual(states(this.#indexer.entries()));
  }

  take({ notifications }: Applied<Cached<UnknownObject>>): void {
    for (const told of notifications) {
      const known = this.known.get(told.key);
      if (told.kind === 'added') expect(known).toBeUndefined();
      else if (told.kind === 'deleted') expect(known).toBeDefined();
      else expect(this.#stateOf(known)).toBe(this.#stateOf(told.oldObject));
      if (told.kind === 'deleted') this.known.delete(told.key);
      else this.known.set(told.key, told.object);
    }
  }
}

it('the notifications add up to the store, with lists applied in steps between changes of other sources, also for late handlers', () => {
  const namespaces = ['a', 'b'] as const;
  const change = fc.record({
    lane: fc.nat(1),
    kind: fc.constantFrom('list', 'add', 'delete', 'index', 'handler'),
    from: fc.nat(30),
    count: fc.integer({ min: 0, max: 1500 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 24 }), (script) => {
      const indexer = new Indexer<UnknownObject>({ indexers: { color: (object) => [String(object.color)] } });
      const followers = [new Follower(indexer)];
      const running: (Generator<undefined, Applied<Cached<UnknownObject>>> | undefined)[] = [undefined, undefined];
      let version = 0;
      const step = (lane: number) => {
        const next = running[lane]?.next();
        if (!next?.done) return;
        running[lane] = undefined;
        expect(next.value.error).toBeUndefined();
        for (const follower of followers) follower.take(next.value);
      };
      const begin = (lane: number, delta: Delta<Cached<UnknownObject>>) => {
        while (running[lane]) step(lane); // a lane applies one thing after the other
        const namespace = namespaces[lane] as string;
        running[lane] = applyingDeltas([delta], indexer, {
          isInInitialList: false,
          within: (key) => key.startsWith(`${namespace}/`),
        });
        step(lane);
      };
      for (const { lane, kind, from, count } of script) {
        const namespace = namespaces[lane] as string;
        version++;
        if (kind === 'list') {
          const objects = Array.from({ length: count }, (_, i) => pod(namespace, from + i, version));
          if (count > 1) objects.push(pod(namespace, from, version)); // a key twice
          begin(lane, { type: 'ReplacedAll', objects, resourceVersion: String(version) });
        } else if (kind === 'index') {
          if (!indexer.hasIndex(`i${from}`))
            indexer.addIndexers({ [`i${from}`]: (object) => [String(object.metadata.resourceVersion)] });
        } else if (kind === 'handler') followers.push(new Follower(indexer));
        else {
          const object = pod(namespace, from, version);
          begin(lane, { type: kind === 'add' ? 'Added' : 'Deleted', object, key: keyOf(object) });
        }
        for (let i = 0; i < from % 3; i++) step((lane + i) % 2);
        expect(indexer.byIndex('color', 'red').length + indexer.byIndex('color', 'blue').length).toBe(indexer.size);
      }
      for (const lane of [0, 1]) while (running[lane]) step(lane);
      for (const follower of followers) follower.expectToKnowAll();
      for (const name of indexer.indexNames) {
        const filed = indexer.indexValues(name).flatMap((value) => indexer.cachedByIndex(name, value));
        expect(new Set(filed)).toEqual(new Set(indexer.store.items.values()));
      }
    }),
    { numRuns: 60 },
  );
});
