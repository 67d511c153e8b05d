import { describe, expect, it } from 'vitest';
import { ResourceApi } from '../../src/client/resource-api.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { cellsOf } from '../../src/model/cells.ts';
import { isConflict, isExpired, isNotFound, StatusError } from '../../src/model/status.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { bytes, cut, type FakeAnswer, fakeTransport, recorded } from './fake-transport.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

function api(answer: FakeAnswer, options: ConstructorParameters<typeof ResourceApi>[2] = { namespace: 'shop' }) {
  const transport = fakeTransport(() => answer);
  return { transport, pods: new ResourceApi<Pod>(transport, PODS, options) };
}

interface Pod {
  kind?: string;
  apiVersion?: string;
  metadata: { name: string; resourceVersion?: string; managedFields?: unknown[] };
}

async function eventsOf(watch: AsyncIterable<readonly WatchEvent<Pod>[]>): Promise<WatchEvent<Pod>[]> {
  const events: WatchEvent<Pod>[] = [];
  for await (const batch of watch) events.push(...batch);
  return events;
}

async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

describe('ResourceApi.list', () => {
  it('asks for the collection with its options and gives the page', async () => {
    const list = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7', continue: 'c', remainingItemCount: 3 },
      items: [{ metadata: { name: 'a' } }],
    };
    const { pods, transport } = api({ body: list });
    const page = await pods.list({ limit: 1, resourceVersion: '0', labelSelector: 'app=web' });
    expect(transport.requests[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&resourceVersion=0&limit=1',
      headers: { accept: 'application/json' },
    });
    expect(page).toEqual({
      resourceVersion: '7',
      continue: 'c',
      remainingItemCount: 3,
      items: [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }],
    });
  });

  it('fills in kind and apiVersion wherever the list says them, and leaves those an item has', async () => {
    for (const text of [
      '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{}},{"kind":"X","apiVersion":"y/v1","metadata":{}}]}',
      '{"items":[{"metadata":{}},{"kind":"X","apiVersion":"y/v1","metadata":{}}],"apiVersion":"v1","kind":"PodList"}',
    ]) {
      const { pods } = api({ chunks: bytes(cut(text, [4]).map(String)) });
      expect((await pods.list()).items.map((item) => `${item.apiVersion} ${item.kind}`)).toEqual(['v1 Pod', 'y/v1 X']);
    }
  });

  it('takes managedFields off when told to, and touches no other field of that name', async () => {
    const item = { metadata: { managedFields: [1], name: 'a', labels: { managedFields: 'x' } }, spec: { managedFields: 1 } };
    const body = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [item] };
    const kept = (await api({ body }).pods.list()).items[0];
    expect(kept?.metadata.managedFields).toEqual([1]);
    const { metadata, ...rest } = (await api({ body }, { dropManagedFields: true }).pods.list()).items[0] ?? expect.unreachable();
    expect(metadata).toEqual({ name: 'a', labels: { managedFields: 'x' } });
    expect(rest).toMatchObject({ spec: { managedFields: 1 } });
  });

  it('refuses a table that it did not ask for [REF-49]', async () => {
    const error = await thrownBy(api({ body: { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] } }).pods.list());
    expect((error as Error).message).toBe('unsupported list gvk: meta.k8s.io/v1, Kind=Table');
  });

  it('refuses an object that is no list', async () => {
    const error = await thrownBy(api({ body: { kind: 'Pod', apiVersion: 'v1', metadata: {} } }).pods.list());
    expect(isInformerError(error, 'decode')).toBe(true);
  });

  it("rejects with the server's own Status", async () => {
    const error = await thrownBy(
      api({ status: 410, body: { kind: 'Status', reason: 'Expired', message: 'too old', code: 410 } }).pods.list(),
    );
    expect(isExpired(error)).toBe(true);
    expect((error as Error).message).toBe('too old');
  });

  it('makes up a Status, in client-go’s words, from an answer that is none', async () => {
    const error = (await thrownBy(
      new ResourceApi(
        fakeTransport(() => undefined),
        DEPLOYMENTS,
      ).list(),
    )) as StatusError;
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toBe('the server could not find the requested resource (list deployments.apps)');
    expect(error.status.details?.causes).toEqual([{ reason: 'UnexpectedServerResponse', message: '404 page not found' }]);
  });

  it('keeps the wait a refusal asks for', async () => {
    const error = (await thrownBy(api({ status: 429, headers: { 'retry-after': '3' }, body: 'slow down' }).pods.list())) as StatusError;
    expect(error).toMatchObject({ statusCode: 429, reason: 'TooManyRequests', retryAfterMs: 3000 });
  });
});

