import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RANDOM_KINDS, Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  sandbox.apply(['a', 'b', 'c'].map((name) => configMapNamed(name)));
});
afterEach(() => sandbox.stop());

const WATCH = `${CONFIG_MAPS}?watch=1`;

describe('random faults', () => {
  /** How 200 lists end. */
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

  it('are given to about the share of requests that was asked for, the same for the same seed', async () => {
    const first = await outcomes(5, 0.3);
    expect(await outcomes(5, 0.3)).toEqual(first);
    expect(await outcomes(6, 0.3)).not.toEqual(first);
    const harmed = first.filter((end) => end !== '200').length;
    expect(harmed).toBeGreaterThan(30);
    expect(harmed).toBeLessThan(90);
    expect(new Set(await outcomes(5, 0))).toEqual(new Set(['200']));
  });

  it('are of every kind of RANDOM_KINDS, and end when they are removed', async () => {
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
  ])('cannot be %j', (options, message) => {
    expect(() => sandbox.faults.random(options)).toThrow(message);
  });
});
