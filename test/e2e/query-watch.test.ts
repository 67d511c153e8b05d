import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { eventually } from '../../src/testing/index.ts';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';
import { serving } from '../support/serving.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

interface Line {
  readonly op?: '+' | '-' | '~';
  readonly type?: string;
  readonly key?: string;
  readonly gvr?: string;
  readonly cause?: string;
  readonly seq: number;
  readonly object?: UnknownObject;
  readonly row?: { readonly value?: string; readonly count: number };
  readonly exitCode?: number;
  readonly reason?: string;
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const follow = (line: readonly string[], env = fixture.env) =>
  new Cli(['query', ...line, '--watch', '--merge', '20ms'], { env });

/** The lines without what the time changes: the age is the last cell. */
const rowsOf = (cli: Cli) => cli.lines.map((line) => line.trimEnd().split(/\s+/).slice(0, -1).join(' '));

const opsOf = (cli: Cli) => cli.events<Line>().map(({ op, key, row }) => `${op}${key ?? row?.value ?? ''}`);

/** What the printed changes add up to: by object its version, by group its count. */
function addedUp(cli: Cli): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  for (const { op, key, row, object } of cli.events<Line>()) {
    const id = key ?? row?.value ?? 'count';
    if (op === '-') rows.delete(id);
    else if (op !== undefined) rows.set(id, row?.count ?? object?.metadata.resourceVersion);
  }
  return rows;
}

