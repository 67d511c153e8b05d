import path from 'node:path';
import { expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

/** A server whose first requests for its types fail, as while it starts. */
async function late(times: number, code: 429 | 503 = 503): Promise<Fixture> {
  const fixture = await startFixture();
  fixture.sandbox.faults.add({ fault: { kind: 'status', code }, match: { path: /^\/apis?(\?|$)/ }, times });
  return fixture;
}

const optionsOf = ({ env, folder }: Fixture) => ({
  env: { ...env, XDG_CACHE_HOME: path.join(folder, 'cache'), XDG_RUNTIME_DIR: folder },
});

const FAILS = 'cannot find out what the server has: the server is currently unable to handle the request';
const IS_BUSY = 'too many requests, please try again later (TooManyRequests)';
const FOUND = /^(\+ *)?configmap\/settings$|found settings|^ready:/m;
const WATCH = ['watch', 'configmaps', '-n', 'shop', '-o', 'name'];

it.each([
  [503, FAILS, WATCH],
  [429, IS_BUSY, WATCH],
  [503, FAILS, ['query', 'configmaps', '-n', 'shop', '-o', 'name', '--watch']],
  [503, FAILS, ['reconcile', 'configmaps', '-n', 'shop', '--exec', 'echo found {{.metadata.name}}']],
  [503, FAILS, ['serve', 'configmaps', '-n', 'shop']],
] as const)(
  'a server that answers %i for its types three times is reported once (%s), then %j goes on',
  async (code, text, line) => {
    await using server = await late(3, code); // both requests of the first try, one of the second
    await using cli = new Cli(line, optionsOf(server));
    await cli.until(({ stdout, stderr }) => FOUND.test(stdout + stderr), 'the objects');
    expect(cli.stderr.split('\n').filter((each) => each.includes('trying again'))).toEqual([`${text}; trying again`]);
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  },
);

it('Ctrl-C ends a watch that waits for such a server', async () => {
  await using server = await late(Number.POSITIVE_INFINITY);
  await using cli = new Cli(WATCH, optionsOf(server));
  await cli.until(({ stderr }) => stderr.includes('trying again'), 'the notice');
  cli.kill('SIGINT');
  expect(await cli.ended()).toMatchObject({ code: 130, stdout: '' });
});

it('a watch ends with 3, the reason and the next step when that lasts until --timeout', async () => {
  await using server = await late(Number.POSITIVE_INFINITY);
  const { code, stdout, stderr } = await run([...WATCH, '--timeout', '1s'], optionsOf(server));
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: ${FAILS}, until --timeout\nhint: .*\n$`, 'm'));
});

it.each([
  [['query', 'configmaps', '-n', 'shop']],
  [[...WATCH, '--once']],
  [[...WATCH, '--for', 'create', '--timeout', '0']],
])('%j answers once, and ends with 1 at the first failure', async (line) => {
  await using server = await late(2);
  const { code, stdout, stderr } = await run(line, optionsOf(server));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: ${FAILS}\nhint: .*try again\n$`));
});

it.each([[['watch', 'configmaps']], [['query', 'configmaps']], [['query', 'configmaps', '--watch']]])(
  '%j ends with 3, the server and the next step where it does not list its types within --timeout',
  async (line) => {
    await using server = await startFixture();
    server.sandbox.faults.add({ fault: { kind: 'delay', ms: 60_000 }, times: Number.POSITIVE_INFINITY });
    const { code, stdout, stderr } = await run([...line, '--timeout', '1500ms'], optionsOf(server));
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^error: https:\/\/\S+ did not list its types within --timeout\nhint: /);
  },
);
