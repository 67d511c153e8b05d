import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { fencedTransport } from '../../src/client/http/fenced-transport.ts';
import { urgentTransport } from '../../src/client/http/urgent-transport.ts';
import { observedTransport } from '../../src/hooks/access/request-access.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import type { ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { pod } from '../support/fixture.ts';
import { inProcess, through } from '../support/in-process.ts';
import { type ScriptedAnswer, scriptedBytes } from '../support/scripted-bytes.ts';
import { socketScript } from '../support/socket-script.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const over = (answers: Record<string, ScriptedAnswer>) => {
  const transport = scriptedBytes(({ path }) => answers[path.split('?', 1)[0] as string]);
  return { transport, client: createClient(transport) };
};

interface Pod {
  metadata: { name: string };
  spec: { nodeName?: string };
}

describe('createClient', () => {
  it('accepts a config, or a transport of the caller', () => {
    const config = createConfig({ server: 'https://one' });
    expect(createClient(config).config).toBe(config);
    const { client, transport } = over({});
    expect(client.config).toBeUndefined();
    expect(client.transport).toBe(transport);
  });

  it.each([
    { qps: 5 },
    { burst: 5 },
    { userAgent: 'me' },
    { requestTimeoutMs: 5 },
    { bodyIdleTimeoutMs: 5 },
    { observer: {} },
    { onThrottled() {} },
  ])('refuses for a transport of the caller what is an option of the transport: %j', (options) => {
    const { transport } = over({});
    const [name] = Object.keys(options);
    expect(() => createClient(transport, options as ClientOptions)).toThrow(
      expect.objectContaining({
        code: 'argument',
        message: `createClient: ${name} has no effect on a transport that was made before`,
        hint: 'give it to the client of the config, whose transport this is, or is over',
      }),
    );
    const clock = new FakeClock();
    const own = { clock, logger: silentLogger, onWarning() {}, random: () => 0, dropManagedFields: true };
    expect(createClient(transport, { ...own, [name as string]: undefined }).transport).toBe(transport);
  });

  it('gives apis that have the shape of the informer’s port', async () => {
    const { client, sandbox } = await inProcess({
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    });
    const port: ListerWatcher<Pod> = client.resource<Pod>(PODS, { namespace: 'shop' });
    const page = await port.list({}, { signal: new AbortController().signal });
    expect(page).toEqual({ items: [], resourceVersion: sandbox.resourceVersion });
  });

  it('passes its settings on to every api', async () => {
    const { client } = await inProcess({ objects: [pod('a')], client: { dropManagedFields: true } });
    expect((await client.resource(PODS, { namespace: 'shop' }).get('a')).metadata.managedFields).toBeUndefined();
    expect(
      (await client.resource(PODS, { namespace: 'shop', dropManagedFields: false }).get('a')).metadata.managedFields,
    ).toHaveLength(1);
  });

  it('gives the version, and any path as text', async () => {
    const { client } = await inProcess();
    expect(await client.version()).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: expect.stringMatching(/^v1\.36\./),
    });
    expect(await client.raw('/readyz')).toBe('ok');
    await expect(client.raw('/nope')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(over({ '/version': { body: '<html>' } }).client.version()).rejects.toMatchObject({ code: 'decode' });
  });

  it('knows that a present server lists consistently from memory, with one request for its version', async () => {
    const { client, sent } = await inProcess();
    for (let i = 0; i < 2; i++) expect(await client.resource(PODS).consistentUnpagedList()).toBe(true);
    expect(sent.map(({ path }) => path)).toEqual(['/version']);
  });

  it.each([
    ['1', '36', 'v1.36.2', true],
    ['1', '31+', 'v1.31.0-eks-1', true],
    ['1', '30', 'v1.30.2', false],
    ['1', '30+', 'v1.30.2-gke.5', false],
    ['', '', 'v1.31.4+k3s1', true],
    ['', '', 'v1.30.2-gke', false],
    ['', '', '1.40', true],
    ['2', '0', 'v2.0.0', true],
    ['', '', '', false],
    ['x', 'y', 'unknown', false],
  ])(
    'knows whether a server of version %j.%j (%s) lists from memory consistently: %s, asking once',
    async (major, minor, gitVersion, expected) => {
      const { client, transport } = over({ '/version': { body: { major, minor, gitVersion } } });
      expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
      expect(await client.resource(PODS).consistentUnpagedList()).toBe(expected);
      expect(transport.requests).toHaveLength(1);
    },
  );

  it('requests the version once for concurrent callers, and again after a failure; an abort ends the wait of one caller only', async () => {
    const { client, transport } = over({ '/version': { body: { major: '1', minor: '31', gitVersion: 'v1.31.0' } } });
    const leaving = new AbortController();
    const left = client.resource(PODS).consistentUnpagedList({ signal: leaving.signal });
    const others = [PODS, { ...PODS, resource: 'services' }].map((gvr) => client.resource(gvr).consistentUnpagedList());
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(transport.requests).toHaveLength(1);
  });

  it('uses pages for a server that forbids the request for its version', async () => {
    const { client, sandbox } = await inProcess();
    sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: '/version' } });
    expect(await client.resource(PODS).consistentUnpagedList()).toBe(false);
  });

  it.each<[string, ScriptedAnswer]>([
    ['is not served', { status: 404, body: '404 page not found' }],
    ['is a login page', { body: '<html>' }],
    ['is empty', { body: {} }],
  ])('uses pages for a server whose version %s', async (_, answer) => {
    expect(await over({ '/version': answer }).client.resource(PODS).consistentUnpagedList()).toBe(false);
  });

  it('rejects when the request for the version gets no response', async () => {
    const { client, sandbox } = await inProcess();
    sandbox.faults.add({ fault: { kind: 'refuse' } });
    await expect(client.resource(PODS).consistentUnpagedList()).rejects.toThrow('ECONNREFUSED');
  });
});

