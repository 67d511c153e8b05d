import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultScript } from '../../../src/sandbox/faults/fault-script.ts';
import { type FaultMatch, type FaultRule, Sandbox } from '../../../src/sandbox/index.ts';
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

describe('a rule', () => {
  it('gives its fault to matching requests, after `skip` of them, `times` times', async () => {
    sandbox.faults.add({
      fault: { kind: 'status', code: 503 },
      match: { method: 'GET', path: /configmaps\?/ },
      skip: 1,
      times: 2,
    });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(sandbox, 'GET', `${CONFIG_MAPS}?n=${i}`)).status);
    expect(statuses).toEqual([200, 503, 503, 200, 200]);
    expect(sandbox.faults.pending).toBe(0);
  });

  it('can be removed', async () => {
    const rule = sandbox.faults.add({ fault: { kind: 'status', code: 500 }, times: Number.POSITIVE_INFINITY });
    expect((await ask(sandbox, 'GET', CONFIG_MAPS)).status).toBe(500);
    rule[Symbol.dispose]();
    expect((await ask(sandbox, 'GET', CONFIG_MAPS)).status).toBe(200);
  });

  it.each<[match: FaultMatch, matching: string[]]>([
    [{}, ['GET list', 'GET watch', 'GET watch=0', 'POST']],
    [{ watch: true }, ['GET watch']],
    [{ watch: false }, ['GET list', 'GET watch=0', 'POST']],
    [{ method: 'post' }, ['POST']],
    [{ method: 'GET', path: 'limit=5' }, ['GET list']],
    [{ path: /configmaps$/ }, ['POST']],
    [{ path: 'secrets' }, []],
  ])('%j applies to %j', (match, matching) => {
    const requests = {
      'GET list': { method: 'GET', path: `${CONFIG_MAPS}?limit=5` },
      'GET watch': { method: 'get', path: `${CONFIG_MAPS}?limit=1&watch=1` },
      'GET watch=0': { method: 'GET', path: `${CONFIG_MAPS}?watch=0` },
      POST: { method: 'POST', path: CONFIG_MAPS },
    };
    const script = new FaultScript();
    script.add({ fault: { kind: 'stall' }, match, times: Number.POSITIVE_INFINITY });
    const found = Object.entries(requests).filter(([, request]) => script.take(request));
    expect(found.map(([name]) => name)).toEqual(matching);
  });

  it.each<[rule: object, message: RegExp]>([
    [{ fault: { kind: 'explode' } }, /the kind of a fault/],
    [{ fault: {} }, /the kind of a fault/],
    [{}, /the kind of a fault/],
    [{ fault: { kind: 'cut', before: 1 } }, /before/],
    [{ fault: { kind: 'cut', after: 'two' } }, /after/],
    [{ fault: { kind: 'cut' }, macth: {} }, /macth/],
    [{ fault: { kind: 'cut' }, match: { verb: 'watch' } }, /verb/],
  ])('is refused when it is not valid: %j', (rule, message) => {
    const script = new FaultScript();
    expect(() => script.add(rule as FaultRule)).toThrow(message);
    expect(script.pending).toBe(0);
  });
});

it('gives each request the first fault that matches, in the order in which they were added', () => {
  const script = new FaultScript();
  script.add({ fault: { kind: 'stall' }, match: { path: 'pods' } });
  script.add({ fault: { kind: 'cut' } });
  const kinds = ['/configmaps', '/pods', '/pods'].map((path) => script.take({ method: 'GET', path })?.kind);
  expect(kinds).toEqual(['cut', 'stall', undefined]);
});

it('forgets all faults when it is cleared', () => {
  const script = new FaultScript();
  script.add({ fault: { kind: 'stall' } });
  script.clear();
  expect([script.pending, script.take({ method: 'GET', path: '/' })]).toEqual([0, undefined]);
});
