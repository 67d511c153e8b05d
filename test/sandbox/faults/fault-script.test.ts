import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { type Fault, type FaultRule, parseFaults, RANDOM_KINDS, Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { ask, briefly, CONFIG_MAPS, configMapNamed, startWatch } from '../../support/sandbox-requests.ts';

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  sandbox.apply(['a', 'b', 'c'].map((name) => configMapNamed(name)));
});
afterEach(() => sandbox.stop());

const WATCH = `${CONFIG_MAPS}?watch=1`;

async function watchWith(fault: Fault) {
  sandbox.faults.add({ fault, match: { watch: true } });
  const watching = await startWatch(sandbox, WATCH);
  await settled();
  return watching;
}

describe('a watch', () => {
  it('is cut after so many events', async () => {
    await using watching = await watchWith({ kind: 'cut', after: 2 });
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b']);
    expect(watching.ended()).toMatchObject({ code: 'ECONNRESET' });
  });

  it('ends in the middle of a line', async () => {
    await using watching = await watchWith({ kind: 'truncate', after: 1 });
    expect(briefly(watching.events)).toEqual(['ADDED a']);
    expect(watching.text()).toMatch(/\n\{"type":"ADDED"[^\n]+$/);
    expect(watching.ended()).toBeNull();
  });

  it('falls silent but stays open', async () => {
    await using watching = await watchWith({ kind: 'stall', after: 1 });
    sandbox.apply(configMapNamed('d'));
    await clock.advance(3_600_000);
    expect(briefly(watching.events)).toEqual(['ADDED a']);
    expect(watching.ended()).toBeUndefined();
  });

  it('says 410 after so many events', async () => {
    await using watching = await watchWith({ kind: 'gone', after: 3 });
    expect(watching.events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(watching.ended()).toBeNull();
  });

  it('shows an event twice', async () => {
    await using watching = await watchWith({ kind: 'duplicate', after: 1 });
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED b', 'ADDED c']);
  });

  it('comes in so many bytes at a time', async () => {
    await using watching = await watchWith({ kind: 'slow', ms: 100, bytes: 16 });
    await clock.advance(1_000);
    expect(watching.text().length).toBe(160);
    await clock.advance(600_000);
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('shows the members of its objects in another order, and the same objects', async () => {
    await using plain = await startWatch(sandbox, WATCH);
    await using watching = await watchWith({ kind: 'reorder', after: 1 });
    const [first = '', second = ''] = watching.text().split('\n');
    expect(first).toMatch(/^\{"type":"ADDED","object":\{"kind"/);
    expect(second).toMatch(/^\{"object":\{.*"kind":"ConfigMap"\},"type":"ADDED"\}$/);
    expect(watching.events).toEqual(plain.events);
  });

  it('comes slowly', async () => {
    await using watching = await watchWith({ kind: 'slow', ms: 1_000 });
    expect(watching.events).toEqual([]);
    await clock.advance(2_000);
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b']);
  });
});

describe('another request', () => {
  it.each([429, 500, 503, 504] as const)('is answered %i', async (code) => {
    sandbox.faults.add({ fault: { kind: 'status', code, retryAfterSeconds: 3 } });
    const { status, headers, body } = await ask(sandbox, 'GET', CONFIG_MAPS);
    expect([status, body.kind, body.code, headers['retry-after']]).toEqual([code, 'Status', code, '3']);
  });

  it('is refused', async () => {
    sandbox.faults.add({ fault: { kind: 'refuse' } });
    await expect(ask(sandbox, 'GET', CONFIG_MAPS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is cut at a byte', async () => {
    sandbox.faults.add({ fault: { kind: 'cut', bytes: 10 } });
    const { body } = await sandbox.handle({ method: 'GET', path: CONFIG_MAPS });
    let seen = 0;
    const reading = (async () => {
      for await (const chunk of body) seen += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(seen).toBe(10);
  });

  it('is late', async () => {
    sandbox.faults.add({ fault: { kind: 'delay', ms: 5_000 } });
    const answer = ask(sandbox, 'GET', CONFIG_MAPS);
    let done = false;
    void answer.then(() => {
      done = true;
    });
    await clock.advance(4_999);
    expect(done).toBe(false);
    await clock.advance(1);
    expect((await answer).status).toBe(200);
  });
});

describe('the server', () => {
  it('reorders the members of a list that was asked for compressed', async () => {
    sandbox.apply(configMapNamed('large', { text: 'x'.repeat(200_000) }));
    const plain = await ask(sandbox, 'GET', CONFIG_MAPS);
    sandbox.faults.add({ fault: { kind: 'reorder' } });
    const { body } = await ask(sandbox, 'GET', CONFIG_MAPS, undefined, { 'accept-encoding': 'gzip' });
    expect(Object.keys(body)).toEqual(['items', 'metadata', 'apiVersion', 'kind']);
    expect(body).toEqual(plain.body);
  });

  it.each([true, false])('restarts, history kept: %s', async (keepHistory) => {
    const since = sandbox.resourceVersion;
    sandbox.apply(configMapNamed('d'));
    await using watching = await startWatch(sandbox, WATCH);
    sandbox.faults.add({ fault: { kind: 'restart', keepHistory, downMs: 1_000 }, match: { path: 'secrets' } });
    const secrets = '/api/v1/secrets';
    await expect(ask(sandbox, 'GET', secrets)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(ask(sandbox, 'GET', secrets)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await clock.advance(1_000);
    expect(watching.ended()).toMatchObject({ code: 'ECONNRESET' });
    await using again = await startWatch(sandbox, `${WATCH}&resourceVersion=${since}`);
    await settled();
    expect(again.events[0]).toMatchObject(keepHistory ? { type: 'ADDED' } : { type: 'ERROR', object: { code: 410 } });
  });

  it('has a clock that is off, until it is put right', async () => {
    sandbox.faults.add({ fault: { kind: 'skew', ms: -3_600_000 } });
    const transport = sandbox.transport();
    const { headers } = await transport.request({ method: 'GET', path: '/version' });
    expect(Date.parse(headers.date ?? '')).toBe(clock.now() - 3_600_000);
    const [late] = sandbox.apply(configMapNamed('late'));
    expect(late?.metadata.creationTimestamp).toBe('2025-12-31T23:00:00Z');
    sandbox.skewClock(0);
    const [right] = sandbox.apply(configMapNamed('right'));
    expect(right?.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
  });

  const statusWith = async (token: string) =>
    (await ask(sandbox, 'GET', CONFIG_MAPS, undefined, { authorization: `Bearer ${token}` })).status;

  it('takes its token no more, until it has issued another one', async () => {
    const { token } = sandbox;
    sandbox.faults.add({ fault: { kind: 'expire' }, skip: 1 });
    expect([await statusWith(token), await statusWith(token), await statusWith(token)]).toEqual([200, 401, 401]);
    expect(await statusWith('')).toBe(401);
    const next = sandbox.rotateToken();
    expect([sandbox.token, await statusWith(next), await statusWith(token)]).toEqual([next, 200, 401]);
  });

  it('lets each token live so long', async () => {
    await using short = await Sandbox.start({ socket: false, clock, tokenLifetimeMs: 60_000 });
    const status = async () => (await ask(short, 'GET', '/version', undefined, { authorization: `Bearer ${short.token}` })).status;
    expect(await status()).toBe(200);
    await clock.advance(60_000);
    expect(await status()).toBe(401);
    short.rotateToken();
    expect(await status()).toBe(200);
  });
});

describe('random faults', () => {
  /** How so many lists end. */
  async function outcomes(seed: number, rate: number): Promise<string[]> {
    const own = new FakeClock();
    await using server = await Sandbox.start({ socket: false, clock: own, seed: 1 });
    server.faults.random({ seed, rate, kinds: ['status', 'refuse', 'cut'], match: { path: 'configmaps' } });
    const ends: string[] = [];
    for (let i = 0; i < 200; i++) {
      const end = ask(server, 'GET', CONFIG_MAPS).then(
        ({ status }) => String(status),
        (error: { code: string }) => error.code,
      );
      ends.push(await end);
    }
    expect((await ask(server, 'GET', '/version')).status).toBe(200);
    return ends;
  }

  it('harm about the share of requests that was asked for, the same for the same seed', async () => {
    const first = await outcomes(5, 0.3);
    expect(await outcomes(5, 0.3)).toEqual(first);
    expect(await outcomes(6, 0.3)).not.toEqual(first);
    const harmed = first.filter((end) => end !== '200').length;
    expect(harmed).toBeGreaterThan(30);
    expect(harmed).toBeLessThan(90);
    expect(new Set(await outcomes(5, 0))).toEqual(new Set(['200']));
  });

  it('draw from every kind there is to get over, and end when they are taken back', async () => {
    const rule = sandbox.faults.random({ seed: 2, rate: 1 });
    const request = { method: 'GET', path: WATCH };
    const drawn = Array.from({ length: 500 }, () => sandbox.faults.take(request)?.kind);
    expect(new Set(drawn)).toEqual(new Set(RANDOM_KINDS));
    rule[Symbol.dispose]();
    expect(sandbox.faults.take(request)).toBeUndefined();
  });

  it.each([
    [{ seed: 1, rate: 2 }, 'rate is 2'],
    [{ seed: 1, rate: 1, kinds: [] }, 'kinds: none'],
    [{ seed: 1, rate: 1, kinds: ['explode' as 'cut'] }, 'kinds: explode'],
  ])('refuse %j', (options, message) => {
    expect(() => sandbox.faults.random(options)).toThrow(message);
  });
});

describe('the script', () => {
  it('harms the requests that match, so many times, after so many went through', async () => {
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { method: 'GET', path: /configmaps\?/ }, skip: 1, times: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(sandbox, 'GET', `${CONFIG_MAPS}?n=${i}`)).status);
    expect(statuses).toEqual([200, 503, 503, 200, 200]);
    expect(sandbox.faults.pending).toBe(0);
  });

  it('can be taken back', async () => {
    const rule = sandbox.faults.add({ fault: { kind: 'status', code: 500 }, times: Number.POSITIVE_INFINITY });
    expect((await ask(sandbox, 'GET', CONFIG_MAPS)).status).toBe(500);
    rule[Symbol.dispose]();
    expect((await ask(sandbox, 'GET', CONFIG_MAPS)).status).toBe(200);
  });

  it.each([
    ['cut@5:watch:pods', [{ fault: { kind: 'cut', after: 5 }, match: { watch: true, path: 'pods' }, times: 1 }]],
    [
      'status=429*3:list, stall:watch',
      [
        { fault: { kind: 'status', code: 429, retryAfterSeconds: 1 }, match: { method: 'GET', watch: false }, times: 3 },
        { fault: { kind: 'stall' }, match: { watch: true }, times: 1 },
      ],
    ],
    ['slow=200ms*:PATCH', [{ fault: { kind: 'slow', ms: 200 }, match: { method: 'PATCH' }, times: Number.POSITIVE_INFINITY }]],
    ['reorder@2', [{ fault: { kind: 'reorder', after: 2 }, match: {}, times: 1 }]],
    ['slow=50ms/16*', [{ fault: { kind: 'slow', ms: 50, bytes: 16 }, match: {}, times: Number.POSITIVE_INFINITY }]],
    ['status=429/7', [{ fault: { kind: 'status', code: 429, retryAfterSeconds: 7 }, match: {}, times: 1 }]],
    ['status=503', [{ fault: { kind: 'status', code: 503 }, match: {}, times: 1 }]],
    ['restart', [{ fault: { kind: 'restart', keepHistory: false }, match: {}, times: 1 }]],
    ['restart=keep/3s', [{ fault: { kind: 'restart', keepHistory: true, downMs: 3_000 }, match: {}, times: 1 }]],
    ['skew=-5m', [{ fault: { kind: 'skew', ms: -300_000 }, match: {}, times: 1 }]],
    ['restart=wipe/2s', [{ fault: { kind: 'restart', wiped: true, downMs: 2000 }, match: {}, times: 1 }]],
    ['expire:GET', [{ fault: { kind: 'expire' }, match: { method: 'GET' }, times: 1 }]],
    [
      'random=0.1/7/cut+stall:watch',
      [
        {
          fault: { kind: 'random', rate: 0.1, seed: 7, kinds: ['cut', 'stall'] },
          match: { watch: true },
          times: Number.POSITIVE_INFINITY,
        },
      ],
    ],
    ['random=0.5', [{ fault: { kind: 'random', rate: 0.5, seed: 1 }, match: {}, times: Number.POSITIVE_INFINITY }]],
    ['refuse::/api/v1/secrets', [{ fault: { kind: 'refuse' }, match: { path: '/api/v1/secrets' }, times: 1 }]],
  ] as [string, FaultRule[]][])('is read from %j', (spec, rules) => {
    expect(parseFaults(spec)).toEqual(rules);
  });

  it.each(['explode', 'status=418', 'cut@x', 'delay', 'cut=1', 'slow=1s/0', 'restart=5s', 'random', 'random=2', 'random=1/1/boom', 'skew'])(
    'refuses %j',
    (spec) => {
      expect(() => parseFaults(spec)).toThrow(InformerError);
    },
  );
});
