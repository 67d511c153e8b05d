import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createManager } from '../../src/controller/manager/manager.ts';
import { TerminalError } from '../../src/controller/reconciler.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { aborted } from '../../src/kit/abort.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { createOpsServer, type OpsServerOptions, parseListenAddress } from '../../src/ops/ops-server.ts';
import { createPrometheusMetrics } from '../../src/ops/prometheus.ts';
import { added, start } from '../support/controller.ts';
import { configMap } from '../support/fixture.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

async function serve(options: Partial<OpsServerOptions> = {}) {
  const server = createOpsServer({ address: '127.0.0.1:0', ...options });
  const address = await server.start();
  return {
    address,
    get: (path: string, init?: RequestInit) => fetch(`http://${address}${path}`, init),
    async page(path: string, init?: RequestInit) {
      const answer = await fetch(`http://${address}${path}`, init);
      return { status: answer.status, text: await answer.text() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  await using server = await serve();
  return new URL(`http://${server.address}`).port;
}

/** A GET with a Host header that fetch would not send. */
function statusWithHost(address: string, host: string, path = '/readyz'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`http://${address}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('the address', () => {
  it.each([
    [':8080', { host: '127.0.0.1', port: 8080 }],
    ['8080', { host: '127.0.0.1', port: 8080 }],
    ['0.0.0.0:8080', { host: '0.0.0.0', port: 8080 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:9', { host: '::1', port: 9 }],
  ])('%s is %j', (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });

  it.each(['', 'x', '1.2.3.4', ':99999', 'http://localhost:8080', '::1:80', 'a b:80'])('%j is refused', (text) => {
    expect(() => parseListenAddress(text)).toThrow('is no address to listen on');
  });

  it('that is taken is an error which names it and says what to do', async () => {
    await using first = await serve();
    await expect(serve({ address: first.address })).rejects.toMatchObject({
      code: 'config',
      message: `cannot listen on ${first.address}: EADDRINUSE`,
      hint: expect.stringContaining('choose another port'),
    });
  });
});

describe('health and readiness', () => {
  it('is live while the process answers and all live checks are met, with the reasons if one is not', async () => {
    let reason: string | undefined;
    await using server = await serve({ liveChecks: [{ name: 'leader', reason: () => reason }] });
    expect(await server.page('/healthz')).toEqual({ status: 200, text: 'ok' });
    expect((await server.page('/livez?verbose')).text).toBe('[+]ping ok\n[+]leader ok\nlivez check passed\n');
    reason = 'the lease\nis lost';
    expect(await server.page('/healthz')).toEqual({
      status: 503,
      text: '[+]ping ok\n[-]leader failed: the lease is lost\nhealthz check failed\n',
    });
  });

  it('is ready from the initial sync of every informer on, also as JSON', async () => {
    await using world = await inProcess({ objects: [configMap('a', {})] });
    const factory = dynamicInformerFactory(world.client, { clock: world.clock });
    const { informer } = factory.forResource(CONFIG_MAPS);
    await using server = await serve({ informers: [informer], clock: world.clock });
    expect(await server.page('/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('[-]sync/v1/configmaps failed: no initial sync yet\n'),
    });
    const running = new AbortController();
    factory.start(running.signal);
    await factory.waitForSync();
    expect(await server.page('/readyz')).toEqual({ status: 200, text: 'ok' });
    const json = await server.get('/readyz', { headers: { accept: 'application/json' } });
    expect(await json.json()).toEqual({
      status: 'ok',
      checks: [
        { name: 'shutdown', ok: true },
        { name: 'sync/v1/configmaps', ok: true },
        { name: 'connection/v1/configmaps', ok: true },
      ],
    });
    running.abort();
    await factory.shutdown();
  });

  it('is not ready when a cache has had no connection for longer than staleAfterMs, and again when it has', async () => {
    await using world = await inProcess({ objects: [configMap('a', {})] });
    const { sandbox, clock } = world;
    const factory = dynamicInformerFactory(world.client, { clock, logger: silentLogger });
    const { informer } = factory.forResource(CONFIG_MAPS);
    await using server = await serve({ informers: [informer], clock, staleAfterMs: 20_000 });
    const running = new AbortController();
    factory.start(running.signal);
    await factory.waitForSync();
    const state = () => informer.continuity[0]?.connection.state;
    await expect.poll(state).toBe('connected');
    const fault = sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { watch: true }, times: 1000 });
    await sandbox.restart({ keepHistory: true });
    await clock.advance(15_000);
    expect(state()).toBe('disconnected');
    expect((await server.page('/readyz')).status).toBe(200);
    await clock.advance(10_000);
    const late = await server.page('/readyz');
    expect(late.status).toBe(503);
    expect(late.text).toMatch(/^\[-\]connection\/v1\/configmaps failed: no connection for 2\ds: .+$/m);
    fault[Symbol.dispose]();
    await clock.advance(60_000);
    expect((await server.page('/readyz')).status).toBe(200);
    running.abort();
    await factory.shutdown();
  });

  it('is not ready as soon as the program begins to end, and still answers', async () => {
    const ending = new AbortController();
    await using server = await serve({ ending: ending.signal });
    expect((await server.page('/readyz')).status).toBe(200);
    ending.abort();
    expect(await server.page('/readyz')).toEqual({
      status: 503,
      text: '[-]shutdown failed: the program is ending\nreadyz check failed\n',
    });
    expect((await server.page('/healthz')).status).toBe(200);
  });

  it('waits for the sources of a controller', async () => {
    const { controller, events, abort, run } = await start({ reconcile: async () => undefined }, { sync: false });
    await using server = await serve({ controllers: [controller] });
    expect((await server.page('/readyz')).text).toContain('[-]controller/pods failed: waits for the initial sync');
    events.sync.open();
    await expect.poll(async () => (await server.page('/readyz')).status).toBe(200);
    abort.abort();
    await run;
    expect((await server.page('/readyz')).text).toContain('[-]controller/pods failed: has ended');
  });
});

describe('the debug pages', () => {
  it('show the queue: keys in each state, why they wait, and complete counts where lists are cut', async () => {
    const blocked = Promise.withResolvers<undefined>();
    const { controller, events, abort, run, clock } = await start({
      async reconcile({ key }) {
        if (key === 'shop/bad') throw new TerminalError(new Error('never'));
        if (key === 'shop/flaky') throw new Error('once more');
        return blocked.promise;
      },
    });
    for (const name of ['bad', 'flaky', 'slow', 'waits', 'waits-too']) events.emit(added(name));
    await clock.advance(0);
    await using server = await serve({ controllers: [controller], clock });
    const { controllers } = (await (await server.get('/debug/queue?limit=1')).json()) as {
      controllers: Record<string, unknown>[];
    };
    expect(controllers).toMatchObject([
      {
        controller: { name: 'pods', phase: 'running' },
        counts: { processing: 1, queued: 2, delayed: 1, parked: 1 },
        processing: [{ key: 'shop/slow', failures: 0 }],
        queued: [{ key: 'shop/waits' }],
        delayed: [{ key: 'shop/flaky', failures: 1, why: 'back-off' }],
        parked: [{ key: 'shop/bad', reason: 'terminal', error: expect.stringContaining('never') }],
        isCut: true,
      },
    ]);
    expect((await server.page('/debug/queue?limit=x')).status).toBe(400);
    blocked.resolve(undefined);
    abort.abort();
    await run;
  });

  it('explain a key, and say of an unknown one which keys are near', async () => {
    const { controller, events, abort, run, clock } = await start({
      async reconcile() {
        throw new TerminalError(new Error('no such image'));
      },
    });
    events.emit(added('web-1'));
    await clock.advance(0);
    await using server = await serve({ controllers: [controller], clock });
    const explain = async (key: string) =>
      (JSON.parse((await server.page(`/debug/explain?key=${key}`)).text) as { controllers: object[] }).controllers[0];
    expect(await explain('shop/web-1')).toMatchObject({
      state: 'parked',
      nearest: [],
      history: [
        { kind: 'event' },
        { kind: 'run', outcome: 'terminal', error: expect.stringContaining('no such image') },
      ],
    });
    expect(await explain('shop/wbe-1')).toMatchObject({ state: 'unknown', nearest: ['shop/web-1'] });
    expect(await explain('web-1')).toMatchObject({ state: 'unknown', nearest: ['shop/web-1'] });
    expect((await server.page('/debug/explain')).status).toBe(400);
    abort.abort();
    await run;
  });

  it('show each informer with its connections, and no object', async () => {
    await using world = await inProcess({ objects: [configMap('a', { password: 'hidden' })] });
    const factory = dynamicInformerFactory(world.client, { clock: world.clock, namespaces: ['shop', 'other'] });
    const { informer } = factory.forResource(CONFIG_MAPS);
    const running = new AbortController();
    factory.start(running.signal);
    await factory.waitForSync();
    await expect.poll(() => informer.continuity[1]?.connection.state).toBe('connected');
    await using server = await serve({ informers: [informer], clock: world.clock });
    const page = await server.page('/debug/informers');
    const source = { connection: { state: 'connected' }, relists: 0, gaps: 0, storeErrors: 0 };
    expect(JSON.parse(page.text)).toMatchObject({
      informers: [{ name: 'v1/configmaps', hasSynced: true, objects: 1, sources: [source, source] }],
    });
    expect(page.text).not.toContain('hidden');
    running.abort();
    await factory.shutdown();
  });
});

describe('the page of informers, of a cache that keeps objects as text', () => {
  it('says how many bytes each takes, and which part of the reads found an object parsed', async () => {
    const objects = Array.from({ length: 40 }, (_, i) => configMap(`a-${i}`, { of: 'a text that is in all of them' }));
    await using world = await inProcess({ objects });
    const factory = dynamicInformerFactory(world.client, { clock: world.clock, store: 'compact' });
    const { informer, lister } = factory.forResource(CONFIG_MAPS);
    const running = new AbortController();
    factory.start(running.signal);
    await factory.waitForSync();
    for (let i = 0; i < 4; i++) lister.get('shop/a-7');
    await using server = await serve({ informers: [informer], clock: world.clock });
    const [{ memory }] = JSON.parse((await server.page('/debug/informers')).text).informers;
    expect(memory).toMatchObject({ objects: 40, packed: 40, hotReads: 3, coldReads: 1, hotShare: 0.75 });
    expect([memory.bytesPerObject, memory.ratio]).toEqual([
      Math.round(memory.storedBytes / 40),
      Number((memory.textBytes / memory.storedBytes).toFixed(2)),
    ]);
    running.abort();
    await factory.shutdown();
  });
});

describe('the server', () => {
  it('serves metrics with the content type of Prometheus, and says so if there are none', async () => {
    const metrics = await createPrometheusMetrics();
    await using server = await serve({ metrics });
    const answer = await server.get('/metrics');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, metrics.contentType]);
    expect(await answer.text()).toContain('process_cpu_seconds_total ');
    await using without = await serve();
    expect((await without.page('/metrics')).status).toBe(404);
  });

  it('only reads: other methods, unknown pages and changes of the queue are refused', async () => {
    const { controller, abort, run } = await start({ reconcile: async () => undefined });
    await using server = await serve({ controllers: [controller] });
    expect((await server.page('/readyz', { method: 'POST' })).status).toBe(405);
    expect((await server.page('/debug/queue', { method: 'DELETE' })).status).toBe(405);
    const body = JSON.stringify({ keys: ['shop/a'] });
    expect((await server.page('/queue/drop', { method: 'POST', body })).status).toBe(404);
    expect(await server.page('/nothing')).toEqual({
      status: 404,
      text: 'there is no "/nothing"; there are /metrics /healthz /livez /readyz /debug/queue /debug/informers /debug/explain\n',
    });
    expect(await server.page('/readyz', { method: 'HEAD' })).toEqual({ status: 200, text: '' });
    abort.abort();
    await run;
  });

  it('answers on loopback to names of this machine only, so that no page of a browser can ask by a name of its own', async () => {
    await using server = await serve();
    const { port } = new URL(`http://${server.address}`);
    expect(await statusWithHost(server.address, `localhost:${port}`)).toBe(200);
    expect(await statusWithHost(server.address, `[::1]:${port}`)).toBe(200);
    expect(await statusWithHost(server.address, `rebound.example:${port}`)).toBe(403);
  });

  it('shows debug pages on all addresses to those of this machine only who use a name of it; metrics and readiness to all', async () => {
    await using server = await serve({ address: '0.0.0.0:0' });
    const at = server.address.replace('0.0.0.0', '127.0.0.1');
    const { port } = new URL(`http://${at}`);
    for (const path of ['/debug/queue', '/debug/informers', '/debug/explain?key=a'])
      for (const host of [`rebound.example:${port}`, 'rebound.example', `localhost.rebound.example:${port}`])
        expect(await statusWithHost(at, host, path)).toBe(403);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect(await statusWithHost(at, host, '/debug/queue')).toBe(200);
    expect(await statusWithHost(at, `rebound.example:${port}`)).toBe(200);
  });

  it('answers a request for an address that is none, and one with a body that is too large', async () => {
    await using server = await serve();
    const statusOf = (path: string, body = '') =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(`http://${server.address}`);
        const sent = request({ hostname, port, path, method: 'POST' }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject);
        sent.end(body);
      });
    expect(await statusOf('//')).toBe(400);
    expect(await statusOf('//[')).toBe(400);
    expect(await statusOf('/readyz', 'x'.repeat(5 * 1024 * 1024))).toBe(413);
  });

  it('ends at once although a client has sent half a request and reads nothing', async () => {
    const server = await serve();
    const { hostname, port } = new URL(`http://${server.address}`);
    const half = connect(Number(port), hostname);
    await new Promise((resolve) => half.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', resolve));
    await server.page('/readyz'); // the server has seen the other connection
    const closed = new Promise((resolve) => half.on('close', resolve).on('error', () => {}));
    await server[Symbol.asyncDispose]();
    await closed;
    await expect(server.page('/readyz')).rejects.toThrow('fetch failed');
  });

  it('serves the checks of a manager, first to start and last to end', async () => {
    const manager = createManager({ logger: silentLogger });
    const { liveChecks, readyChecks, ending } = manager;
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    manager.add(createOpsServer({ address, liveChecks, readyChecks, ending }), { name: 'pages', group: 'server' });
    const statuses: number[] = [];
    const ask = async () => statuses.push((await fetch(`http://${address}/readyz`)).status);
    const stop = new AbortController();
    manager.add({
      async run(signal) {
        await ask();
        await aborted(signal);
        await ask();
      },
    });
    const running = manager.run(stop.signal);
    await expect.poll(() => statuses).toEqual([200]);
    stop.abort();
    await running;
    expect(statuses).toEqual([200, 503]);
    await expect(ask()).rejects.toThrow('fetch failed');
  });

  it('runs beside controllers until the signal aborts', async () => {
    const abort = new AbortController();
    const running = createOpsServer({ address: '127.0.0.1:0' }).run(abort.signal);
    abort.abort();
    await running;
  });
});
