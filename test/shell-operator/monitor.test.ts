import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { KubernetesBinding } from '../../src/shell-operator/hook-config.ts';
import { type BindingEvent, Monitor } from '../../src/shell-operator/monitor.ts';
import type { ObjectFilter } from '../../src/shell-operator/object-filter.ts';
import { settled } from '../../src/testing/fake-clock.ts';

const TYPE = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' } as ResourceType;
const pod = (name: string, resourceVersion: string, label = 'x') => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion, labels: { label } },
});
const BINDING = {
  at: 'kubernetes[0]',
  name: 'pods',
  keepsObjects: true,
  events: new Set(['Added', 'Modified', 'Deleted']),
};

function monitorOf({
  binding = {},
  filter = false,
  apply,
  names,
}: {
  binding?: object;
  filter?: boolean;
  apply?: ObjectFilter['apply'];
  names?: Set<string>;
} = {}) {
  const events: string[] = [];
  const failures: string[] = [];
  const monitor = new Monitor({
    hook: 'a.sh',
    binding: { ...BINDING, ...binding } as unknown as KubernetesBinding,
    filter: apply
      ? { apply }
      : filter
        ? {
            apply: async (texts) =>
              texts.map((text) => {
                const { label } = JSON.parse(text).metadata.labels;
                return label === 'bad' ? new Error('no') : JSON.stringify(label);
              }),
          }
        : undefined,
    onEvent: ({ watchEvent, entry }: BindingEvent) =>
      events.push(`${watchEvent} ${entry.name} ${entry.filtered ?? ''}`.trim()),
    onFailure: ({ message }) => failures.push(message),
    redact: (object) => object,
    signal: new AbortController().signal,
  });
  const { added, updated, deleted } = monitor.handler(TYPE, names) as Record<string, (...args: unknown[]) => void>;
  const names_ = () => monitor.snapshot().map(({ name }) => name);
  return {
    monitor,
    events,
    failures,
    names: names_,
    add: added,
    update: (o: object) => updated?.({}, o),
    remove: deleted,
  };
}

describe('the objects of a binding', () => {
  it('come as its whole state first, and as events from then on', async () => {
    const { monitor, events, names, add, update, remove } = monitorOf();
    add?.(pod('b', '1'));
    add?.(pod('a', '2'));
    await monitor.loaded();
    expect(names()).toEqual(['a', 'b']);
    expect(monitor.snapshot()[0]?.object).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    monitor.unlock();
    add?.(pod('c', '3'));
    update(pod('a', '4'));
    remove?.(pod('b', '5'));
    await settled();
    expect(events).toEqual(['Added c', 'Modified a', 'Deleted b']);
    expect(names()).toEqual(['a', 'c']);
  });

  it('are events only where the result of the filter changes', async () => {
    const { monitor, events, add, update } = monitorOf({ filter: true });
    add?.(pod('a', '1'));
    await monitor.loaded();
    monitor.unlock();
    update(pod('a', '2'));
    update(pod('a', '3', 'y'));
    await settled();
    expect(events).toEqual(['Modified a "y"']);
    expect(monitor.snapshot()[0]).toMatchObject({ resourceVersion: '3', filtered: '"y"' });
  });

  it('are kept as events until the whole state was seen; what a look at it shows is dropped', async () => {
    const { monitor, events, names, add } = monitorOf();
    await monitor.loaded();
    add?.(pod('a', '1'));
    await settled();
    expect(names()).toEqual(['a']);
    add?.(pod('b', '2'));
    await settled();
    expect(events).toEqual([]);
    monitor.unlock();
    expect(events).toEqual(['Added b']);
  });

  it('are no events that the binding does not want, and no objects that it does not keep', async () => {
    const { monitor, events, add, remove } = monitorOf({
      filter: true,
      binding: { events: new Set(['Deleted']), keepsObjects: false },
    });
    await monitor.loaded();
    monitor.unlock();
    add?.(pod('a', '1'));
    await settled();
    expect(monitor.snapshot()).toEqual([
      { namespace: 'shop', name: 'a', kind: 'Pod', object: undefined, filtered: '"x"', resourceVersion: '1' },
    ]);
    remove?.(pod('a', '2'));
    await settled();
    expect(events).toEqual(['Deleted a "x"']);
  });

  it('have only the names of the selector', async () => {
    const { monitor, names, add } = monitorOf({ names: new Set(['a']) });
    add?.(pod('a', '1'));
    add?.(pod('b', '2'));
    await monitor.loaded();
    expect(names()).toEqual(['a']);
  });

  it('begin not at all where the filter fails on one of the first; later its event is left out, and it is said', async () => {
    const first = monitorOf({ filter: true });
    first.add?.(pod('a', '1', 'bad'));
    await expect(first.monitor.loaded()).rejects.toThrow('a.sh kubernetes[0].jqFilter fails on shop/a: no');
    const { monitor, events, failures, add } = monitorOf({ filter: true });
    await monitor.loaded();
    monitor.unlock();
    add?.(pod('a', '1', 'bad'));
    add?.(pod('b', '2'));
    await settled();
    expect({ events, failures }).toEqual({
      events: ['Added b "x"'],
      failures: ['a.sh kubernetes[0].jqFilter fails on shop/a: no'],
    });
  });

  it('begin not at all where the filter does not end; later its events are left out, in one line', async () => {
    const apply = () => Promise.reject(new Error('it has run for 30s'));
    const first = monitorOf({ apply });
    for (const name of ['a', 'b', 'c']) first.add?.(pod(name, '1'));
    await expect(first.monitor.loaded()).rejects.toThrow(
      'a.sh kubernetes[0].jqFilter fails on shop/a and 2 more: it has run for 30s',
    );
    const { monitor, failures, add } = monitorOf({ apply });
    await monitor.loaded();
    monitor.unlock();
    for (const name of ['a', 'b']) add?.(pod(name, '1'));
    await settled();
    expect(failures).toEqual(['a.sh kubernetes[0].jqFilter fails on shop/a and 1 more: it has run for 30s']);
  });

  it('leave it with their namespace', async () => {
    const { monitor, events, names, add } = monitorOf();
    add?.(pod('a', '1'));
    await monitor.loaded();
    monitor.unlock();
    monitor.leave([pod('a', '1') as never], TYPE);
    await settled();
    expect({ events, names: names() }).toEqual({ events: ['Deleted a'], names: [] });
  });
});
