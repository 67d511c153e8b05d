import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { BUILD_MS, build, reasonToSkip } from './go.ts';
import { held, mixedOperations } from './mixed-operations.ts';

const SOURCE = path.join(import.meta.dirname, 'client-go');
const skipped = reasonToSkip(SOURCE);
const folder = mkdtempSync(path.join(tmpdir(), 'client-go-peer-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The Go program at work: its cache can be asked for. */
function start(binary: string, kubeconfig: string, gvr: string) {
  const child = spawn(binary, [kubeconfig, gvr], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string | undefined;
  return {
    synced: async () => expect(await next()).toBe('synced'),
    cache: async () => {
      child.stdin.write('\n');
      const rows: string[] = [];
      for (let line = await next(); line !== undefined && line !== '--'; line = await next()) rows.push(line);
      return rows;
    },
    stop: () => {
      child.stdin.end();
      return new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

describe.skipIf(skipped)(`client-go${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
  it(
    'its dynamic informer, as it comes, syncs, follows 1,000 mixed operations and ends equal to the store',
    async () => {
      const binary = await build(SOURCE, folder);
      await using sandbox = await Sandbox.start({ seed: 1 });
      const random = seededRandom(7);
      await mixedOperations(sandbox, random, 50);
      const kubeconfig = path.join(folder, 'kubeconfig');
      writeFileSync(kubeconfig, sandbox.kubeconfig());
      const peer = start(binary, kubeconfig, '/v1/configmaps');
      await peer.synced();
      expect(await peer.cache()).toEqual(held(sandbox));
      await mixedOperations(sandbox, random, 1_000);
      await vi.waitFor(async () => expect(await peer.cache()).toEqual(held(sandbox)), 10_000);
      const requests = sandbox.requests.matching('configmaps').map((r) => r.path);
      expect(requests, 'one streaming list, never begun again').toEqual([
        expect.stringContaining('sendInitialEvents=true'),
      ]);
      await peer.stop();
    },
    BUILD_MS + 60_000,
  );
});