describe('query --watch', () => {
  it('prints the result, and then rows that enter, change and leave, with their signs', async () => {
    await using own = await startFixture([NAMESPACE, pod('web-1'), pod('web-2', { phase: 'Pending' })]);
    await using cli = follow(['pods', '-n', 'shop', '--where', 'STATUS != "Running"'], own.env);
    await cli.until((c) => c.lines.length === 2, 'the first result');
    own.sandbox.apply(pod('web-1', { phase: 'Failed' }));
    await cli.until((c) => c.lines.length === 3, 'a row that enters');
    own.sandbox.apply(pod('web-2', { phase: 'Unknown' }));
    await cli.until((c) => c.lines.length === 4, 'a row that changes');
    own.sandbox.apply(pod('web-2', { phase: 'Running' }));
    await cli.until((c) => c.lines.length === 5, 'a row that leaves');
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await cli.until((c) => c.lines.length === 6, 'a deletion');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(rowsOf(cli)).toEqual(
      [
        'NAME READY STATUS RESTARTS',
        '+ web-2 0/1 Pending 0',
        '+ web-1 0/1 Failed 0',
        '~ web-2 0/1 Unknown 0',
        '- web-2 0/1 Running 0',
        '- web-1 0/1 Failed 0',
      ].map((row, i) => (i === 0 ? ` ${row}` : row)),
    );
    expect(stderr).toMatch(/^ended by SIGINT after \d+(\.\d+)?s: 5 row changes \(2 \+, 1 ~, 2 -\), no gaps\n$/);
  });

  it('prints nothing for a change that its rows do not show', async () => {
    await using own = await startFixture([NAMESPACE, pod('web-1')]);
    await using cli = follow(['pods', '-n', 'shop'], own.env);
    await cli.until((c) => c.lines.length === 2, 'the first result');
    const quiet = pod('web-1');
    own.sandbox.apply({ ...quiet, metadata: { ...quiet.metadata, annotations: { seen: 'yes' } } });
    own.sandbox.apply(pod('web-9'));
    await cli.until((c) => c.lines.length > 2, 'the next row');
    expect(rowsOf(cli).slice(2)).toEqual(['+ web-9 0/1 Running 0']);
  });

  it('has one record a line with -o json: what happened, the object, and why', async () => {
    await using own = await startFixture([NAMESPACE, pod('web-1'), pod('web-2')]);
    await using cli = follow(
      ['pods', '-n', 'shop', '-o', 'json', '--filter', 'object.metadata.labels.app == "web"'],
      own.env,
    );
    await cli.until((c) => c.lines.length === 2, 'the first result');
    own.sandbox.apply(pod('web-1', { app: 'db' }));
    await cli.until((c) => c.lines.length === 3, 'the row that leaves');
    own.sandbox.delete(PODS, 'shop/web-2', { gracePeriodSeconds: 0 });
    await cli.until((c) => c.lines.length === 4, 'the deletion');
    const events = cli.events<Line>();
    expect(events.map(({ op, key, gvr, cause, seq }) => [op, key, gvr, cause, seq])).toEqual([
      ['+', 'shop/web-1', 'v1/pods', 'initial', 1],
      ['+', 'shop/web-2', 'v1/pods', 'initial', 2],
      ['-', 'shop/web-1', 'v1/pods', 'filter', 3],
      ['-', 'shop/web-2', 'v1/pods', 'watch', 4],
    ]);
    expect(Object.keys(events[0] ?? {})).toEqual(['op', 'object', 'key', 'gvr', 'cause', 'seq', 'time']);
    expect(events[2]?.object).toMatchObject({ kind: 'Pod', metadata: { labels: { app: 'db' } } });
  });

  it('keeps the first N: rows enter and leave when their rank changes', async () => {
    await using own = await startFixture([NAMESPACE, ...['b', 'c', 'd'].map((name) => configMap(name, {}))]);
    await using cli = follow(
      ['cm', '-n', 'shop', '--limit', '2', '--sort-by', '.metadata.name', '-o', 'name'],
      own.env,
    );
    await cli.until((c) => c.lines.length === 2, 'the first result');
    own.sandbox.apply(configMap('a', {}));
    await cli.until((c) => c.lines.length === 4, 'the change of rank');
    own.sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/b', {});
    await cli.until((c) => c.lines.length === 6, 'the change of rank back');
    expect(cli.lines.map((line) => line.replace('configmap/', ''))).toEqual(['+ b', '+ c', '- c', '+ a', '- b', '+ c']);
  });

  it('goes on when no object has the field of --sort-by yet, says so, and orders rows when one has it', async () => {
    const marked = (name: string, n?: string) => {
      const map = configMap(name, {});
      return { ...map, metadata: { ...map.metadata, ...(n ? { annotations: { n } } : {}) } };
    };
    await using own = await startFixture([NAMESPACE, marked('a'), marked('b')]);
    const flags = ['--limit', '1', '--sort-by', '-.metadata.annotations.n', '-o', 'name'];
    await using cli = follow(['cm', '-n', 'shop', ...flags], own.env);
    await cli.until((c) => c.lines.length === 1 && c.stderr.includes('in the order of the server'), 'the first result');
    expect(cli.stderr).toContain(`couldn't find any field with path ".metadata.annotations.n"`);
    own.sandbox.apply(marked('b', '7'));
    await cli.until((c) => c.lines.length === 3, 'the change of rank');
    expect(cli.lines.map((line) => line.replace('configmap/', ''))).toEqual(['+ a', '- a', '+ b']);
  });

  it('follows counts, groups and the values of an index', async () => {
    await using own = await startFixture([NAMESPACE, pod('web-1'), pod('web-2', { node: 'worker-2' })]);
    const lines = [['--count'], ['--group-by', '.spec.nodeName', '-o', 'json'], ['--values', 'node', '-o', 'json']];
    const all = lines.map((flags) => follow(['pods', '-n', 'shop', ...flags], own.env));
    const [count, groups, values] = all as [Cli, Cli, Cli];
    await count.until((c) => c.lines.length === 1);
    for (const each of [groups, values]) await each.until((c) => c.lines.length === 2);
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await count.until((c) => c.lines.length === 2);
    for (const each of [groups, values]) await each.until((c) => c.lines.length === 3);
    own.sandbox.apply(pod('web-3', { node: 'worker-2' }));
    await count.until((c) => c.lines.length === 3);
    for (const each of [groups, values]) await each.until((c) => c.lines.length === 4);
    for (const each of all) each.kill('SIGKILL');
    expect(count.lines).toEqual(['+ 2', '~ 1', '~ 2']);
    for (const each of [groups, values])
      expect(each.events<Line>().map(({ op, row }) => `${op}${row?.value}=${row?.count}`)).toEqual([
        '+worker-1=1',
        '+worker-2=1',
        '-worker-1=0',
        '~worker-2=2',
      ]);
  });

  it('moves rows when an owner changes, and the object does not', async () => {
    const owned = (kind: string, apiVersion: string, name: string, uid: string) => ({
      kind,
      apiVersion,
      name,
      uid,
      controller: true,
    });
    const set = (owners: readonly object[]): UnknownObject => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-abc', namespace: 'shop', ownerReferences: owners as never },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await using own = await startFixture([NAMESPACE, set([])]);
    const rs = own.sandbox.get({ group: 'apps', version: 'v1', resource: 'replicasets' }, 'shop/web-abc');
    const web = pod('web-1');
    own.sandbox.apply({
      ...web,
      metadata: {
        ...web.metadata,
        ownerReferences: [owned('ReplicaSet', 'apps/v1', 'web-abc', rs?.metadata.uid ?? '')],
      },
    } as UnknownObject);
    own.sandbox.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const deploy = own.sandbox.get({ group: 'apps', version: 'v1', resource: 'deployments' }, 'shop/web');
    await using cli = follow(['pods', '-n', 'shop', '--eq', 'owner=deploy/web', '-o', 'name'], own.env);
    await eventually(() => cli.stderr.includes('none of 1 pod matches'));
    own.sandbox.apply(set([owned('Deployment', 'apps/v1', 'web', deploy?.metadata.uid ?? '')]));
    await cli.until((c) => c.lines.length === 1, 'the row');
    expect(cli.lines).toEqual(['+ pod/web-1']);
    own.sandbox.apply(set([]));
    await cli.until((c) => c.lines.length === 2, 'the row that leaves');
    expect(cli.lines[1]).toBe('- pod/web-1');
  });

  it('judges again by the time alone', async () => {
    await using own = await startFixture([NAMESPACE, pod('web-1')]);
    await using cli = follow(
      [
        'pods',
        '-n',
        'shop',
        '-o',
        'name',
        '--filter',
        'timestamp(object.metadata.creationTimestamp) < now - duration("3s")',
      ],
      own.env,
    );
    await cli.until((c) => c.lines.length === 1, 'the row that has become old enough');
    expect(cli.lines).toEqual(['+ pod/web-1']);
    expect(cli.stderr).toContain('none of 1 pod matches; what comes is shown');
  });

  it('says what is not there, and goes on until it comes', async () => {
    await using cli = follow(['pods', 'late-1', '-n', 'shop', '-o', 'name']);
    await eventually(() => cli.stderr.includes('pods "late-1" is not there yet'));
    fixture.sandbox.apply(pod('late-1'));
    await cli.until((c) => c.lines.length === 1);
    expect(cli.lines).toEqual(['+ pod/late-1']);
    fixture.sandbox.delete(PODS, 'shop/late-1', { gracePeriodSeconds: 0 });
  });
});

