import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { ResourceApi } from '../../src/client/resource-api.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { cellsOf } from '../../src/model/cells.ts';
import { isConflict, isExpired, isNotFound, StatusError } from '../../src/model/status.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { pod } from '../support/fixture.ts';
import { CONFIG_MAPS, inProcess, through } from '../support/in-process.ts';
import { bytes, cut, type ScriptedAnswer, scriptedBytes } from '../support/scripted-bytes.ts';
import { skipped } from '../support/skipped.ts';
import { recording, recordingsMissing } from '../support/wire-recording.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

function api(answer: ScriptedAnswer, options: ConstructorParameters<typeof ResourceApi>[2] = { namespace: 'shop' }) {
  const transport = scriptedBytes(() => answer);
  return { transport, pods: new ResourceApi<Pod>(transport, PODS, options) };
}

/** The api of a sandbox's pods, web-1 and web-2 in `shop`, and its requests. */
async function served(options: ConstructorParameters<typeof ResourceApi>[2] = { namespace: 'shop' }) {
  const place = await inProcess({ objects: [pod('web-1'), pod('web-2')] });
  return { ...place, pods: new ResourceApi<Pod>(place.transport, PODS, options) };
}

interface Pod {
  kind?: string;
  apiVersion?: string;
  metadata: { name: string; resourceVersion?: string; labels?: Record<string, string>; managedFields?: unknown[] };
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
  it('requests the collection with its options and gives the page', async () => {
    const { pods, sent, sandbox } = await served();
    const page = await pods.list({ limit: 1, labelSelector: 'app=web', fieldSelector: 'status.phase=Running' });
    expect(sent).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&fieldSelector=status.phase%3DRunning&limit=1',
        headers: { accept: 'application/json' },
      },
    ]);
    expect(page).toMatchObject({
      resourceVersion: sandbox.resourceVersion,
      continue: expect.stringMatching(/./),
      items: [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web-1' } }],
    });
    const rest = await pods.list({ limit: 1, labelSelector: 'app=web', continue: page.continue });
    expect(rest.items.map((item) => [item.kind, item.metadata.name])).toEqual([['Pod', 'web-2']]);
    expect([rest.continue, (await pods.list({ limit: 1 })).remainingItemCount]).toEqual([undefined, 1]);
    expect(sent[1]?.path).toContain(`&continue=${encodeURIComponent(page.continue ?? '')}`);
  });

  it('adds kind and apiVersion of the list, wherever they are, and keeps those of an item', async () => {
    for (const text of [
      '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{}},{"kind":"X","apiVersion":"y/v1","metadata":{}}]}',
      '{"items":[{"metadata":{}},{"kind":"X","apiVersion":"y/v1","metadata":{}}],"apiVersion":"v1","kind":"PodList"}',
    ]) {
      const { pods } = api({ chunks: bytes(cut(text, [4]).map(String)) });
      expect((await pods.list()).items.map((item) => `${item.apiVersion} ${item.kind}`)).toEqual(['v1 Pod', 'y/v1 X']);
    }
  });

  it('removes managedFields on request, and no other field with that name', async () => {
    const ours = {
      metadata: { name: 'a', namespace: 'shop', labels: { managedFields: 'x' } },
      data: { managedFields: '1' },
    };
    const { transport } = await inProcess({ objects: [{ apiVersion: 'v1', kind: 'ConfigMap', ...ours }] });
    const maps = (options: object) => new ResourceApi<Pod>(transport, CONFIG_MAPS, { namespace: 'shop', ...options });
    const [kept] = (await maps({}).list()).items;
    const [dropped] = (await maps({ dropManagedFields: true }).list()).items;
    expect(kept?.metadata.managedFields).toHaveLength(1);
    expect(dropped).toMatchObject(ours);
    const { managedFields: _, ...metadata } = kept?.metadata ?? expect.unreachable();
    expect(dropped).toEqual({ ...kept, metadata });
  });

  it.each([
    ['a server that can leave them out', true],
    ['a server that does not know the parameter', false],
  ])('asks %s not to send managedFields, and has none in lists, watches and tables', async (_, isOn) => {
    const featureGates = { ManagedFieldsOptOut: isOn };
    const { transport, sandbox } = await inProcess({ objects: [pod('web-1')], featureGates });
    const sent: Buffer[] = [];
    const seen = through(transport, async (request, send) => {
      const response = await send(request);
      const counted = async function* () {
        for await (const chunk of response.body) {
          sent.push(Buffer.from(chunk));
          yield chunk;
        }
      };
      return { ...response, body: counted() };
    });
    for (const as of ['object', 'metadata', { table: 'Object' }] as const) {
      const pods = new ResourceApi<Pod>(seen, PODS, { namespace: 'shop', as, dropManagedFields: true });
      const { items } = await pods.list();
      const got = await pods.get('web-1');
      const watch = await pods.watch();
      const events = (await watch.next()).value as { object: Pod }[];
      await watch.return?.();
      for (const { metadata } of [...items, got, ...events.map(({ object }) => object)]) {
        expect([metadata.name, metadata.managedFields]).toEqual(['web-1', undefined]);
      }
    }
    expect(Buffer.concat(sent).includes('managedFields')).toBe(!isOn);
    expect(sandbox.get(PODS, 'shop/web-1')?.metadata.managedFields).toHaveLength(1);
    const whole = new ResourceApi<Pod>(transport, PODS, { namespace: 'shop' });
    expect((await whole.get('web-1')).metadata.managedFields).toHaveLength(1);
    await sandbox.stop();
  });

  it('refuses a table that it did not request [REF-49]', async () => {
    const error = await thrownBy(api({ body: { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] } }).pods.list());
    expect((error as Error).message).toBe('unsupported list gvk: meta.k8s.io/v1, Kind=Table');
  });

  it('refuses an object that is not a list', async () => {
    const error = await thrownBy(api({ body: { kind: 'Pod', apiVersion: 'v1', metadata: {} } }).pods.list());
    expect(isInformerError(error, 'decode')).toBe(true);
  });

  it("rejects with the server's own Status", async () => {
    const { pods, sandbox } = await served();
    const { continue: token } = await pods.list({ limit: 1 });
    sandbox.apply(pod('web-3'));
    sandbox.compact();
    const error = await thrownBy(pods.list({ limit: 1, continue: token }));
    expect(isExpired(error)).toBe(true);
    expect((error as Error).message).toMatch(/^The provided continue parameter is too old/);
  });

  it('makes a Status with client-go’s text from a response without one', async () => {
    const { transport } = await inProcess();
    const widgets = new ResourceApi(transport, { group: 'absent.example.com', version: 'v1', resource: 'widgets' });
    const error = (await thrownBy(widgets.list())) as StatusError;
    expect(isNotFound(error)).toBe(true);
    expect(error.message).toBe('the server could not find the requested resource (list widgets.absent.example.com)');
    expect(error.status.details?.causes).toEqual([
      { reason: 'UnexpectedServerResponse', message: '404 page not found' },
    ]);
  });

  it('keeps the wait of a refusal, from its Status or from a header alone', async () => {
    const { pods, sandbox } = await served();
    sandbox.faults.add({ fault: { kind: 'status', code: 429, retryAfterSeconds: 2 } });
    expect(await thrownBy(pods.list())).toMatchObject({
      statusCode: 429,
      reason: 'TooManyRequests',
      retryAfterMs: 2000,
    });
    const error = await thrownBy(api({ status: 429, headers: { 'retry-after': '3' }, body: 'slow down' }).pods.list());
    expect(error).toMatchObject({ statusCode: 429, reason: 'TooManyRequests', retryAfterMs: 3000 });
  });
});

