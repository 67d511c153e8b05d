import { afterEach, describe, expect, it } from 'vitest';
import { loginHint } from '../../../src/cli/hints/outage.ts';
import { ContinuityReporter } from '../../../src/cli/outage/continuity-reporter.ts';
import type { WatchTarget } from '../../../src/cli/session/informers.ts';
import { Credentials, type LoginMethod } from '../../../src/client/config/cluster-config.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type InProcess, inProcess } from '../../support/in-process.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const typeOf = (gvr: typeof PODS) =>
  ({ gvr, kind: gvr.resource, namespaced: true, verbs: [] }) as unknown as ResourceType;

let own: (InProcess & { end(): Promise<void> }) | undefined;
afterEach(async () => {
  await own?.end();
  own = undefined;
});

/** The notices, minute by minute, about informers of pods and config maps on an in-process sandbox. */
async function reporting(login?: LoginMethod, before: (sandbox: Sandbox) => void = () => {}) {
  const base = await inProcess({ client: { random: () => 0 } });
  before(base.sandbox);
  const ending = new AbortController();
  const lines: string[] = [];
  const targets: WatchTarget[] = [];
  const session = {
    signal: ending.signal,
    clock: base.clock,
    client: base.client,
    config: { user: 'jane', login, namespace: 'default', credentials: async () => new Credentials({}, {}) } as never,
    notice: (text: string) => void lines.push(text),
  };
  const reporter = new ContinuityReporter(session, () => targets);
  for (const gvr of [PODS, CONFIG_MAPS]) {
    const type = typeOf(gvr);
    const informer = new SharedInformer<UnknownObject>(base.client.resource<UnknownObject>(gvr), {
      name: gvr.resource,
      clock: base.clock,
      sync: 'auto' as never,
      random: () => 0,
      onContinuity: (event) => reporter.observe(event, type),
    });
    const need = { type, verbs: ['list', 'watch'], names: [] } as const;
    targets.push({ type, informer, need, names: undefined, namespaces: [''] } as unknown as WatchTarget);
  }
  const running = targets.map(({ informer }) => informer.run(ending.signal));
  await settled();
  own = Object.assign(base, {
    async end() {
      ending.abort();
      reporter[Symbol.dispose]();
      await Promise.all(running);
      await base.sandbox.stop();
    },
  });
  return { ...base, lines, reporter, targets, since: () => lines.splice(0) };
}

const always = { times: Number.POSITIVE_INFINITY };

describe('a server that flaps', () => {
  it('does not flood: 20 notices in the first minute, then a few a minute with the count of the others; every gap is reported', async () => {
    const { sandbox, clock, since, targets } = await reporting();
    const perMinute: string[][] = [];
    for (let minute = 0; minute < 5; minute++) {
      for (let i = 0; i < 15; i++) {
        void sandbox.restart({ keepHistory: minute < 4, downMs: 10 });
        if (minute === 4)
          sandbox.apply({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `unseen-${i}`, namespace: 'default' },
          });
        await clock.advance(4_000);
      }
      perMinute.push(since());
    }
    const isGap = (line: string) => line.includes('may go unseen') || line.includes('relisted');
    const [first = [], ...others] = perMinute.map((lines) => lines.filter((line) => !isGap(line)));
    expect(first.length).toBeGreaterThan(10);
    expect(first.length).toBeLessThanOrEqual(21);
    for (const lines of others) expect(lines.length).toBeLessThanOrEqual(5);
    expect(others[1]?.join()).toMatch(
      /the connection keeps breaking: \d+ more notices of it in the last minute were left out/,
    );
    const gaps = targets.flatMap(({ informer }) => informer.continuity).flatMap((source) => source.gaps);
    expect(gaps.length).toBeGreaterThan(5);
    const named = perMinute[4]
      ?.filter((line) => line.includes('may go unseen'))
      .map((line) => line.split(':')[0] ?? '');
    expect(named?.flatMap((names) => names.split(', '))).toHaveLength(gaps.length);
  });
});

it('an outage in which changes of two types were lost is one line of both about what may be missing, and one about what came back', async () => {
  const { sandbox, clock, since } = await reporting();
  void sandbox.restart({ keepHistory: false, downMs: 10 });
  sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unseen', namespace: 'default' } });
  await clock.advance(10_000);
  const lines = since();
  const about = (part: string) => lines.filter((line) => line.includes(part));
  expect(about('may go unseen')).toEqual([
    expect.stringMatching(/^(pods, configmaps|configmaps, pods): changes after/),
  ]);
  expect(about('relisted')).toEqual([expect.stringMatching(/^(pods, configmaps|configmaps, pods): relisted/)]);
});