describe('how a continuous query ends', () => {
  it('ends at --timeout with 0, counted from the start, and with 3 before the first result', async () => {
    expect(await run(['query', 'pods', '-n', 'shop', '-w', '--timeout', '2s'], { env: fixture.env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^ended by --timeout after 2(\.\d)?s: 2 row changes/),
    });
    await using own = await startFixture([NAMESPACE]);
    own.sandbox.faults.add({ fault: { kind: 'delay', ms: 60_000 }, match: { path: '/namespaces/shop/pods' } });
    const never = await run(['query', 'pods', '-n', 'shop', '-w', '--timeout', '1s'], { env: own.env });
    expect(never).toMatchObject({ code: 3, stdout: '' });
  });

  it('through jq ends at --timeout, and when its reader leaves', async () => {
    const line = ['pods', '-n', 'shop', '-o', 'jq=.op'];
    const timed = await run(['query', ...line, '-w', '--timeout', '3s'], { env: fixture.env });
    expect(timed).toMatchObject({
      code: 0,
      stdout: '"+"\n"+"\n',
      stderr: expect.stringMatching(/^ended by --timeout/),
    });
    await using cli = follow(line);
    await cli.until((c) => c.lines.length === 2, 'the first result');
    cli.child.stdout?.destroy();
    fixture.sandbox.apply(pod('web-8'));
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
    fixture.sandbox.delete(PODS, 'shop/web-8', { gracePeriodSeconds: 0 });
  });

  it('ends quietly when its reader leaves', async () => {
    await using cli = follow(['pods', '-n', 'shop', '-o', 'name']);
    await cli.until((c) => c.lines.length === 2, 'the first result');
    cli.child.stdout?.destroy();
    fixture.sandbox.apply(pod('web-7'));
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
    fixture.sandbox.delete(PODS, 'shop/web-7', { gracePeriodSeconds: 0 });
  });

  it('with --strict ends with 4 when a change may have been missed, and the GAP comes before END', async () => {
    await using own = await startFixture();
    await using cli = follow(['pods', '-n', 'shop', '-o', 'json', '--strict', '--markers'], own.env);
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'SYNCED'), 'the first result');
    const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await restarting;
    const { code } = await cli.ended();
    expect(code).toBe(4);
    const last = cli.events<Line>().slice(-2);
    expect(last.map(({ type }) => type)).toEqual(['GAP', 'END']);
    expect(last[1]).toMatchObject({ exitCode: 4 });
  });

  it('reports an outage, and to end in it is a gap', async () => {
    const own = await startFixture();
    await using cli = follow(['pods', '-n', 'shop', '-o', 'json', '--markers'], own.env);
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'SYNCED'), 'the first result');
    await own[Symbol.asyncDispose]();
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'DISCONNECTED'), 'the outage');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(cli.events<Line>().slice(-2)).toMatchObject([{ type: 'GAP', reason: 'disconnected' }, { type: 'END' }]);
    expect(stderr).toMatch(/1 gap.*; disconnected since .* not seen\n$/);
  });
});

