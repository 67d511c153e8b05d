import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';

import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';
import { Unread } from '../support/unread.ts';

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const BULK = 60;

/** More than 5 MB, of which the last object says so. */
const bulk = () =>
  Array.from({ length: BULK }, (_, i) =>
    configMap(`big-${String(i).padStart(3, '0')}`, { text: 'x'.repeat(100_000), i: String(i) }),
  );

const READER = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace: 'shop' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'reader', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
  },
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([NAMESPACE, ...bulk(), pod('web-1')]);
  fixture.sandbox.apply(READER);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const unread = (line: readonly string[], env: NodeJS.ProcessEnv = fixture.env) => new Unread(line, env);
const BIG = ['configmaps', '-n', 'shop', '-o', 'json'];

/** The initial list goes to the reader in one piece. */
const WHOLE = ['-n', 'shop', '-o', 'jq=.'];

interface Envelope {
  type: string;
  key: string;
  seq: number;
  object: { data: Record<string, string> };
}

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Envelope);

describe('a reader that starts a second late gets every byte of more than 5 MB', () => {
  it.concurrent.each([
    ['0, the state at the start', [...BIG, '--once'], 0, BULK],
    ['0, a limit', [...BIG, '--limit', String(BULK)], 0, BULK],
    ['0, a condition', [...BIG, '--until-any', `object.data.i == "${BULK - 1}"`], 0, BULK],
    [
      '3, a condition that is not met at the only look',
      [...BIG, '--once', '--until', 'object.data.i == "none"'],
      3,
      BULK,
    ],
    ['5, --fail-if', [...BIG, '--fail-if', `object.data.i == "${BULK - 1}"`], 5, BULK],
    ['2, a --for that cannot be compared', [...BIG, '--for', 'jsonpath={.data}=x'], 2, BULK],
    [
      '0, an output expression that fails on the last object',
      ['configmaps', '-n', 'shop', '--once', '-o', `jq=if .object.data.i == "${BULK - 1}" then error("no") else . end`],
      0,
      BULK - 1,
    ],
  ])('before exit code %s', async (_, line, code, count) => {
    await using cli = unread(line);
    await pause(1000);
    const read = await cli.read();
    expect({ code: read.code, count: read.lines.length }).toEqual({ code, count });
    expect(parsed(read.lines).map((e) => e.seq)).toEqual(read.lines.map((_, i) => i + 1));
  });
  it.concurrent('before exit code 1, a refusal that comes when all else has been printed', async () => {
    await using own = await startFixture([NAMESPACE, ...bulk()]);
    own.sandbox.apply(READER);
    own.sandbox.faults.add({ fault: { kind: 'delay', ms: 2500 }, match: { path: '/pods' } });
    await using cli = unread(['configmaps,pods', ...WHOLE, '--as', 'jane', '--strict'], own.env);
    await eventually(() => cli.stderr.includes('forbidden'), { timeoutMs: 15_000 });
    await pause(1000);
    const { lines, code } = await cli.read();
    expect(cli.stderr).toMatch(/^error: pods is forbidden/);
    expect({ code, keys: parsed(lines).length }).toEqual({ code: 1, keys: BULK });
  });

  it.concurrent('and the events behind one on which the output expression fails, before exit code 0', async () => {
    await using own = await startFixture([NAMESPACE, ...bulk()]);
    const fails = [
      '-o',
      'jq=if .object.data.i == "odd" then error("no") else . end',
      '--until-any',
      'object.data.i == "last"',
    ];
    await using cli = unread(['configmaps', '-n', 'shop', ...fails], own.env);
    await eventually(() => own.sandbox.requests.matching('watch=').length > 0, { timeoutMs: 15_000 });
    own.sandbox.apply(configMap('odd', { i: 'odd' }));
    own.sandbox.apply(configMap('last', { i: 'last' }));
    await pause(1000);
    const { lines, code } = await cli.read();
    expect({ code, keys: parsed(lines).length }).toEqual({ code: 0, keys: BULK + 1 });
    expect(parsed(lines).at(-1)?.key).toBe('shop/last');
    expect(cli.stderr).toMatch(/ConfigMap shop\/odd.*\bno\b/);
  });

  it.concurrent('before exit code 4, continuity lost', async () => {
    await using own = await startFixture([NAMESPACE, ...bulk()]);
    await using cli = unread(['configmaps', ...WHOLE, '--strict'], own.env);
    await eventually(() => own.sandbox.requests.matching('watch=').length > 0, { timeoutMs: 15_000 });
    const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
    own.sandbox.apply(configMap('meanwhile', {}));
    await restarting;
    await pause(1000);
    const { lines, code } = await cli.read();
    expect({ code, keys: parsed(lines).length }).toEqual({ code: 4, keys: BULK });
  });

  it.concurrent.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('before the exit code of %s', async (signal, exitCode) => {
    await using cli = unread(['configmaps', ...WHOLE, '--until', 'object.data.i == "none"', '--markers']);
    await eventually(() => cli.stderr.includes('waiting for'));
    await pause(1000);
    cli.child.kill(signal);
    const { lines, code } = await cli.read();
    const events = parsed(lines);
    expect(code).toBe(exitCode);
    expect(events.map(({ type }) => type).filter((type) => type !== 'ADDED')).toEqual(['SYNCED', 'END']);
    expect(events.at(-1)).toMatchObject({ exitCode, seq: BULK + 2 });
    expect(cli.stderr).toContain(`${BULK} events`);
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a second %s waits for no reader', async (signal, code) => {
  fixture.sandbox.requests.clear();
  await using cli = unread([...BIG, '--markers']);
  await eventually(() => fixture.sandbox.requests.matching(/configmaps.*watch=/).length > 0);
  cli.child.kill(signal);
  await pause(150);
  expect([cli.child.exitCode, cli.child.signalCode]).toEqual([null, null]);
  const ended = once(cli.child, 'exit');
  cli.child.kill(signal);
  expect(await ended).toEqual([code, null]);
});
