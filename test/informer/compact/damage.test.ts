import { afterEach, describe, expect, it, vi } from 'vitest';
import { CompactStore } from '../../../src/informer/compact/compact-store.ts';
import { PackedObject } from '../../../src/informer/compact/packed-object.ts';
import type { InformerHandler } from '../../../src/informer/handlers/notification.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { ContinuityEvent } from '../../../src/informer/watch/continuity-ledger.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../../support/in-process.ts';

// An informer over a server whose cache has damaged memory.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});

async function informed(sync: 'list' | 'stream') {
  const { sandbox, clock, client } = await inProcess();
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 20; i++) maps.put(`a/p${i}`, `n${i}`);
  const handles: PackedObject[] = [];
  const { pack } = CompactStore.prototype;
  vi.spyOn(CompactStore.prototype, 'pack').mockImplementation(function (this: CompactStore<unknown>, ...args) {
    const cached = pack.apply(this, args);
    if (cached instanceof PackedObject) handles.push(cached);
    return cached;
  });
  const events: ContinuityEvent[] = [];
  const informer = new SharedInformer<ConfigMap>(client.resource(CONFIG_MAPS), {
    clock,
    sync,
    store: 'compact',
    random: () => 0,
    logger: createLogger(() => {}),
    indexers: { node: ({ data }) => [data?.node ?? ''] },
    onContinuity: (event) => events.push(event),
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  ends.push(async () => {
    controller.abort();
    await running;
    await sandbox.stop();
  });
  await clock.advance(1000);
  /** Changes one byte of the text of an object. */
  const damage = (key: string) => {
    const { block, at } = handles.findLast((each) => each.key === key) as PackedObject;
    const text = block.textAt(at, block.texts());
    text[text.length - 5] = (text[text.length - 5] as number) ^ 1;
  };
  const expectAgreement = () => {
    const cached = informer.lister.list().map((object) => JSON.stringify(object));
    expect(cached.sort()).toEqual(
      sandbox
        .list(CONFIG_MAPS)
        .map((object) => JSON.stringify(object))
        .sort(),
    );
    for (const key of informer.lister.keys())
      expect(informer.lister.indexKeys('node', informer.lister.get(key)?.data?.node ?? '')).toContain(key);
  };
  return { sandbox, maps, clock, informer, events, damage, expectAgreement };
}

const damaged = expect.objectContaining({ code: 'store', message: 'the memory of a cached object is damaged' });

describe.each(['list', 'stream'] as const)('damaged memory (%s)', (sync) => {
  it('is an error of the read, and then the state is listed again: the cache is right, the ledger has the reason', async () => {
    const { informer, clock, events, damage, expectAgreement } = await informed(sync);
    damage('a/p3');
    expect(() => informer.lister.list()).toThrow(damaged);
    await clock.advance(10_000);
    expectAgreement();
    expect(informer.continuity[0]?.relists).toBe(1);
    const kinds = events.map((event) => ('why' in event ? `${event.kind} ${event.why}` : event.kind));
    expect(kinds).toEqual(expect.arrayContaining(['relisted drift']));
    expect(events.some((event) => 'error' in event && String(event.error).includes('memory of a cached object'))).toBe(
      true,
    );
    expect(informer.lastError).toBeUndefined();
    await clock.advance(60_000);
    expect(informer.continuity[0]?.relists, 'and not again').toBe(1);
  });

  it('is not seen by a handler but as an error: it gets the object after the relist', async () => {
    const { informer, clock, damage } = await informed(sync);
    damage('a/p3');
    const handler = createRecordingHandler<ConfigMap>();
    const registration = informer.addHandler(handler);
    await clock.advance(10_000);
    expect(registration.errors).toBe(1);
    const about = handler.notifications.filter(({ key }) => key === 'a/p3');
    expect(about.map(({ kind, cause, object }) => [kind, cause, object])).toEqual([
      ['added', 'relist', informer.lister.get('a/p3')],
    ]);
    expect(handler.notifications.filter(({ kind }) => kind === 'added')).toHaveLength(20);
  });

  it('of an object that is gone after the relist does not keep its deletion from a handler', async () => {
    const { informer, clock, maps, damage, sandbox } = await informed(sync);
    damage('a/p3');
    expect(() => informer.lister.get('a/p3')).toThrow(damaged);
    sandbox.faults.add({ fault: { kind: 'delay', ms: 500 }, match: { watch: true } });
    maps.delete('a/p3');
    const seen: unknown[] = [];
    const handler: InformerHandler<ConfigMap> = {
      deleted: ({ metadata }, { key, finalStateUnknown }) => void seen.push([key, metadata.name, finalStateUnknown]),
    };
    informer.addHandler(handler);
    await clock.advance(10_000);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toEqual(['a/p3', 'p3', expect.any(Boolean)]);
    expect(informer.lister.has('a/p3')).toBe(false);
  });
});
