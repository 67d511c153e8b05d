import { expect, it } from 'vitest';
import { controllerForKeys } from '../../../src/controller/builder/keyed-builder.ts';
import { recordKey } from '../../../src/controller/builder/typed-keys.ts';
import { createTimerSource } from '../../../src/controller/sources/source.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { type ConfigMap, inProcess } from '../../support/in-process.ts';

interface Tenant {
  readonly tenant: string;
  readonly zone?: string | undefined;
}
const MAPS = parseGvr<ConfigMap>('v1/configmaps');
const map = (name: string, tenant: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', labels: { tenant } },
});

it('reconciles records of its own, each once however many objects lead to it', async () => {
  await using server = await inProcess({ objects: [map('a', 'red'), map('b', 'red'), map('c', 'blue')] });
  const factory = dynamicInformerFactory(server.client);
  const runs: object[] = [];
  const controller = await controllerForKeys<Tenant>(factory)
    .watches(MAPS, ({ metadata }) => [{ zone: undefined, tenant: metadata.labels?.tenant ?? '' }])
    .reconcile((key, request) => void runs.push({ ...key, causes: request.causes.length }), { name: 'tenants' });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  factory.start(stop.signal);
  await settled();
  expect(runs.splice(0)).toEqual([
    { tenant: 'red', causes: 2 },
    { tenant: 'blue', causes: 1 },
  ]);
  controller.enqueue(recordKey({ zone: 'eu', tenant: 'red' }));
  await settled();
  expect(runs).toEqual([{ tenant: 'red', zone: 'eu', causes: 1 }]);
  expect(controller.explain(recordKey({ tenant: 'red', zone: 'eu' })).state).toBe('idle');
  stop.abort();
  await running;
  await factory.shutdown();
});

it('says of which cluster an event is, and counts the record of several clusters once', async () => {
  await using eu = await inProcess({ objects: [map('a', 'red')] });
  await using us = await inProcess({ objects: [map('a', 'red')] });
  const factories = { eu: dynamicInformerFactory(eu.client), us: dynamicInformerFactory(us.client) };
  const runs: string[] = [];
  const seen = new Set<string>();
  const controller = await controllerForKeys<Tenant, 'eu' | 'us'>(factories)
    .watches(MAPS, ({ metadata }, { cluster }) => {
      seen.add(cluster);
      return [{ tenant: metadata.labels?.tenant ?? '' }];
    })
    .reconcile(({ tenant }) => void runs.push(tenant), { name: 'tenants' });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  for (const factory of Object.values(factories)) factory.start(stop.signal);
  await settled();
  expect([...seen].sort()).toEqual(['eu', 'us']);
  expect(runs).toEqual(['red']);
  stop.abort();
  await running;
});

it('takes other sources of keys, and refuses other values, and wrong options before it asks a server', async () => {
  await using server = await inProcess({ objects: [] });
  const factory = dynamicInformerFactory(server.client);
  const runs: object[] = [];
  const controller = await controllerForKeys<Tenant>(factory)
    .source(createTimerSource({ everyMs: 60_000, keys: () => [recordKey({ tenant: 'red' })] }))
    .reconcile((key) => void runs.push(key), { name: 'tenants', clock: server.clock });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  await settled();
  await server.clock.advance(60_000);
  expect(runs).toEqual([{ tenant: 'red' }]);
  stop.abort();
  await running;
  const before = server.sent.length;
  const other = controllerForKeys<Tenant>(factory).watches(MAPS, () => []);
  expect(() => other.source({} as never)).toThrow(expect.objectContaining({ code: 'argument' }));
  for (const options of [7, { name: 'a', workers: 0 }])
    await expect(other.reconcile(() => {}, options as never)).rejects.toMatchObject({ code: 'argument' });
  expect(server.sent.length).toBe(before);
});

it('logs an event whose record is none, and names a controller', async () => {
  await using server = await inProcess({ objects: [map('a', 'red')] });
  const builder = controllerForKeys<Tenant>(dynamicInformerFactory(server.client));
  await expect(builder.reconcile(() => {}, {} as never)).rejects.toThrow('a controller needs a name');
  await expect(builder.reconcile(undefined as never, { name: 'a' })).rejects.toThrow('reconcile must be a function');
});
