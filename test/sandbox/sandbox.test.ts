import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS, podNamed, startWatch } from '../support/sandbox-requests.ts';

it('refuses requests while it restarts and after it stopped', async () => {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock });
  const restart = sandbox.restart({ downMs: 1_000 });
  await expect(ask(sandbox, 'GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await clock.advance(1_000);
  await restart;
  expect((await ask(sandbox, 'GET', PODS)).status).toBe(200);
  await sandbox.stop();
  await expect(ask(sandbox, 'GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('moves its clock when that is a FakeClock', async () => {
  await using sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), scenario: 'rollout', seed: 1 });
  const before = Number(sandbox.resourceVersion);
  await sandbox.advance(10_000);
  expect(Number(sandbox.resourceVersion)).toBeGreaterThan(before);
  await using live = await Sandbox.start({ socket: false });
  await expect(live.advance(1)).rejects.toThrow('this sandbox runs on a clock that moves by itself');
});

it('forgets history that is too old: a watch gets 410, a page says how to go on', async () => {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock, historyMs: 60_000 });
  sandbox.apply([podNamed('a'), podNamed('b')]);
  const since = sandbox.resourceVersion;
  const { body: page } = await ask(sandbox, 'GET', `${PODS}?limit=1`);
  sandbox.apply(podNamed('c'));
  await clock.advance(120_000);
  const watch = await ask(sandbox, 'GET', `${PODS}?watch=1&timeoutSeconds=1&resourceVersion=${since}`);
  expect(watch.body).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  const next = await ask(sandbox, 'GET', `${PODS}?limit=1&continue=${page.metadata.continue}`);
  expect([next.status, next.body.reason, typeof next.body.metadata.continue]).toEqual([410, 'Expired', 'string']);
});

it('restarts once when a second restart begins during the first', async () => {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock });
  const both = [sandbox.restart({ downMs: 1_000 }), sandbox.restart()];
  await clock.advance(999);
  await expect(ask(sandbox, 'GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' }); // the second would be over
  await clock.advance(1);
  await Promise.all(both);
  expect((await ask(sandbox, 'GET', PODS)).status).toBe(200);
});

describe('an incident', () => {
  let clock: FakeClock;
  let sandbox: Sandbox;
  const WATCH = `${CONFIG_MAPS}?watch=1`;

  beforeEach(async () => {
    clock = new FakeClock();
    sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
    sandbox.apply(['a', 'b', 'c'].map((name) => configMapNamed(name)));
  });
  afterEach(() => sandbox.stop());

  it.each([true, false])('restarts the server, history kept: %s', async (keepHistory) => {
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

  it('skews the clock of the server until it is set right', async () => {
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

  it('expires the token until another one is issued', async () => {
    const { token } = sandbox;
    sandbox.faults.add({ fault: { kind: 'expire' }, skip: 1 });
    expect([await statusWith(token), await statusWith(token), await statusWith(token)]).toEqual([200, 401, 401]);
    expect(await statusWith('')).toBe(401);
    const next = sandbox.rotateToken();
    expect([sandbox.token, await statusWith(next), await statusWith(token)]).toEqual([next, 200, 401]);
  });

  it('a token expires after `tokenLifetimeMs`', async () => {
    await using short = await Sandbox.start({ socket: false, clock, tokenLifetimeMs: 60_000 });
    const status = async () =>
      (await ask(short, 'GET', '/version', undefined, { authorization: `Bearer ${short.token}` })).status;
    expect(await status()).toBe(200);
    await clock.advance(60_000);
    expect(await status()).toBe(401);
    short.rotateToken();
    expect(await status()).toBe(200);
  });
});
