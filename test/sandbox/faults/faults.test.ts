import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { type Fault, parseFaults, Sandbox } from '../../../src/sandbox/index.ts';
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
    ['refuse::/api/v1/secrets', [{ fault: { kind: 'refuse' }, match: { path: '/api/v1/secrets' }, times: 1 }]],
  ])('is read from %j', (spec, rules) => {
    expect(parseFaults(spec)).toEqual(rules);
  });

  it.each(['explode', 'status=418', 'cut@x', 'delay'])('refuses %j', (spec) => {
    expect(() => parseFaults(spec)).toThrow(InformerError);
  });
});
