import { describe, expect, it, vi } from 'vitest';
import type { ReconcileRequest } from '../../../src/controller/reconciler.ts';
import type { ResourceEvent } from '../../../src/controller/resource-event.ts';
import { createEventSource, createTimerSource } from '../../../src/controller/sources/source.ts';
import { jsonText } from '../../../src/kit/exact-json.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { added, start } from '../../support/controller.ts';
import { ScriptedSource } from '../../support/scripted-source.ts';

describe('sources', () => {
  it('a mapper that throws, or returns a text that is no key, affects only that event, which is logged', async () => {
    const reconcile = vi.fn();
    const lines: string[] = [];
    const logger = createLogger((level, line, fields) => lines.push(`${level}: ${line} ${jsonText(fields)}`));
    const { controller } = await start({ reconcile, logger });
    const services = new ScriptedSource();
    const enqueue = ({ key }: ResourceEvent) => {
      if (key === 'shop/bad') throw new Error('cannot map');
      return [key === 'shop/odd' ? 'a/b/c' : key];
    };
    controller.watch(createEventSource(services, { name: 'v1/services', enqueue }));
    for (const name of ['bad', 'odd', 'good']) services.emit(added(name));
    await settled();
    expect(reconcile.mock.calls.map(([request]) => request.key)).toEqual(['shop/good']);
    const [threw, noKey, ...others] = lines.filter((line) => line.includes('could not be mapped'));
    expect(threw).toContain('"source":"v1/services","key":"shop/bad","error":"cannot map"');
    expect(noKey).toContain('"key":"shop/odd"');
    expect(others).toEqual([]);
  });

  it('events that a predicate does not pass queue nothing', async () => {
    const reconcile = vi.fn();
    const { controller } = await start({ reconcile });
    const services = new ScriptedSource();
    controller.watch(
      createEventSource(services, { name: 'v1/services', predicate: ({ object }) => object?.metadata.name === 'b' }),
    );
    services.emit(added('a'));
    services.emit(added('b'));
    await settled();
    expect(reconcile.mock.calls.map(([request]) => request.key)).toEqual(['shop/b']);
  });

  it('what delays a source is what delays its events', () => {
    const events = { subscribe: () => new ScriptedSource().subscribe(() => {}), trouble: () => 'no connection' };
    expect(createEventSource(events, { name: 'v1/services' }).trouble?.()).toBe('no connection');
    expect(createEventSource(new ScriptedSource(), { name: 'v1/services' }).trouble?.()).toBeUndefined();
  });

  it('a timer needs a positive interval', () => {
    for (const everyMs of [0, -1, Number.NaN])
      expect(() => createTimerSource({ everyMs, keys: () => [] })).toThrow(
        `everyMs must be above zero, not ${everyMs}`,
      );
  });

  it('a timer queues all keys at its interval, behind changes, and ends with the controller', async () => {
    const order: string[] = [];
    const clock = new FakeClock();
    const reconcile = async ({ key, causes }: ReconcileRequest) => {
      order.push(`${key} ${causes[0]?.reason}`);
      await clock.sleep(1);
    };
    const { controller, events, abort, run } = await start({ reconcile, clock });
    controller.watch(createTimerSource({ everyMs: 600_000, keys: () => ['shop/a', 'shop/b'] }));
    await clock.advance(599_999);
    expect(order).toEqual([]);
    clock.tick(1);
    events.emit(added('change'));
    await clock.advance(10);
    expect(order).toEqual(['shop/a generic', 'shop/change added', 'shop/b generic']);
    await clock.advance(600_000);
    expect(order).toHaveLength(5);
    abort.abort();
    await run;
    expect(clock.pending).toBe(0);
  });

  it('an object that began or ceased to match a filter has its earlier state, and is not gone', async () => {
    const reconcile = vi.fn();
    const { events } = await start({ reconcile });
    const [old, now] = [added('a').object, added('a').object];
    for (const type of ['added', 'deleted'] as const) {
      events.emit({ type, key: 'shop/a', cause: 'filter', object: now, oldObject: old });
      await settled();
    }
    expect(reconcile.mock.calls.map(([{ before, gone, causes }]) => [before === old, gone, causes[0].reason])).toEqual([
      [true, undefined, 'added'],
      [true, undefined, 'deleted'],
    ]);
  });
});