describe('a reader that is slow', () => {
  it('gets the latest state of each row, in bounded memory, and is informed', { timeout: 60_000 }, async () => {
    await using own = await startFixture([NAMESPACE, configMap('a', {}), configMap('b', {})]);
    const env = { ...own.env, NODE_OPTIONS: '--max-old-space-size=128' };
    await using cli = follow(
      ['cm', '-n', 'shop', '-o', 'json', '--filter', 'has(object.data.n) || true', '--markers'],
      env,
    );
    await cli.until((c) => c.lines.length >= 2, 'the first result');
    cli.child.stdout?.pause();
    const text = 'x'.repeat(30_000);
    for (let n = 1; n <= 4000; n++) {
      own.sandbox.apply(configMap(n % 2 === 0 ? 'a' : 'b', { n: String(n), text }));
      if (n % 50 === 0) await new Promise(setImmediate);
    }
    cli.child.stdout?.resume();
    await cli.until((c) => c.stdout.includes('"n":"4000"'), 'the last state');
    await eventually(() => cli.stderr.includes('a slow reader: coalesced'));
    expect(cli.events<Line>().filter(({ type, reason }) => type === 'GAP' && reason === 'coalesced')).not.toEqual([]);
    expect(cli.events<Line>().length).toBeLessThan(4000);
  });
});

