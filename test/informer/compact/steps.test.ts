import { describe, expect, it } from 'vitest';
import type { StoreMemory } from '../../../src/informer/compact/compact-store.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

// The work of a compact store between two moments at which other code runs.

/** A clock on which each look takes a millisecond. It notes what a store has done at each pause. */
class CountingClock extends FakeClock {
  look: () => number = () => 0;
  readonly seen: number[] = [];
  #looks = 0;

  override monotonic(): number {
    return this.#looks++;
  }

  override yield(): Promise<void> {
    this.seen.push(this.look());
    return super.yield();
  }
}

const pods = (count: number, version = 1) =>
  Array.from({ length: count }, (_, i) => pod(`shop/p${i}`, version + i, { node: `n${i % 7}` }));

/** The most that was done between two pauses. */
const largestStep = (seen: readonly number[]) => Math.max(...seen.slice(1).map((n, i) => n - (seen[i] as number)));

async function idle(clock: CountingClock): Promise<void> {
  for (let before = -1; before < clock.seen.length; ) {
    before = clock.seen.length;
    await settled();
  }
}

function made(store: 'compact' | 'auto', what: keyof StoreMemory) {
  const clock = new CountingClock();
  const indexer = new Indexer<Pod>({ store }, { clock });
  clock.look = () => Number(indexer.memory[what]);
  return { clock, indexer };
}

describe('a compact store lets other code run', () => {
  it('after at most 64 objects, while an index is added', () => {
    const { indexer } = made('compact', 'packed');
    indexer.replace(pods(3000), '1');
    let calls = 0;
    const node = ({ spec }: Pod) => {
      calls++;
      return [spec?.nodeName ?? ''];
    };
    const before: number[] = [];
    for (const _ of indexer.addingIndexers({ node })) before.push(calls);
    expect([calls, indexer.indexCount('node', 'n1')]).toEqual([3000, 429]);
    expect(largestStep([0, ...before, calls])).toBeLessThanOrEqual(64);
  });

  it('after at most 64 objects, while all objects are replaced', () => {
    const { indexer } = made('compact', 'packed');
    indexer.replace(pods(3000), '1');
    const seen: number[] = [0];
    for (const _ of indexer.replacing(pods(3000, 10_000), '2')) seen.push(indexer.memory.packed - 3000);
    expect(seen.length).toBeGreaterThan(40);
    expect(largestStep(seen)).toBeLessThanOrEqual(64);
    expect(indexer.get('shop/p0')?.metadata.resourceVersion).toBe('10000');
  });

  it('after a few times 64 objects, when it begins to pack because there are more than 5,000', async () => {
    const { clock, indexer } = made('auto', 'packed');
    for (const object of pods(5000)) indexer.add(object);
    await idle(clock);
    expect(indexer.memory).toMatchObject({ objects: 5000, packed: 0 });
    for (const object of pods(5002).slice(5000)) indexer.add(object);
    await idle(clock);
    expect(indexer.memory).toMatchObject({ objects: 5002, packed: 5002 });
    expect(clock.seen.length).toBeGreaterThan(20);
    expect(largestStep(clock.seen)).toBeLessThanOrEqual(4 * 64);
    expect(indexer.values().toArray()).toEqual(pods(5002));
  });

  it('after a few blocks, when it repacks because most objects were deleted', async () => {
    const { clock, indexer } = made('compact', 'repacked');
    for (const object of pods(6000)) indexer.add(object);
    for (const [i, { metadata }] of pods(6000).entries()) if (i % 4 > 0) indexer.deleteKey(`shop/${metadata.name}`);
    await idle(clock);
    expect(indexer.memory.repacked).toBeGreaterThan(50);
    expect(largestStep(clock.seen)).toBeLessThanOrEqual(4);
    expect(indexer.values().toArray()).toEqual(pods(6000).filter((_, i) => i % 4 === 0));
  });

  it('and does not lose or mix anything that is written while it packs', async () => {
    const { clock, indexer } = made('auto', 'packed');
    const expected = new Map<string, Pod>();
    const put = (object: Pod) => {
      indexer.add(object);
      expected.set(`shop/${object.metadata.name}`, object);
    };
    for (const object of pods(5100)) put(object);
    for (let turn = 0; indexer.memory.packed < expected.size; turn++) {
      expect(turn).toBeLessThan(1000);
      put(pod(`shop/p${(turn * 97) % 5100}`, 20_000 + turn));
      const gone = `shop/p${(turn * 89 + 1) % 5100}`;
      indexer.deleteKey(gone);
      expected.delete(gone);
      if (turn === 7) {
        const others = pods(5050, 50_000);
        indexer.replace(others, '60000');
        expected.clear();
        for (const object of others) expected.set(`shop/${object.metadata.name}`, object);
      }
      await settled();
    }
    await idle(clock);
    expect(new Map(indexer.entries())).toEqual(expected);
    expect(indexer.memory).toMatchObject({ objects: expected.size, packed: expected.size });
  });
});
