import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  it('is cut after the given number of events', async () => {
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

  it.each([
    [0, []],
    [2, ['ADDED a', 'ADDED b']],
  ])('ends without an error after %i events, with empty', async (after, events) => {
    await using watching = await watchWith({ kind: 'empty', after });
    expect(briefly(watching.events)).toEqual(events);
    expect(watching.ended()).toBeNull();
  });

  it('falls silent but stays open, with stall', async () => {
    await using watching = await watchWith({ kind: 'stall', after: 1 });
    sandbox.apply(configMapNamed('d'));
    await clock.advance(3_600_000);
    expect(briefly(watching.events)).toEqual(['ADDED a']);
    expect(watching.ended()).toBeUndefined();
  });

  it('reports 410 after the given number of events', async () => {
    await using watching = await watchWith({ kind: 'gone', after: 3 });
    expect(watching.events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(watching.ended()).toBeNull();
  });

  it('shows an event twice, with duplicate', async () => {
    await using watching = await watchWith({ kind: 'duplicate', after: 1 });
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED b', 'ADDED c']);
  });

  it('comes in pieces of the given size', async () => {
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

  it('is behind, and does not fall further behind, with lag', async () => {
    await using watching = await watchWith({ kind: 'lag', ms: 1_000 });
    await clock.advance(600);
    sandbox.apply(configMapNamed('d'));
    expect(watching.events).toEqual([]);
    await clock.advance(400);
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await clock.advance(600);
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d']);
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

  it('gets a list with its members in another order, though it asked for gzip', async () => {
    sandbox.apply(configMapNamed('large', { text: 'x'.repeat(200_000) }));
    const plain = await ask(sandbox, 'GET', CONFIG_MAPS);
    sandbox.faults.add({ fault: { kind: 'reorder' } });
    const { body } = await ask(sandbox, 'GET', CONFIG_MAPS, undefined, { 'accept-encoding': 'gzip' });
    expect(Object.keys(body)).toEqual(['items', 'metadata', 'apiVersion', 'kind']);
    expect(body).toEqual(plain.body);
  });

  it('that is no watch is answered 410 as a whole', async () => {
    sandbox.faults.add({ fault: { kind: 'gone', after: 5 } });
    const { status, body } = await ask(sandbox, 'GET', CONFIG_MAPS);
    expect([status, body.reason]).toEqual([410, 'Expired']);
  });

  it.each([401, 403] as const)('is answered %i without Retry-After', async (code) => {
    sandbox.faults.add({ fault: { kind: 'status', code } });
    const { status, headers } = await ask(sandbox, 'GET', CONFIG_MAPS);
    expect([status, headers['retry-after']]).toEqual([code, undefined]);
  });

  it('can be left while it waits', async () => {
    sandbox.faults.add({ fault: { kind: 'delay', ms: 5_000 } });
    const leave = new AbortController();
    const answer = sandbox.handle({ method: 'GET', path: CONFIG_MAPS, signal: leave.signal });
    leave.abort();
    await expect(answer).rejects.toThrow();
    expect(clock.pending).toBe(0);
  });
});

describe('the fault status 409', () => {
  const path = `${CONFIG_MAPS}/a`;

  it('refuses writes as if the object had been changed, and writes nothing; reads do not use it up', async () => {
    sandbox.faults.add({ fault: { kind: 'status', code: 409 }, times: 2 });
    expect((await ask(sandbox, 'GET', path)).status).toBe(200);
    const before = sandbox.resourceVersion;
    const refused = await ask(sandbox, 'PATCH', path, { data: { x: '1' } });
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect(refused.body.details).toEqual({ name: 'a', kind: 'configmaps' });
    const created = await ask(sandbox, 'POST', CONFIG_MAPS, configMapNamed('new'));
    expect([created.status, created.body.message]).toEqual([409, expect.stringContaining('configmaps "new"')]);
    expect(sandbox.resourceVersion).toBe(before);
    expect((await ask(sandbox, 'PATCH', path, { data: { x: '1' } })).status).toBe(200);
  });

  it('is refused where only reads match', () => {
    for (const match of [{ method: 'get' }, { watch: true }]) {
      expect(() => sandbox.faults.add({ fault: { kind: 'status', code: 409 }, match })).toThrow(
        'only a write can have',
      );
    }
    expect(() => parseFaults('status=409:list')).toThrow('only a write can have');
    expect(parseFaults('status=409*3:PATCH:/pods/')).toEqual([
      { fault: { kind: 'status', code: 409 }, match: { method: 'PATCH', path: '/pods/' }, times: 3 },
    ]);
  });
});
