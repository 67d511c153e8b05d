import { describe, expect, it } from 'vitest';
import { createController } from '../../src/controller/controller.ts';
import type { ReconcileContext, ReconcileRequest } from '../../src/controller/reconciler.ts';
import { ShardGate } from '../../src/controller/shard-gate.ts';
import type { HeldShard } from '../../src/controller/sharding/shard-options.ts';
import { createInformerSource, informerEvents } from '../../src/controller/sources/informer-source.ts';
import { createEventSource, createTimerSource, type EventFeed } from '../../src/controller/sources/source.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { InformerError } from '../../src/kit/error.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { ShardSet } from '../../src/model/shard-set.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';

const OF = 3;
const SERVICES = { group: '', version: 'v1', resource: 'services' };
type Work = (request: ReconcileRequest, context: ReconcileContext) => Promise<unknown> | unknown;

/** A shard that this process has until the test says otherwise. */
function shardOf(index: number) {
  const abort = new AbortController();
  const lost = new InformerError('leadership', `shard ${index} was lost`);
  const held: HeldShard = {
    index,
    signal: abort.signal,
    get isHeld() {
      return abort.signal.reason !== lost;
    },
    get heldForMs() {
      return this.isHeld ? 10_000 : 0;
    },
    assertHeld: () => {
      if (abort.signal.reason === lost) throw lost;
    },
  };
  return {
    held,
    giveBack: () => abort.abort(new InformerError('closed', 'given back')),
    lose: () => abort.abort(lost),
  };
}

/** Events that can be delayed, as by a handler that has others before them. */
function late(events: EventFeed<ConfigMap>) {
  let waiting: (() => void)[] | undefined;
  const feed: EventFeed<ConfigMap> = {
    subscribe: (listener, skipped) =>
      events.subscribe((event) => {
        if (waiting) waiting.push(() => listener(event));
        else listener(event);
      }, skipped),
  };
  const release = () => {
    const all = waiting ?? [];
    waiting = undefined;
    for (const deliver of all) deliver();
  };
  return {
    feed,
    release,
    hold: () => {
      waiting = [];
    },
  };
}

/** A controller of 12 config maps, whose cache is whole, behind a gate. */
async function gated(work: Work = () => {}) {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 12; i++) maps.put(`a/m${i}`);
  const options = { clock, random: () => 0, logger: silentLogger };
  const informer = new SharedInformer<ConfigMap>(client.resource<ConfigMap>(CONFIG_MAPS), options);
  const services = new SharedInformer(client.resource(SERVICES), options);
  const shards = new ShardSet({ of: OF });
  const delayed = late(informerEvents(informer));
  const runs: string[] = [];
  const requests: ReconcileRequest[] = [];
  const waits: string[] = [];
  const drops: string[] = [];
  const gate = new ShardGate({
    shards,
    objects: () => informer.lister,
    graceMs: 5000,
    drop: (key) => {
      drops.push(key);
      controller.drop(key);
    },
    onWait: (index, isWaiting) => waits.push(`${index} ${isWaiting ? 'waits' : 'runs'}`),
    clock,
  });
  const controller = createController({
    name: 'maps',
    clock,
    logger: silentLogger,
    workers: 4,
    maxRetries: 1,
    reconcile: gate.reconciler(async (request, context) => {
      runs.push(request.key);
      requests.push(request);
      return (await work(request, context)) as undefined;
    }),
    sources: [
      createEventSource(gate.feed(delayed.feed), { name: 'maps', isPrimary: true }),
      gate.source(
        createInformerSource(services, {
          name: 'services',
          enqueue: ({ object }) => [`a/${object?.metadata.name}`],
        }),
      ),
      gate.source(createTimerSource({ everyMs: 60_000, keys: () => informer.lister.keys() })),
    ],
  });
  const abort = new AbortController();
  const all = [informer.run(abort.signal), services.run(abort.signal), controller.run(abort.signal)];
  await settled();
  /** The keys of the objects of a shard. */
  const keysOf = (index: number) =>
    sandbox
      .list(CONFIG_MAPS)
      .filter((object) => shards.indexOf(object) === index)
      .map(({ metadata }) => `a/${metadata.name}`)
      .sort();
  return {
    sandbox,
    clock,
    maps,
    controller,
    gate,
    requests,
    waits,
    drops,
    late: delayed,
    keysOf,
    /** The runs since the last call. */
    ran: async () => {
      await settled();
      await settled();
      return runs.splice(0).sort();
    },
    async [Symbol.asyncDispose]() {
      abort.abort();
      await clock.advance(60_000);
      await Promise.all(all);
      await sandbox.stop();
    },
  };
}

