import { spawnSync } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipped } from '../support/skipped.ts';
import { type Packed, packed, ROOT } from './packed.ts';

/** The program of BUN, or the one on PATH. It is no development dependency: its package has 100 MB. */
const BUN = process.env.BUN ?? 'bun';
const isThere = spawnSync(BUN, ['--version']).status === 0;

const METRICS = `
  import assert from 'node:assert/strict';
  import { createClient, createOpsServer, createPrometheusMetrics, dynamicInformerFactory, parseGvr } from 'kubectl-informer';
  import { Sandbox } from 'kubectl-informer/sandbox';
  const metrics = await createPrometheusMetrics();
  await using sandbox = await Sandbox.start({ socket: false });
  await using client = createClient(sandbox.transport(), { metrics });
  await using factory = dynamicInformerFactory(client);
  factory.forResource(parseGvr('v1/namespaces'));
  const stop = new AbortController();
  factory.start(stop.signal);
  assert.equal((await factory.waitForSync(stop.signal)).isComplete, true);
  await using ops = createOpsServer({ metrics, address: '127.0.0.1:0' });
  const text = await (await fetch('http://' + (await ops.start()) + '/metrics')).text();
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_version_info'])
    assert.ok(text.includes(name), name);
  stop.abort();
`;

describe.skipIf(!isThere)(`on Bun${skipped(isThere ? undefined : 'there is none: set BUN')}`, () => {
  let pack: Packed;
  beforeAll(() => {
    pack = packed();
    for (const name of ['zod', 'prom-client'])
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(pack.project, 'node_modules', name));
  });
  afterAll(() => pack[Symbol.dispose]());
  const bun = (...words: string[]) => spawnSync(BUN, words, { cwd: pack.project, encoding: 'utf8', timeout: 120_000 });

  it('a program has its metrics, and those of the process', () => {
    writeFileSync(path.join(pack.project, 'metrics.mjs'), METRICS);
    expect(bun('metrics.mjs')).toMatchObject({ stderr: '', status: 0 });
  });

  it('the operator of the examples passes its tests', () => {
    for (const name of ['postgres-operator.ts', 'postgres-operator-test.ts'])
      copyFileSync(path.join(ROOT, 'examples', name), path.join(pack.project, name));
    const { stderr, status } = bun('test', '--timeout', '60000', './postgres-operator-test.ts');
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/\b1 pass\n\s*0 fail/);
  });
});