describe('the printed changes, applied to nothing', () => {
  const QUESTIONS = [
    ['-o', 'json'],
    ['-o', 'json', '--filter', 'object.spec.nodeName == "worker-1"'],
    ['-o', 'json', '--limit', '3', '--sort-by', '-.metadata.labels.app'],
    ['-o', 'json', '--eq', 'node=worker-2', '--where', 'STATUS == "Running"'],
    ['-o', 'json', '--group-by', '.status.phase'],
    ['-o', 'json', '--values', 'node'],
  ];

  it.each([1, 2])(
    'are what a new query prints, after cuts, restarts and lost history (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      await using own = await startFixture([NAMESPACE, pod('p0'), pod('p1')]);
      const random = seededRandom(seed);
      const any = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
      const all = QUESTIONS.map((flags) => follow(['pods', '-n', 'shop', ...flags], own.env));
      try {
        for (const cli of all)
          await cli.until((c) => c.lines.length > 0 || c.stderr.includes('what comes is shown'), 'the first result');
        for (let step = 0; step < 80; step++) {
          const name = `p${Math.floor(random() * 7)}`;
          const state = {
            app: any(['web', 'db', 'ops']),
            node: any(['worker-1', 'worker-2']),
            phase: any(['Running', 'Pending', 'Failed']),
          };
          if (random() < 0.3 && own.sandbox.get(PODS, `shop/${name}`))
            own.sandbox.delete(PODS, `shop/${name}`, { gracePeriodSeconds: 0 });
          else own.sandbox.apply(pod(name, state));
          if (step % 20 === 10)
            own.sandbox.faults.add({ fault: { kind: 'cut', after: 1 }, match: { watch: true }, times: 2 });
          if (step % 40 === 30) await own.sandbox.restart({ keepHistory: seed % 2 === 0 || step > 40, downMs: 100 });
          if (random() < 0.4) await new Promise(setImmediate);
        }
        for (const [i, cli] of all.entries()) {
          const flags = QUESTIONS[i] ?? [];
          const { stdout } = await run(['query', 'pods', '-n', 'shop', ...flags], { env: own.env });
          const answer = JSON.parse(stdout) as { items?: UnknownObject[] } | { value: string; count: number }[];
          const expected: (readonly [string, unknown])[] = Array.isArray(answer)
            ? answer.map(({ value, count }) => [value, count] as const)
            : (answer.items ?? []).map(
                ({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion] as const,
              );
          await eventually(
            () => {
              expect(addedUp(cli), flags.join(' ')).toEqual(new Map(expected));
              return true;
            },
            { timeoutMs: 20_000 },
          );
        }
        expect(opsOf(all[0] as Cli).length).toBeGreaterThan(20);
      } finally {
        for (const cli of all) await cli[Symbol.asyncDispose]();
      }
    },
  );
});

describe.skipIf(process.platform === 'win32')('through a running serve', () => {
  it('reads its caches, says so, and prints what it prints without it', async () => {
    await using own = await startFixture();
    const runtime = await mkdtemp(path.join(tmpdir(), 'informer-live-'));
    const env = { ...own.env, XDG_RUNTIME_DIR: runtime };
    await using _ = await serving(env, { types: ['pods'] });
    const line = ['pods', '-n', 'shop', '-o', 'json', '--filter', 'object.metadata.labels.app == "web"'];
    await using through = follow(line, env);
    await using direct = follow([...line, '--no-serve'], env);
    for (const cli of [through, direct]) await cli.until((c) => c.lines.length === 2, 'the first result');
    own.sandbox.requests.clear();
    own.sandbox.apply(pod('web-1', { app: 'db' }));
    for (const cli of [through, direct]) await cli.until((c) => c.lines.length === 3, 'the row that leaves');
    own.sandbox.apply(pod('web-9'));
    for (const cli of [through, direct]) await cli.until((c) => c.lines.length === 4, 'the row that enters');
    expect(opsOf(through)).toEqual(['+shop/web-1', '+shop/web-2', '-shop/web-1', '+shop/web-9']);
    expect(opsOf(direct)).toEqual(opsOf(through));
    expect(through.stderr).toBe(`from serve (pid ${process.pid})\n`);
    expect(direct.stderr).toBe('');
    await rm(runtime, { recursive: true, force: true });
  });
});
