import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { observedRun } from '../../src/manifest/observed-run.ts';
import { Sandbox } from '../../src/sandbox/index.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'observed-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Three times as fast, so that a test need not wait for the program to be quiet. */
const fast: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 3,
  sleep: (ms, options) => systemClock.sleep(ms / 3, options),
};

/** Gives each ConfigMap a finalizer, and removes it when the ConfigMap is deleted. */
const OPERATOR = `
  import { readFileSync } from 'node:fs';
  const config = readFileSync(process.env.KUBECONFIG, 'utf8');
  const [, server] = /server: (\\S+)/.exec(config);
  const [, token] = /token: (\\S+)/.exec(config);
  const send = async (path, method = 'GET', body) => {
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/merge-patch+json' };
    return await (await fetch(server + path, { method, headers, body: body && JSON.stringify(body) })).json();
  };
  await send('/apis/coordination.k8s.io/v1/namespaces/own/leases/operator');
  console.log('it runs');
  for (;;) {
    const { items } = await send('/api/v1/configmaps');
    for (const { metadata: { name, namespace, finalizers, deletionTimestamp } } of items) {
      const wanted = deletionTimestamp ? null : ['example.com/f'];
      if (String(finalizers ?? '') === String(wanted ?? '')) continue;
      await send('/api/v1/namespaces/' + namespace + '/configmaps/' + name, 'PATCH', { metadata: { finalizers: wanted } });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
`;

const runOf = async (source: string) => {
  await using sandbox = await Sandbox.start({ tls: false });
  const script = path.join(folder, 'operator.mjs');
  writeFileSync(script, source);
  const printed: string[] = [];
  const sample = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } };
  const access = await observedRun(sandbox, {
    command: [process.execPath, script],
    files: [
      [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } }, sample],
      [{ ...sample, data: { color: 'red' } } as never],
    ],
    env: process.env,
    clock: fast,
    signal: AbortSignal.timeout(30_000),
    print: (text) => printed.push(text),
  });
  return {
    access,
    printed,
    left: sandbox.list({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' }),
  };
};

it('a run shows the rights that a program needs until its objects are gone: any namespace for them, fixed names elsewhere', async () => {
  const { access, printed, left } = await runOf(OPERATOR);
  expect(access).toEqual([
    { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'own', name: 'operator' },
    { verb: 'list', group: '', resource: 'configmaps' },
    { verb: 'patch', group: '', resource: 'configmaps' },
  ]);
  expect(printed.join('')).toBe('it runs\n');
  expect(left).toEqual([]);
});

it('a program that ends by itself is an error that says so', async () => {
  await expect(runOf('process.exit(3)')).rejects.toThrow('the program ended with 3 before it was asked to');
});
