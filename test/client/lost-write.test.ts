import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { fencedTransport } from '../../src/client/http/fenced-transport.ts';
import type { Transport } from '../../src/client/http/transport.ts';
import { InformerError } from '../../src/kit/error.ts';
import { type LostWrite, observingWrites, type StoredWrite } from '../../src/model/stored-write.ts';
import { CONFIG_MAPS, type ConfigMap, inProcess, through } from '../support/in-process.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

const map = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: name.endsWith('-') ? { generateName: name } : { name },
});

type Failing = (transport: Transport) => Transport;

const failing =
  (code: string, isServed = true): Failing =>
  (transport) =>
    through(transport, async (request, send) => {
      if (request.method === 'GET') return send(request);
      if (isServed) for await (const _ of (await send(request)).body);
      throw Object.assign(new Error('broken'), { code });
    });

/** What is noted of one write of an object that exists, or does not, over a transport that fails. */
async function noted(
  fails: Failing,
  write: (api: ReturnType<typeof apiOf>) => Promise<unknown>,
): Promise<{ stored: StoredWrite[]; lost: LostWrite[]; error: unknown; version: string | undefined }> {
  await using place = await inProcess({
    objects: [{ ...map('there'), metadata: { name: 'there', namespace: 'shop' } }],
  });
  const stored: StoredWrite[] = [];
  const lost: LostWrite[] = [];
  const outcome = { stored: (each: StoredWrite) => stored.push(each), lost: (each: LostWrite) => lost.push(each) };
  const error = await observingWrites(
    () => outcome as never,
    () => write(apiOf(fails(place.transport))).catch((reason: unknown) => reason),
  );
  for (const { read } of lost) if (read) stored.push(...(await read(new AbortController().signal)));
  const [first] = place.sandbox.list(CONFIG_MAPS, { namespace: 'shop' });
  return { stored, lost, error, version: first?.metadata.resourceVersion };
}

const apiOf = (transport: Transport) => createClient(transport).resource<ConfigMap>(CONFIG_MAPS, { namespace: 'shop' });

it.each<[string, (api: ReturnType<typeof apiOf>) => Promise<unknown>, Partial<StoredWrite>[]]>([
  [
    'a patch',
    (api) => api.patch('there', { data: { a: '1' } }, { type: 'merge' }),
    [{ key: 'shop/there', isGone: false }],
  ],
  ['a deletion', (api) => api.delete('there'), [{ key: 'shop/there', isGone: true }]],
  ['a creation with a name', (api) => api.create(map('new')), [{ key: 'shop/new', isGone: false }]],
  ['a creation without a name', (api) => api.create(map('new-')), []],
  ['a deletion of a collection', (api) => api.deleteCollection({ all: true }), []],
])('%s whose answer is lost is known, and its object is read if it names one', async (_, write, found) => {
  const { lost, stored } = await noted(failing('ECONNRESET'), write);
  expect(lost).toMatchObject([{ gvr: CONFIG_MAPS, namespace: 'shop' }]);
  expect(stored).toMatchObject(found);
});

it.each([
  ['an eviction', 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'there' } }],
  [
    'a binding',
    'binding',
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'there' }, target: { kind: 'Node', name: 'n' } },
  ],
])('%s is answered without the object, which is read', async (_, subresource, body) => {
  const there = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'there', namespace: 'shop' } };
  await using place = await inProcess({ objects: [{ ...there, spec: { containers: [{ name: 'c', image: 'i' }] } }] });
  const pods = place.client.resource(PODS, { namespace: 'shop' });
  const lost: LostWrite[] = [];
  const outcome = { stored() {}, lost: (each: LostWrite) => lost.push(each) };
  const create = (options: object) =>
    observingWrites(
      () => outcome as never,
      () => pods.create(body, { name: 'there', subresource, ...options }),
    );
  await create({ dryRun: true });
  expect(lost).toEqual([]);
  const before = place.sandbox.resourceVersion;
  await create({});
  const [found] = (await lost[0]?.read?.(new AbortController().signal)) ?? [];
  expect(found?.key).toBe('shop/there');
  expect(found?.isGone || Number(found?.resourceVersion) > Number(before)).toBe(true);
});

it('of an object that was not created nothing is found', async () => {
  const { lost, stored } = await noted(failing('ECONNRESET', false), (api) => api.create(map('new')));
  expect([lost.length, stored]).toEqual([1, []]);
});

it.each<[string, Failing, number]>([
  ['a connection that broke', failing('ECONNRESET'), 1],
  ['a server that was silent', failing('ETIMEDOUT'), 1],
  ['a request that was given up', failing('ABORT_ERR'), 1],
  ['a connection that was refused', failing('ECONNREFUSED', false), 0],
  ['a host without a name', failing('ENOTFOUND', false), 0],
  ['a failure of the server', answering(504), 1],
  ['an error inside the server', answering(500), 1],
  ['a conflict', answering(409), 0],
  ['a refusal', answering(403), 0],
  ['too many requests', answering(429), 0],
  ['an answer that is no JSON', answering(200, '<html>'), 1],
  [
    'a lease that is lost',
    (transport) =>
      fencedTransport(transport, () => {
        throw new InformerError('leadership', 'lost');
      }),
    0,
  ],
])('%s: whether the write may be stored', async (_, fails, count) => {
  const { lost, error } = await noted(fails, (api) => api.patch('there', { data: { a: '1' } }, { type: 'merge' }));
  expect(error).toBeInstanceOf(Error);
  expect(lost).toHaveLength(count);
});

it('a dry run and a write that was answered are not lost', async () => {
  const dry = await noted(failing('ECONNRESET'), (api) => api.patch('there', {}, { type: 'merge', dryRun: true }));
  expect(dry.lost).toEqual([]);
  const answered = await noted(
    (transport) => transport,
    (api) => api.patch('there', { data: {} }, { type: 'merge' }),
  );
  expect([answered.lost, answered.stored.length]).toEqual([[], 1]);
});

function answering(status: number, body = '{}'): Failing {
  return (transport) =>
    through(transport, async (request, send) => {
      const response = await send(request);
      return request.method === 'GET' ? response : { ...response, status, body: text(body) };
    });
}

async function* text(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}
