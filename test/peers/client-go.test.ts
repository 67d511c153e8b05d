import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { held, mixedOperations } from './mixed-operations.ts';

const SOURCE = path.join(import.meta.dirname, 'client-go');
const BUILD_MS = 600_000;
const skipped = reasonToSkip();
const folder = mkdtempSync(path.join(tmpdir(), 'client-go-peer-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fetching and compiling client-go takes minutes, so it is done when asked for, or where it was done before. */
function reasonToSkip(): string | undefined {
  if (process.env.SKIP_GO === '1') return 'SKIP_GO=1';
  let cache: string;
  try {
    cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'there is no Go';
  }
  const version = /k8s\.io\/client-go (v\S+)/.exec(readFileSync(path.join(SOURCE, 'go.mod'), 'utf8'))?.[1];
  if (process.env.TEST_GO === '1' || existsSync(path.join(cache, `k8s.io/client-go@${version}`))) return undefined;
  return 'client-go is not in the module cache; TEST_GO=1 fetches it';
}

async function build(): Promise<string> {
  cpSync(SOURCE, folder, { recursive: true });
  await promisify(execFile)('go', ['build', '-mod=readonly', '-o', 'peer', '.'], { cwd: folder, timeout: BUILD_MS });
  return path.join(folder, 'peer');
}

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
      const binary = await build();
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
      expect(requests, 'one streaming list, never begun anew').toEqual([expect.stringContaining('sendInitialEvents=true')]);
      await peer.stop();
    },
    BUILD_MS + 60_000,
  );
});