/** A client of two pods, and the number of bytes that it has received. */
async function counted() {
  const { sandbox, transport } = await inProcess({ objects: [pod('a'), pod('b')] });
  let bytes = 0;
  async function* weighed(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const client = createClient(
    through(transport, async (request, send) => {
      const answer = await send(request);
      return { ...answer, body: weighed(answer.body) };
    }),
  );
  return { sandbox, client, bytes: () => bytes };
}

it('a client shares its rate limit with all that is built over it, but for watches and renewals of a lease', async () => {
  await using server = await socketScript((_, response) => response.end('{"items":[],"metadata":{}}'));
  const clock = new FakeClock();
  await using client = createClient(createConfig({ server: server.url }), { clock, qps: 1, burst: 1 });
  const second = createClient(client.transport, { clock });
  const fenced = createClient(
    fencedTransport(client.transport, () => {}),
    { clock },
  );
  const observed = createClient(observedTransport(fenced.transport, () => {}));
  const wrapped = createClient(through(observed.transport, (request, send) => send(request)));
  const { lister, informer } = dynamicInformerFactory(second, { sync: 'list' }).forResource(PODS);
  const stop = new AbortController();
  const limited = () => server.seen.filter(({ url = '' }) => !url.includes('watch='));
  const send = [
    () => client.raw('/first'),
    () => client.resource(PODS).list(),
    () => second.resource(PODS, { namespace: 'shop' }).list(),
    () => fenced.resource(PODS, { namespace: 'shop' }).delete('a'),
    () => observed.resource(PODS).list(),
    () => wrapped.resource(PODS, { namespace: 'bank' }).get('a'),
  ];
  for (const each of send) void each().catch(() => {});
  void informer.run(stop.signal).catch(() => {});
  for (let count = 1; count <= send.length + 1; count++) {
    // one a second, and none before
    await eventually(() => limited().length === count);
    await eventually(() => clock.pending > 0);
    for (let turn = 0; turn < 20; turn++) await clock.yield();
    expect(limited()).toHaveLength(count);
    clock.tick(1_000);
  }
  expect(lister.size).toBe(0);
  const before = server.seen.length;
  for (let i = 0; i < 5; i++)
    void wrapped
      .resource(PODS)
      .watch({ timeoutSeconds: 1 })
      .catch(() => {});
  for (let i = 0; i < 5; i++)
    void createClient(urgentTransport(wrapped.transport))
      .raw('/lease')
      .catch(() => {});
  await eventually(() => server.seen.length >= before + 10);
  stop.abort();
});

describe('the traffic of requests', () => {
  it('is counted by each api: requests, bytes, events', async () => {
    const { client, sandbox, bytes } = await counted();
    const api = client.resource(PODS, { namespace: 'shop' });
    expect(JSON.parse(JSON.stringify(api.stats))).toEqual({ requests: 0, bytes: 0, events: 0, objects: 0 });
    const { resourceVersion } = await api.list();
    for (const phase of ['Pending', 'Running']) sandbox.apply({ ...pod('a'), status: { phase } });
    const watch = await api.watch({ resourceVersion });
    while (api.stats.events < 2) await watch.next();
    await watch.return?.();
    await api.get('a');
    expect(JSON.parse(JSON.stringify(api.stats))).toEqual({ requests: 3, bytes: bytes(), events: 2, objects: 2 });
    expect(bytes()).toBeGreaterThan(1000);
  });

  it('is given by the client for each type and namespace, for any number of apis', async () => {
    const { client, bytes } = await counted();
    const marks = [];
    for (const namespace of ['shop', 'shop', undefined]) {
      await client.resource(PODS, { namespace }).list();
      marks.push(bytes());
    }
    const [, two = 0, three = 0] = marks;
    expect(client.stats()).toEqual([
      { gvr: PODS, namespace: 'shop', requests: 2, bytes: two, events: 0, objects: 4, remaining: undefined },
      { gvr: PODS, namespace: undefined, requests: 1, bytes: three - two, events: 0, objects: 2, remaining: undefined },
    ]);
  });

  it('counts the objects of a list while they arrive, and gives the number of remaining ones if the server does', async () => {
    const { sandbox, client, clock } = await inProcess({ objects: Array.from({ length: 9 }, (_, i) => pod(`p${i}`)) });
    sandbox.faults.add({ fault: { kind: 'slow', ms: 10, bytes: 100 } });
    const seen = new Set<number>();
    const api = client.resource(PODS);
    const listing = api.list({ limit: 2 }, { alive: () => seen.add(api.stats.objects) });
    await clock.advance(10_000);
    expect((await listing).items).toHaveLength(2);
    expect([...seen]).toEqual([0, 1]); // the last is counted with the end
    expect(api.stats).toMatchObject({ objects: 2, remaining: 7 });
  });

  it('includes the response to a refused request', async () => {
    const { client, bytes } = await counted();
    const api = client.resource({ group: 'absent.example.com', version: 'v1', resource: 'things' });
    await expect(api.list()).rejects.toThrow('could not find');
    expect(api.stats.requests).toBe(1);
    expect(api.stats.bytes).toBe('404 page not found\n'.length);
    expect(bytes()).toBe(api.stats.bytes);
  });
});
