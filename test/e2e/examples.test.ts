import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { OWN_CACHE } from '../support/own-cache.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');

/** What each example says when it does what it is there to show. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  'admission-webhook.ts':
    /^bank \{"uid":"1","allowed":false,.*the host shop\.example\.com belongs to the Ingress default\/web/m,
  'capacity-watcher.ts': /^node-a: cpu 75% memory 63%, 0\.024 \$\/h unused$/m,
  'controller-test.ts': /✔ a ConfigMap goes when its hours are over/,
  'crd-typed.ts': /^added default\/nightly 0 3 \* \* \* keeps 7$/m,
  'events-iterate.ts': /^read all 3000 changes, in order; 0 behind$/m,
  'index-lookup.ts': /^worker-1 runs \d+ pods of namespace shop$/m,
  'mini-deployment.ts': /^updated: nginx:1\.28 nginx:1\.28 nginx:1\.28 - never fewer than 3 were ready$/m,
  'myservice-operator.ts': /^all of shop is gone; the directory: \{\}$/m,
  // its deletion may fall together with what came before
  'owner-reconcile.ts': /^default\/web: created \(budget (updated|deleted)/m,
  'pod-watch.ts': /^added +shop\/web-\S+ Pending \(watch\)$/m,
  'postgres-operator-test.ts': /^✔ a cluster gets its children and its users, is converted, scaled and backed up/m,
  'postgres-operator.ts': /^on a sandbox: size 2 of v1alpha1 is a StatefulSet of 2$/m,
  'queue-alone.ts': /^worker \d: shop\/api failed \(not ready\), try 2 follows$/m,
  'security-auditor.ts':
    /^\{"what":"changed","kind":"Secret","key":"default\/database","by":\["mallory"\],"keys":\["password"\]\}$/m,
};

const HOOKS: Readonly<Record<string, RegExp>> = {
  'label.sh': /would patch apps\/v1\/deployments shop\/web .*"team":"storefront"/,
  'scale-guard.ts': /would patch apps\/v1\/deployments shop\/web .*"replicas":3/,
};

/** They need a cluster that changes: test/e2e/hook-examples.test.ts. */
const HOOKS_ON_A_CLUSTER = ['auto-label.ts', 'config-rollout.ts'];

const filesOf = (folder: string) => readdirSync(folder).filter((file) => /\.(ts|sh)$/.test(file));

describe('the examples, on the built package', () => {
  it('are all run here', () => {
    expect(filesOf(EXAMPLES).sort()).toEqual(Object.keys(PROGRAMS).sort());
    expect(filesOf(path.join(EXAMPLES, 'hooks')).sort()).toEqual([...Object.keys(HOOKS), ...HOOKS_ON_A_CLUSTER].sort());
  });

  it.each(Object.entries(PROGRAMS))('%s ends by itself and shows what it is there for', async (file, line) => {
    const { code, stdout, stderr } = await runProgram(file);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(line);
  });

  it.each(Object.entries(HOOKS))('hooks/%s is a hook that acts', async (file, line) => {
    const hook = path.join(EXAMPLES, 'hooks', file);
    await using cli = new Cli(['reconcile', 'deployments', '-n', 'shop', '--sandbox', '--hook', hook]);
    await cli.until(({ stdout }) => line.test(stdout), String(line));
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
  });
});

function runProgram(file: string): Promise<{ code: number | string | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: OWN_CACHE, NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(EXAMPLES, file)],
      { env, timeout: 15_000 },
      (error, stdout, stderr) => {
        resolve({ code: error ? (error.code ?? error.signal ?? 'ended') : child.exitCode, stdout, stderr });
      },
    );
  });
}