describe('ResourceApi.watch', () => {
  it('resolves with the batches of events once the server has agreed', async () => {
    const { pods, transport } = api({
      chunks: ['{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"BOOK', 'MARK","object":{"metadata":{}}}\n'],
    });
    const batches = [];
    for await (const batch of await pods.watch({ resourceVersion: '5', allowWatchBookmarks: true })) batches.push(batch.map((e) => e.type));
    expect(batches).toEqual([['ADDED'], ['BOOKMARK']]);
    expect(transport.requests[0]).toMatchObject({
      path: '/api/v1/namespaces/shop/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true',
      stream: true,
    });
  });

  it('rejects when the server refuses', async () => {
    const error = await thrownBy(api({ status: 500, body: { kind: 'Status', message: 'bad version', code: 500 } }).pods.watch());
    expect(error).toBeInstanceOf(StatusError);
  });

  it('closes the connection when it is returned, before or after an event, and when a line is broken', async () => {
    for (const use of ['unread', 'read', 'broken']) {
      let closed = 0;
      const body: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => body,
        next: async () => ({ done: false, value: Buffer.from(use === 'broken' ? 'x\n' : '{"type":"ADDED","object":{}}\n') }),
        return: async () => {
          closed++;
          return { done: true, value: undefined };
        },
      };
      const transport = { request: async () => ({ status: 200, headers: {}, body }), close: async () => {} };
      const watch = await new ResourceApi(transport, PODS).watch();
      if (use === 'unread') await watch.return?.();
      else if (use === 'read') for await (const _ of watch) break;
      else await expect(watch.next()).rejects.toThrow(/byte 0/);
      expect(closed, use).toBe(1);
    }
  });

  it('throws when the stream ends in the middle of a line', async () => {
    const { pods } = api({ chunks: ['{"type":"ADDED","object":{}}\n{"type":'] });
    const watch = await pods.watch();
    expect((await watch.next()).value).toHaveLength(1);
    await expect(watch.next()).rejects.toMatchObject({ code: 'transport', message: expect.stringContaining('ended within a line') });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

describe('ResourceApi writes', () => {
  const object = { metadata: { name: 'a', namespace: 'shop' } };
  it.each([
    [
      'create',
      (p: ResourceApi<Pod>) => p.create(object, { dryRun: true, fieldManager: 'me' }),
      'POST',
      '/api/v1/namespaces/shop/pods?dryRun=All&fieldManager=me',
      'application/json',
    ],
    [
      'create eviction',
      (p: ResourceApi<Pod>) => p.create(object, { name: 'a', subresource: 'eviction' }),
      'POST',
      '/api/v1/namespaces/shop/pods/a/eviction',
      'application/json',
    ],
    [
      'update',
      (p: ResourceApi<Pod>) => p.update(object, { subresource: 'status' }),
      'PUT',
      '/api/v1/namespaces/shop/pods/a/status',
      'application/json',
    ],
    [
      'merge patch',
      (p: ResourceApi<Pod>) => p.patch('a', object, { type: 'merge' }),
      'PATCH',
      '/api/v1/namespaces/shop/pods/a',
      'application/merge-patch+json',
    ],
    [
      'strategic patch',
      (p: ResourceApi<Pod>) => p.patch('a', object, { type: 'strategic' }),
      'PATCH',
      '/api/v1/namespaces/shop/pods/a',
      'application/strategic-merge-patch+json',
    ],
    [
      'apply',
      (p: ResourceApi<Pod>) => p.patch('a', object, { type: 'apply', fieldManager: 'me', force: true }),
      'PATCH',
      '/api/v1/namespaces/shop/pods/a?fieldManager=me&force=true',
      'application/apply-patch+yaml',
    ],
  ])('%s goes where the API wants it, also when the api is bound to no namespace', async (_, run, method, path, contentType) => {
    const { pods, transport } = api({ body: object }, {});
    expect(await run(pods)).toEqual(object);
    expect(transport.requests[0]).toMatchObject({ method, path, headers: { 'content-type': contentType }, body: JSON.stringify(object) });
  });

  it('json patch sends its list of operations', async () => {
    const { pods, transport } = api({ body: object });
    await pods.patch('a', [{ op: 'remove', path: '/x' }], { type: 'json' });
    expect(transport.requests[0]).toMatchObject({
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[{"op":"remove","path":"/x"}]',
    });
  });

  it('delete sends its options as a body', async () => {
    const { pods, transport } = api({ body: { kind: 'Status', status: 'Success' } });
    await pods.delete('a', { propagationPolicy: 'Foreground', preconditions: { uid: 'u' }, dryRun: true, gracePeriodSeconds: 0 });
    expect(transport.requests[0]).toMatchObject({ method: 'DELETE', path: '/api/v1/namespaces/shop/pods/a' });
    expect(JSON.parse(String(transport.requests[0]?.body))).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      dryRun: ['All'],
      gracePeriodSeconds: 0,
    });
  });

  it('tells a conflict from everything else', async () => {
    const error = await thrownBy(api({ status: 409, body: { kind: 'Status', reason: 'Conflict', code: 409 } }).pods.update(object));
    expect(isConflict(error)).toBe(true);
  });
});

const columns = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Ready', type: 'string', format: '', priority: 0 },
];

