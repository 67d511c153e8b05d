import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { NIGHT } from '../support/night.ts';
import { useFolder } from '../support/recording.ts';

const folder = useFolder();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const env = { HOME: '/nowhere', LANG: 'C.UTF-8' };
const history = (...args: string[]) => run(['history', ...args, '--from', NIGHT], { env });

it('the shipped recording is drawn as text and as a page, of one object and of a type', async () => {
  const text = await history('deploy/web', '-n', 'shop', '-o', 'timeline');
  expect(text).toMatchObject({ code: 0, stderr: '' });
  const shown = readFileSync(path.resolve(import.meta.dirname, '../output/timeline/pictures/web-ascii.txt'), 'utf8');
  const ascii = await run(['history', 'deploy/web', '-o', 'timeline', '--from', NIGHT], { env: { HOME: '/nowhere' } });
  expect(ascii.stdout).toBe(shown);
  for (const what of ['deploy/checkout', 'deploy']) {
    const page = await history(what, '-n', 'shop', '-o', 'html');
    expect(page).toMatchObject({ code: 0, stderr: '' });
    expect(page.stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(page.stdout).toContain('4.2.1-broken');
  }
});

it('a picture needs a recording, one type and a time that it has; others say so', async () => {
  expect(await run(['history', 'deploy/web', '-o', 'html'], { env: { ...fixture.env } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('-o html needs a recording'),
  });
  expect(await history('deploy,cm', '-o', 'timeline')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a picture is of one object, or of one type'),
  });
  expect(await history('deploy/nothing', '-o', 'timeline')).toMatchObject({ code: 1, stdout: '' });
  expect(await history('deploy', '-o', 'timeline', '--since', '2026-11-29T00:00')).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await history('deploy/web', '-o', 'timeline', '--story')).toMatchObject({ code: 2 });
});

it('values of Secrets are marks in both', async () => {
  const file = folder.file('secrets.rec');
  const secret = (password: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 'login' },
    data: { password: Buffer.from(password).toString('base64') },
  });
  fixture.sandbox.apply(secret('horse-battery'));
  const cli = new Cli(['watch', 'secret/login', '-n', 'shop', '-o', 'name', '--record', file], { env: fixture.env });
  await eventually(() => (cli.stdout.includes('login') ? true : undefined), { timeoutMs: 60_000 });
  fixture.sandbox.apply(secret('staple-correct'));
  await eventually(() => (cli.stdout.match(/login/g)?.length === 2 ? true : undefined), { timeoutMs: 60_000 });
  cli.kill('SIGINT');
  expect(await cli.ended()).toMatchObject({ code: 0 });
  for (const output of ['timeline', 'html']) {
    const { code, stdout } = await run(['history', 'secret/login', '-o', output, '--from', file], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\.data\.password.*hmac:[0-9a-f]{8}/);
    for (const text of ['horse-battery', 'staple-correct'])
      for (const form of [text, Buffer.from(text).toString('base64')]) expect(stdout).not.toContain(form);
  }
});