describe('an outage that lasts', () => {
  it('is reported again after 30 s, 1, 2, 5 and 10 minutes, then every ten: which types, since when, why, and what follows', async () => {
    const { sandbox, clock, since } = await reporting();
    const fault = sandbox.faults.add({ fault: { kind: 'status', code: 503 }, ...always });
    void sandbox.restart({ keepHistory: true, downMs: 10 });
    await clock.advance(20_000);
    since();
    const at: number[] = [];
    let text = '';
    for (let second = 20; second < 1900; second++) {
      await clock.advance(1000);
      for (const line of since()) {
        at.push(second + 1);
        text = line;
      }
    }
    expect(at).toHaveLength(7);
    const wanted = [30, 60, 120, 300, 600, 1200, 1800];
    at.forEach((second, i) => void expect(Math.abs(second - (wanted[i] as number))).toBeLessThanOrEqual(2));
    expect(text).toMatch(
      /^pods, configmaps: no connection for 30m?, since \d\d:\d\d:\d\d \(the server is currently unable to handle the request\); what happens meanwhile is not seen yet; trying again$/i,
    );
    fault[Symbol.dispose]();
    await clock.advance(120_000);
    since();
    await clock.advance(3_600_000);
    expect(since()).toEqual([]);
  });

  it('after a 401 says how to log in, by what the user logs in with', async () => {
    const { sandbox, clock, lines, since } = await reporting({ kind: 'exec', of: 'aws' });
    sandbox.faults.add({ fault: { kind: 'status', code: 401 }, ...always });
    void sandbox.restart({ keepHistory: true, downMs: 10 });
    await clock.advance(20_000);
    const hint =
      'hint: the credentials of user "jane" come from the plugin aws: log in again with it; it is asked again by itself, and the stream goes on';
    await expect.poll(() => lines).toContain(hint);
    since();
    await clock.advance(15_000);
    await expect.poll(() => lines).toHaveLength(2);
    const [reminder, again] = since();
    expect([reminder, again]).toEqual([expect.stringContaining('pods, configmaps: no connection for '), hint]);
    expect(reminder).toContain('Unauthorized');
  });

  it('after a 403 names the rule that is missing', async () => {
    const { sandbox, clock, since } = await reporting();
    sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path: '/configmaps' }, ...always });
    void sandbox.restart({ keepHistory: true, downMs: 10 });
    await clock.advance(40_000);
    const lines = since();
    const rule = 'a ClusterRole with the rule {apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"]}';
    expect(lines.filter((line) => line.startsWith('hint: ') && line.includes(rule)).length).toBeGreaterThanOrEqual(2);
    expect(lines.some((line) => line.startsWith('configmaps: no connection for '))).toBe(true);
    expect(lines.some((line) => line.startsWith('pods: no connection'))).toBe(false);
  });
});

it('an initial sync that does not come is reported: what is missing, and why', async () => {
  const { clock, since } = await reporting(undefined, ({ faults }) =>
    faults.add({
      fault: { kind: 'status', code: 503 },
      match: { path: '/configmaps' },
      times: Number.POSITIVE_INFINITY,
    }),
  );
  await clock.advance(29_000);
  since();
  await clock.advance(1000);
  expect(since()).toEqual([
    expect.stringMatching(/^configmaps: no initial sync after 30s: the server is currently unable .*; trying again$/),
  ]);
});

it.each<[LoginMethod | undefined, boolean, string]>([
  [
    { kind: 'token-file', of: '/run/token' },
    true,
    'comes from the file /run/token: renew it; it is read again by itself',
  ],
  [
    { kind: 'token' },
    true,
    'has expired or was revoked: log in again, so that the kubeconfig has a new one; it is read again by itself',
  ],
  [{ kind: 'token' }, false, 'has expired or was revoked: log in again, so that the kubeconfig has a new one'],
  [{ kind: 'flag' }, true, 'the server refuses what --token (or --username) gives'],
  [{ kind: 'certificate' }, true, 'the client certificate of user "jane" has expired'],
  [{ kind: 'provider', of: 'oidc' }, true, 'logs in by oidc'],
  [{ kind: 'password' }, true, 'the name and password of user "jane"'],
  [{ kind: 'none' }, true, 'log in again, or choose another user with --context or --user'],
  [undefined, true, 'log in again, or choose another user with --context or --user'],
])('a 401 of %j has its own hint', (login, goesOn, text) => {
  expect(loginHint({ login, user: 'jane' }, goesOn)).toContain(text);
});