describe('ResourceApi.watch', () => {
  it('resolves with the batches of events when the server has accepted', async () => {
    const { pods, transport } = api({
      chunks: [
        '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"BOOK',
        'MARK","object":{"metadata":{}}}\n',
      ],
    });
    const batches = [];
    for await (const batch of await pods.watch({ resourceVersion: '5', allowWatchBookmarks: true }))
      batches.push(batch.map((e) => e.type));
    expect(batches).toEqual([['ADDED'], ['BOOKMARK']]);
    expect(transport.requests[0]).toMatchObject({
      path: '/api/v1/namespaces/shop/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true',
      stream: true,
    });
  });

  it('rejects when the server refuses', async () => {
    const { pods, sandbox } = await served();
    sandbox.faults.add({ fault: { kind: 'status', code: 500 } });
    expect(await thrownBy(pods.watch())).toMatchObject({ statusCode: 500 });
    expect(await thrownBy(pods.watch({ resourceVersion: 'x' }))).toBeInstanceOf(StatusError);
  });

  it('closes the connection when it is returned, before or after an event, and when a line is broken', async () => {
    for (const use of ['unread', 'read', 'broken']) {
      let closed = 0;
      const body: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => body,
        next: async () => ({
          done: false,
          value: Buffer.from(use === 'broken' ? 'x\n' : '{"type":"ADDED","object":{}}\n'),
        }),
        return: async () => {
          closed++;
          return { done: true, value: undefined };
        },
      };
      const watch = await api({ raw: body }).pods.watch();
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
    await expect(watch.next()).rejects.toMatchObject({
      code: 'transport',
      message: expect.stringContaining('ended within a line'),
    });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

describe('ResourceApi writes', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', namespace: 'shop' } };
  const made = pod('web-3');
  const labelled = { metadata: { labels: { seen: 'yes' } } };
  const applied = { ...object, metadata: { ...object.metadata, ...labelled.metadata } };
  const SEEN = { labels: { app: 'web', seen: 'yes' } };
  const AT = '/api/v1/namespaces/shop/pods';
  type Write = [string, (p: ResourceApi<Pod>) => Promise<Pod>, string, string, string, object, object];
  it.each<Write>([
    [
      'create',
      (p) => p.create(made, { dryRun: true, fieldManager: 'me' }),
      'POST',
      `${AT}?dryRun=All&fieldManager=me`,
      'application/json',
      made,
      { metadata: { name: 'web-3' } },
    ],
    [
      'create eviction',
      (p) =>
        p.create({ ...object, apiVersion: 'policy/v1', kind: 'Eviction' }, { name: 'web-1', subresource: 'eviction' }),
      'POST',
      `${AT}/web-1/eviction`,
      'application/json',
      { ...object, apiVersion: 'policy/v1', kind: 'Eviction' },
      { status: 'Success' },
    ],
    [
      'update',
      (p) => p.update({ ...object, status: { phase: 'Failed' } }, { subresource: 'status' }),
      'PUT',
      `${AT}/web-1/status`,
      'application/json',
      { ...object, status: { phase: 'Failed' } },
      { status: { phase: 'Failed' } },
    ],
    [
      'merge patch',
      (p) => p.patch('web-1', labelled, { type: 'merge' }),
      'PATCH',
      `${AT}/web-1`,
      'application/merge-patch+json',
      labelled,
      { metadata: SEEN },
    ],
    [
      'strategic patch',
      (p) => p.patch('web-1', labelled, { type: 'strategic' }),
      'PATCH',
      `${AT}/web-1`,
      'application/strategic-merge-patch+json',
      labelled,
      { metadata: SEEN },
    ],
    [
      'json patch',
      (p) => p.patch('web-1', [{ op: 'add', path: '/metadata/labels/seen', value: 'yes' }], { type: 'json' }),
      'PATCH',
      `${AT}/web-1`,
      'application/json-patch+json',
      [{ op: 'add', path: '/metadata/labels/seen', value: 'yes' }],
      { metadata: SEEN },
    ],
    [
      'apply',
      (p) => p.patch('web-1', applied, { type: 'apply', fieldManager: 'me', force: true }),
      'PATCH',
      `${AT}/web-1?fieldManager=me&force=true`,
      'application/apply-patch+yaml',
      applied,
      { metadata: SEEN },
    ],
  ])(
    '%s has the path and body of the API, and gives the result',
    async (verb, run, method, path, contentType, body, answer) => {
      const { pods, sent } = await served();
      expect(await run(pods)).toMatchObject(answer);
      expect(sent).toMatchObject([{ method, path, headers: { 'content-type': contentType } }]);
      expect(JSON.parse(String(sent[0]?.body)), verb).toEqual(body);
    },
  );

  it('uses the namespace of the object if the api has none', async () => {
    const { pods, sent } = await served({});
    await pods.create(made);
    await pods.update({ ...made, status: { phase: 'Failed' } } as Pod, { subresource: 'status' });
    await pods.patch('web-1', applied, { type: 'apply', fieldManager: 'me' });
    expect(sent.map((request) => request.path)).toEqual([AT, `${AT}/web-3/status`, `${AT}/web-1?fieldManager=me`]);
  });

  it('delete sends its options as a body', async () => {
    const { pods, sent, sandbox } = await served();
    const { uid = '' } = sandbox.get(PODS, 'shop/web-1')?.metadata ?? {};
    await pods.delete('web-1', {
      propagationPolicy: 'Foreground',
      preconditions: { uid },
      dryRun: true,
      gracePeriodSeconds: 0,
    });
    expect(sent).toMatchObject([{ method: 'DELETE', path: `${AT}/web-1` }]);
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      preconditions: { uid },
      dryRun: ['All'],
      gracePeriodSeconds: 0,
    });
    expect(sandbox.get(PODS, 'shop/web-1')).toBeDefined();
    expect(isConflict(await thrownBy(pods.delete('web-1', { preconditions: { uid: 'another' } })))).toBe(true);
    await pods.delete('web-1', { gracePeriodSeconds: 0 });
    expect(sandbox.get(PODS, 'shop/web-1')).toBeUndefined();
  });

  it('distinguishes a conflict from other errors', async () => {
    const { pods } = await served();
    const read = await pods.get('web-1');
    await pods.patch('web-1', labelled, { type: 'merge' });
    expect(isConflict(await thrownBy(pods.update(read)))).toBe(true);
    expect(isConflict(await thrownBy(pods.get('none')))).toBe(false);
  });
});

describe('ResourceApi as a table', () => {
  it('lists objects with their cells, which JSON does not show', async () => {
    const { pods, sent, sandbox } = await served({ as: { table: 'Object' }, dropManagedFields: true });
    const { items, resourceVersion } = await pods.list({ limit: 1 });
    const [web] = items as [object];
    expect(sent[0]).toMatchObject({
      path: '/api/v1/pods?limit=1&includeObject=Object',
      headers: {
        accept: [
          'application/json;as=Table;v=v1;g=meta.k8s.io;drop=metadata.managedFields',
          'application/json;as=Table;v=v1;g=meta.k8s.io',
          'application/json',
        ].join(),
      },
    });
    expect(resourceVersion).toBe(sandbox.resourceVersion);
    const { managedFields: _, ...metadata } = sandbox.get(PODS, 'shop/web-1')?.metadata ?? {};
    expect(JSON.parse(JSON.stringify(web))).toEqual({ ...sandbox.get(PODS, 'shop/web-1'), metadata });
    expect(JSON.stringify(web)).not.toContain('0/1');
    expect(
      cellsOf(web)
        ?.columns.map(({ name }) => name)
        .slice(0, 3),
    ).toEqual(['Name', 'Ready', 'Status']);
    expect(cellsOf(web)?.cells.slice(0, 3)).toEqual(['web-1', '0/1', 'Running']);
    expect(cellsOf({ ...web })?.cells[0]).toBe('web-1');
  });

  it('lists names if rows have no objects', async () => {
    const { pods } = await served({ namespace: 'shop', as: { table: 'None' } });
    expect((await pods.list()).items.map(({ metadata }) => metadata.name)).toEqual(['web-1', 'web-2']);
  });

  it('accepts plain objects from a server without tables', async () => {
    const { pods } = api(
      { body: { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'a' } }] } },
      { as: { table: 'Metadata' } },
    );
    const { items } = await pods.list();
    expect(items).toEqual([{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }]);
    expect(cellsOf(items[0] as object)).toBeUndefined();
  });

  it('gets one object with its cells', async () => {
    const { pods } = await served({ namespace: 'shop', as: { table: 'Metadata' } });
    expect(cellsOf(await pods.get('web-1'))?.cells.slice(0, 2)).toEqual(['web-1', '0/1']);
  });

  it('watches with the columns of the first event, gives bookmarks without cells, and leaves errors as they are', async () => {
    const { pods, sandbox, clock } = await served({ namespace: 'shop', as: { table: 'Object' } });
    const { resourceVersion } = await pods.list();
    sandbox.faults.add({ fault: { kind: 'gone', after: 3 } });
    const reading = eventsOf(await pods.watch({ resourceVersion, allowWatchBookmarks: true }));
    for (const phase of ['Pending', 'Succeeded']) sandbox.apply(pod('web-1', { phase }));
    await clock.advance(60_000);
    const events = await reading;
    const shown = events.map(({ type, object }) => [
      type,
      cellsOf(object)?.cells.slice(0, 3),
      cellsOf(object)?.columns[2]?.name,
    ]);
    expect(shown).toEqual([
      ['MODIFIED', ['web-1', '0/1', 'Pending'], 'Status'],
      ['MODIFIED', ['web-1', '0/1', 'Succeeded'], 'Status'],
      ['BOOKMARK', undefined, undefined],
      ['ERROR', undefined, undefined],
    ]);
    expect(events[2]?.object).toMatchObject({ kind: 'Pod', metadata: { resourceVersion: sandbox.resourceVersion } });
    expect(events[3]?.object).toMatchObject({ kind: 'Status', code: 410 });
  });

  it.skipIf(recordingsMissing)(`reads what a real server sends${skipped(recordingsMissing)}`, async () => {
    for (const { request, response } of [...recording('04-list.json'), ...recording('05-watch.json')]) {
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

/** An api of config maps behind a proxy that answers every request in the same way. */
function behind(headers: Record<string, string>, body: string) {
  const transport = scriptedBytes(() => ({ headers, body }));
  return { api: createClient(transport).resource(CONFIG_MAPS), sent: transport.requests };
}

it('a page with status 200 instead of a watch is an error that shows its type and text', async () => {
  const { api } = behind({ 'content-type': 'text/html; charset=utf-8' }, '<!doctype html>\n<title>Log in</title>');
  await expect(api.watch()).rejects.toMatchObject({
    code: 'decode',
    message:
      'the answer to watching v1/configmaps is not a watch but text/html; charset=utf-8: "<!doctype html> <title>Log in</title>"',
  });
});

it.each(['application/json', 'application/json;stream=watch', undefined])(
  'a watch may have the content type %s',
  async (type) => {
    const { api } = behind(
      type === undefined ? {} : { 'content-type': type },
      '{"type":"ADDED","object":{"metadata":{}}}\n',
    );
    const { value } = await (await api.watch()).next();
    expect(value).toHaveLength(1);
  },
);

it('ResourceApi.probe sends one small request, once, over a new connection', async () => {
  const { api, sent } = behind(
    {},
    '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":[]}',
  );
  const page = await api.probe({ limit: 1 }, { fresh: true });
  expect(page.resourceVersion).toBe('7');
  expect(sent).toMatchObject([{ path: '/api/v1/configmaps?limit=1', once: true, fresh: true }]);
  expect(sent[0]?.headers?.accept).toContain('as=PartialObjectMetadataList');
});