describe('ResourceApi as a table', () => {
  const table = (rows: unknown[], columnDefinitions: unknown = columns) => ({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '9' },
    columnDefinitions,
    rows,
  });
  const row = (name: string, ready: string) => ({
    cells: [name, ready],
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { name, managedFields: [] } },
  });

  it('lists objects that carry their cells, which JSON does not show', async () => {
    const { pods, transport } = api({ body: table([row('a', '1/1')]) }, { as: { table: 'Object' }, dropManagedFields: true });
    const { items, resourceVersion } = await pods.list({ limit: 5 });
    expect(transport.requests[0]).toMatchObject({
      path: '/api/v1/pods?limit=5&includeObject=Object',
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    });
    expect(resourceVersion).toBe('9');
    expect(JSON.stringify(items)).toBe('[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}]');
    expect(cellsOf(items[0] as object)).toEqual({ columns, cells: ['a', '1/1'] });
    expect(cellsOf({ ...(items[0] as object) })?.cells).toEqual(['a', '1/1']);
  });

  it('lists names where rows come without objects', async () => {
    const { pods } = api({ body: table([{ cells: ['a', '1/1'], object: null }]) }, { as: { table: 'None' } });
    expect((await pods.list()).items[0]).toMatchObject({ metadata: { name: 'a' } });
  });

  it('takes plain objects from a server that makes no tables', async () => {
    const { pods } = api(
      { body: { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'a' } }] } },
      { as: { table: 'Metadata' } },
    );
    const { items } = await pods.list();
    expect(items).toEqual([{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }]);
    expect(cellsOf(items[0] as object)).toBeUndefined();
  });

  it('gets one object with its cells', async () => {
    const { pods } = api({ body: table([row('a', '1/1')]) }, { as: { table: 'Metadata' } });
    expect(cellsOf(await pods.get('a'))?.cells).toEqual(['a', '1/1']);
  });

  it('watches with the columns of the first event, makes a plain bookmark of the odd row, and leaves errors alone', async () => {
    const lines = [
      { type: 'ADDED', object: table([row('a', '0/1')]) },
      { type: 'MODIFIED', object: table([row('a', '1/1')], null) },
      { type: 'BOOKMARK', object: table([{ cells: ['', '0/0'], object: { kind: 'Pod', metadata: { resourceVersion: '9' } } }], null) },
      { type: 'ERROR', object: { kind: 'Status', code: 410 } },
    ];
    const { pods } = api({ chunks: lines.map((line) => `${JSON.stringify(line)}\n`) }, { as: { table: 'Object' } });
    const events = await eventsOf(await pods.watch());
    expect(events.map(({ type, object }) => [type, cellsOf(object)?.cells, cellsOf(object)?.columns])).toEqual([
      ['ADDED', ['a', '0/1'], columns],
      ['MODIFIED', ['a', '1/1'], columns],
      ['BOOKMARK', undefined, undefined],
      ['ERROR', undefined, undefined],
    ]);
    expect(events[2]?.object).toEqual({ kind: 'Pod', metadata: { resourceVersion: '9' } });
  });

  it.skipIf(!recorded('05-watch.json'))('reads what a real server sends', async () => {
    for (const { request, response } of [...(recorded('04-list.json') ?? []), ...(recorded('05-watch.json') ?? [])]) {
      const accept = request.headers.accept ?? '';
      if (!accept.includes('as=Table') || response.status !== 200) continue;
      const asTable = { namespace: 'shop', as: { table: 'Object' } } as const;
      if (!response.stream) {
        const { items, resourceVersion } = await api({ body: response.body }, asTable).pods.list();
        expect(items).toHaveLength(((response.body as { rows?: unknown[] }).rows ?? []).length);
        expect(resourceVersion).not.toBe('');
        for (const item of items) expect(cellsOf(item)?.cells).toHaveLength(cellsOf(item)?.columns.length ?? -1);
      } else {
        const chunks = response.stream.map(({ event }) => `${JSON.stringify(event)}\n`);
        const events = await eventsOf(await api({ chunks }, asTable).pods.watch());
        expect(events).toHaveLength(response.stream.length);
        for (const { type, object } of events) {
          if (type !== 'ERROR') expect((object as Pod).metadata.resourceVersion).toMatch(/^\d+$/);
          if (type !== 'ERROR' && type !== 'BOOKMARK') expect(cellsOf(object)?.columns.length).toBeGreaterThan(3);
        }
      }
    }
  });
});