describe('a gate of shards', () => {
  it('says within a run for how long its shard is this process’s, and nothing outside of one', async () => {
    const lefts: ((() => number) | undefined)[] = [];
    await using place = await gated(() => void lefts.push(place.gate.leaseOfRun()));
    const shard = shardOf(1);
    place.gate.open(shard.held);
    await place.ran();
    expect(lefts[0]?.()).toBe(10_000);
    shard.lose();
    expect([lefts[0]?.(), place.gate.leaseOfRun()]).toEqual([0, undefined]);
  });

  it('lets no key through before a shard is open, and then all of that shard as at the start', async () => {
    await using place = await gated();
    expect(await place.ran()).toEqual([]);
    expect(place.keysOf(1).length).toBeGreaterThan(1);
    place.gate.open(shardOf(1).held);
    expect(await place.ran()).toEqual(place.keysOf(1));
    expect(place.requests[0]?.causes).toMatchObject([{ reason: 'added', via: 'initial' }]);
  });

  it('runs a key once for an object whose event comes after its shard has opened', async () => {
    await using place = await gated();
    place.late.hold();
    for (const key of place.keysOf(1)) place.maps.put(key, 'just before');
    await settled();
    place.gate.open(shardOf(1).held);
    expect(await place.ran()).toEqual(place.keysOf(1));
    place.late.release();
    expect(await place.ran()).toEqual([]);
    for (const key of place.keysOf(1)) place.maps.put(key, 'later');
    expect(await place.ran()).toEqual(place.keysOf(1));
  });

  it('lets a deletion through that only a list shows', async () => {
    await using place = await gated();
    place.gate.open(shardOf(1).held);
    await place.ran();
    const [key] = place.keysOf(1) as [string];
    void place.sandbox.restart({ keepHistory: false, downMs: 1000 });
    place.maps.delete(key);
    await place.clock.advance(60_000);
    expect(new Set(await place.ran())).toContain(key);
    expect(place.requests.find((request) => request.gone)?.key).toBe(key);
  });

  it('lets changes of its objects through, and none of others', async () => {
    await using place = await gated();
    place.gate.open(shardOf(1).held);
    await place.ran();
    for (const key of [...place.keysOf(0), ...place.keysOf(1)]) place.maps.put(key, 'changed');
    expect(await place.ran()).toEqual(place.keysOf(1));
    place.maps.put('b/new');
    const created = place.sandbox.get(CONFIG_MAPS, 'b/new');
    expect(await place.ran()).toEqual(place.gate.isOpenFor('b/new') ? ['b/new'] : []);
    expect(created).toBeDefined();
  });

  it('lets the deletion of its objects through, until that has been handled', async () => {
    let failures = 1;
    await using place = await gated(({ gone }) => {
      if (gone && failures-- > 0) throw new Error('not yet');
    });
    place.gate.open(shardOf(1).held);
    await place.ran();
    const [ours, others] = [place.keysOf(1)[0] as string, place.keysOf(0)[0] as string];
    place.maps.delete(ours);
    place.maps.delete(others);
    expect(await place.ran()).toEqual([ours]);
    await place.clock.advance(1000);
    expect(await place.ran()).toEqual([ours]);
    expect(place.requests.at(-1)?.gone?.metadata.name).toBe(ours.slice(2));
    expect(place.gate.isOpenFor(ours)).toBe(false);
  });

  it('drops its keys when it closes, also those of objects that were deleted and are not handled yet', async () => {
    await using place = await gated(({ gone }) => {
      if (gone) throw new Error('not yet');
    });
    place.gate.open(shardOf(1).held);
    await place.ran();
    const [gone, ...others] = place.keysOf(1) as [string];
    place.maps.delete(gone);
    expect(await place.ran()).toEqual([gone]);
    await place.gate.close(1);
    expect(place.drops.sort()).toEqual([gone, ...others].sort());
  });

  it('drops no key of an object that was created again in another shard, although its deletion was not handled', async () => {
    await using place = await gated(({ gone }) => {
      if (gone) throw new Error('not yet');
    });
    for (let index = 0; index < OF; index++) place.gate.open(shardOf(index).held);
    await place.ran();
    const moved: string[] = [];
    for (const key of place.keysOf(1)) {
      place.maps.delete(key);
      await place.ran();
      place.maps.put(key);
      await place.ran();
      if (!place.keysOf(1).includes(key)) moved.push(key);
    }
    expect(moved).not.toEqual([]);
    const others = place.keysOf(1);
    await place.gate.close(1);
    expect(place.drops.sort()).toEqual(others);
    expect(moved.map((key) => place.gate.isOpenFor(key))).toEqual(moved.map(() => true));
  });

  it('lets the keys of other sources through where their object is in an open shard', async () => {
    await using place = await gated();
    place.gate.open(shardOf(2).held);
    await place.ran();
    for (let i = 0; i < 12; i++) {
      const spec = { ports: [{ port: 80 }] };
      place.sandbox.apply([{ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'a', name: `m${i}` }, spec }]);
    }
    expect(await place.ran()).toEqual(place.keysOf(2));
    await place.clock.advance(60_000);
    expect(await place.ran()).toEqual(place.keysOf(2));
    expect(place.controller.explain(place.keysOf(0)[0] as never)).toMatchObject({ state: expect.anything() });
  });

  it('lets the deletion of an object whose state is not known through where its key is in an open shard', async () => {
    await using place = await gated();
    const [key] = place.keysOf(1) as [string];
    const [taken, skipped]: [unknown[], unknown[]] = [[], []];
    let emit: (event: object) => void = () => {};
    const subscribe = (listener: typeof emit) => {
      emit = listener;
      return { [Symbol.dispose]() {}, whenSynced: async () => {} };
    };
    place.gate.feed({ subscribe } as never).subscribe(
      (event) => void taken.push(event),
      (event) => void skipped.push(event),
    );
    const event = { type: 'deleted', key, object: undefined, cause: 'relist' };
    emit(event);
    expect([taken, skipped]).toEqual([[], [event]]);
    place.gate.open(shardOf(1).held);
    taken.length = 0; // the objects of the shard, as at the start
    emit(event);
    expect([taken, skipped]).toEqual([[event], [event]]);
  });

  it('leaves to see which caches a source reads, also after it has begun', async () => {
    await using place = await gated();
    const inner = { name: 'other', start: () => {}, reads: undefined as unknown };
    const source = place.gate.source(inner as never);
    expect(source.reads).toBeUndefined();
    inner.reads = [{ name: 'v1/services' }];
    expect(source.reads).toBe(inner.reads);
  });

  it('says of which events of other sources it lets no key through, and nothing of a timer', async () => {
    await using place = await gated();
    const emits: unknown[][] = [];
    let given: (...args: unknown[]) => void = () => {};
    const start = (emit: typeof given) => {
      given = emit;
    };
    const skipped: unknown[] = [];
    place.gate
      .source({ name: 'other', start } as never)
      .start((...args) => void emits.push(args), { skipped: (skip: unknown) => skipped.push(skip) } as never);
    const [key] = place.keysOf(1) as [string];
    const event = { type: 'updated', key: 'a/s', cause: 'watch' };
    given(key, { cause: { source: 'other' } });
    expect([emits, skipped]).toEqual([[], []]);
    given(key, { event, cause: { source: 'other' } });
    expect([emits, skipped]).toMatchObject([
      [],
      [{ event, origin: { source: 'other' }, why: 'predicate', by: 'the shards of this replica' }],
    ]);
    expect((skipped[0] as { leadsTo(): string[] }).leadsTo()).toEqual([key]);
    place.gate.open(shardOf(1).held);
    given(key, { event, cause: { source: 'other' } }, 3);
    expect([emits.map(([at, , priority]) => [at, priority]), skipped.length]).toEqual([[[key, 3]], 1]);
  });

  it('is closed when the last run has ended, and nothing of the shard runs or waits from then on', async () => {
    const slow = Promise.withResolvers<void>();
    let first: string | undefined;
    await using place = await gated(async ({ key }) => {
      first ??= key;
      if (key === first) await slow.promise;
      else throw new Error('fails');
    });
    const shard = shardOf(1);
    place.gate.open(shard.held);
    await place.ran();
    await place.clock.advance(100);
    expect(place.controller.parked.length).toBeGreaterThan(0);
    let isClosed = false;
    shard.giveBack();
    const closing = place.gate.close(1).then(() => {
      isClosed = true;
    });
    await place.ran();
    expect(isClosed).toBe(false);
    for (const key of place.keysOf(1)) place.maps.put(key, 'changed');
    expect(await place.ran()).toEqual([]);
    slow.resolve();
    await closing;
    await place.clock.advance(60_000);
    expect(await place.ran()).toEqual([]);
    const { counts } = place.controller.snapshot();
    expect(counts).toMatchObject({ queued: 0, delayed: 0, parked: 0, processing: 0 });
  });

  it('opens again with all keys of the shard', async () => {
    await using place = await gated();
    for (let round = 0; round < 3; round++) {
      place.gate.open(shardOf(0).held);
      expect(await place.ran()).toEqual(place.keysOf(0));
      await place.gate.close(0);
    }
  });

  it.each([
    ['at once when its shard is lost', 'lose', 0],
    ['after the grace when its shard is given back', 'giveBack', 5000],
  ] as const)('ends a run %s', async (_, how, afterMs) => {
    let reason: unknown;
    await using place = await gated(
      (_, { signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            reason ??= signal.reason;
            resolve();
          });
        }),
    );
    const shard = shardOf(1);
    place.gate.open(shard.held);
    await place.ran();
    shard[how]();
    await place.clock.advance(Math.max(0, afterMs - 1));
    expect(reason === undefined).toBe(afterMs > 0);
    await place.clock.advance(1);
    expect(String(reason)).toMatch(how === 'lose' ? /shard 1 was lost/ : /shard 1 is given back/);
  });

  it('begins no run while its lease is not renewed, says it once, and runs each key with its causes later', async () => {
    await using place = await gated();
    let isHeld = false;
    const { held } = shardOf(1);
    const late: HeldShard = {
      ...held,
      get isHeld() {
        return isHeld;
      },
    };
    place.gate.open(late);
    await place.clock.advance(10_000);
    expect(await place.ran()).toEqual([]);
    expect(place.waits).toEqual(['1 waits']);
    isHeld = true;
    await place.clock.advance(1000);
    expect(await place.ran()).toEqual(place.keysOf(1));
    expect(place.waits).toEqual(['1 waits', '1 runs']);
    expect(place.requests[0]?.causes).toMatchObject([{ reason: 'added', via: 'initial' }]);
  });

  it('leaves no timer of a run that ends within the grace of a shard that is given back', async () => {
    const slow = Promise.withResolvers<void>();
    await using place = await gated(() => slow.promise);
    const shard = shardOf(1);
    place.gate.open(shard.held);
    await place.ran();
    const before = place.clock.pending;
    shard.giveBack();
    const closing = place.gate.close(1);
    await place.ran();
    expect(place.clock.pending).toBeGreaterThan(before);
    slow.resolve();
    await closing;
    await place.ran();
    expect(place.clock.pending).toBe(before);
  });

  it('refuses the writes of a run whose shard was lost, also after a pause, and of no other', async () => {
    const results = new Map<string, string>();
    await using place = await gated(async ({ key }) => {
      await place.clock.sleep(1000);
      try {
        place.gate.assertHeld();
        results.set(key, 'sent');
      } catch (error) {
        results.set(key, (error as InformerError).code);
      }
    });
    const [kept, lost] = [shardOf(0), shardOf(1)];
    place.gate.open(kept.held);
    place.gate.open(lost.held);
    await place.ran();
    lost.lose();
    place.gate.assertHeld();
    await place.clock.advance(5000);
    for (const key of place.keysOf(0)) expect(results.get(key)).toBe('sent');
    expect([...results].filter(([, result]) => result === 'leadership').map(([key]) => key)).not.toEqual([]);
    for (const key of place.keysOf(1)) expect(results.get(key)).not.toBe('sent');
  });
});
