import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
  env = { ...fixture.env, XDG_RUNTIME_DIR: await mkdtemp(path.join(tmpdir(), 'jq-')) };
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

const ENDLESS = 'jq=def f: f; f';

it.each([
  ['query', 'SIGTERM', 143, []],
  ['query', 'SIGINT', 130, []],
  ['watch', 'SIGTERM', 0, []],
  ['watch', 'SIGINT', 130, ['--once']],
  ['query', 'SIGTERM', 0, ['--watch']],
] as const)('%s ends on %s in the middle of an expression that does not', async (command, signal, code, more) => {
  const cli = new Cli([command, 'pods', '-A', '--no-serve', '-v', '6', ...more, '-o', ENDLESS], { env });
  const goesOn = code === 0; // the watch follows the list, when all of the list is there
  await cli.until(({ stderr }) => (goesOn ? /watch=true.* status=200/ : /pods status=200/).test(stderr), 'the list');
  cli.kill(signal);
  const ended = await cli.ended();
  expect(ended.code).toBe(code);
  if (command === 'watch' || code === 0) expect(ended.stderr).toMatch(/-o jq was cut short: 3 records are not printed/);
});

async function asked(question: object, headers: Record<string, string> = {}): Promise<ClientRequest> {
  const serves = path.join(env.XDG_RUNTIME_DIR, 'kubectl-informer', 'serve');
  const [key = ''] = (await readdir(serves)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const sent = request({
    socketPath: path.join(serves, key, 'socket'),
    path: '/v1/query',
    method: 'POST',
    headers,
    agent: false,
  });
  sent.on('error', () => {}); // it is broken off
  sent.end(JSON.stringify(question));
  return sent;
}

it('a serve goes on to answer while an expression does not end, ends it when its asker leaves, and can be stopped', async () => {
  const serve = new Cli(['serve', 'pods'], { env });
  await serve.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
  const question = { words: ['pods'], given: { output: { values: [ENDLESS], origin: 'flag' } } };
  const askers = await Promise.all(
    Array.from({ length: 4 }, (_, i) => asked(question, i < 2 ? {} : { 'kubectl-informer-protocol': '2' })),
  );
  const plain = await run(['query', 'pods', '--count'], { env });
  expect(plain).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
  expect(plain.stderr).toContain('from serve');
  for (const each of askers) each.destroy();
  const after = await run(['query', 'pods', '-o', 'jq=.items | length'], { env });
  expect(after).toMatchObject({ code: 0, stdout: plain.stdout });
  expect(after.stderr).toContain('from serve');
  await asked(question);
  expect(await run(['serve', 'stop'], { env })).toMatchObject({ code: 0 });
  expect((await serve.ended()).code).toBe(0);
});
