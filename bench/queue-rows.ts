import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Hook, HookRequest } from '../src/hooks/hook.ts';
import { createExecHook } from '../src/hooks/run/exec.ts';
import { createWarmHook } from '../src/hooks/run/warm.ts';
import { silentLogger } from '../src/kit/logger.ts';
import { measure, type Row } from './harness.ts';
import { median } from './results.ts';
import { reconciled } from './stages/reconcile.ts';
import { keysOf, queueRows } from './stages/work-queue.ts';
import type { TextTable } from './text-table.ts';

export interface QueueBenchOptions {
  readonly keys: number;
  readonly rounds: number;
  /** The program of peers/client-go/queue; undefined: without client-go. */
  readonly peer: string | undefined;
}

interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const WORKERS = 16;

/** Warm processes get a tenth of the keys, and a process for each run a two-hundredth. */
const WARM_SHARE = 10;
const PROCESS_SHARE = 200;

/** Keys through the queue and through controllers, with client-go's rows from the same rounds. */
export async function measureQueue({ keys: count, rounds, peer }: QueueBenchOptions): Promise<TextTable> {
  const keys = keysOf(count);
  await using warm = warmHook();
  const ways = { ...queueRows(keys), ...controllerRows(keys, warm.hook) };
  const peers: Record<string, Sample[]> = {};
  const peerRow: Row = { name: 'client-go', count: 0, run: () => runPeer(peer, count, peers) };
  const measured = await measure(
    { name: 'queue', unit: 'key', count, rows: [...Object.values(ways), peerRow] },
    rounds,
  );
  const rows = Object.entries(ways).flatMap(([way, row], i) => {
    const samples = (peers[way] ?? []).slice(1); // the first is the warm-up round's
    const { wallMs = 0, cpuMs = 0 } = measured[i] ?? {};
    const handled = row.count ?? count;
    const theirs = samples.length === 0 ? [] : [cells(`client-go: ${PEER_NAMES[way]}`, count, middle(samples))];
    return [cells(row.name, handled, { wallMs, cpuMs }), ...theirs];
  });
  return {
    title: `${count.toLocaleString('en-US')} keys, ${WORKERS} workers, ${rounds} rounds`,
    head: ['row', 'keys', 'CPU ms', 'µs CPU per key', 'wall ms', 'keys a second'],
    rows,
  };
}

const PEER_NAMES: Readonly<Record<string, string>> = {
  add: 'Add, Get, Forget, Done',
  thrice: 'Add three times, Get, Forget, Done',
  after: 'AddAfter 1 ms, Get, Forget, Done',
  limited: 'AddRateLimited, Get, Forget, Done',
  workers: 'the queue, 16 goroutines',
};

function controllerRows(keys: readonly string[], warm: Hook): Record<string, Row> {
  const perRun = createExecHook({ command: 'sh', args: ['-c', 'cat > /dev/null'], env: process.env });
  const share = (of: number) => keys.slice(0, Math.max(1, Math.floor(keys.length / of)));
  return {
    workers: { name: 'a controller, in the process', run: () => reconciled(keys, { workers: WORKERS }) },
    bare: {
      name: 'a controller without history, in the process',
      run: () => reconciled(keys, { workers: WORKERS, history: false }),
    },
    warm: hookRow('a hook in kept processes (--hook-mode warm)', share(WARM_SHARE), warm),
    perRun: hookRow('a hook with a process for each run (sh)', share(PROCESS_SHARE), perRun),
  };
}

function hookRow(name: string, keys: readonly string[], hook: Hook): Row {
  const reconcile = async ({ key }: { key: string }, { signal }: { signal: AbortSignal }) => {
    await hook.run(requestOf(key), { signal, logger: silentLogger });
  };
  return { name, count: keys.length, run: () => reconciled(keys, { workers: WORKERS, reconcile }) };
}

function warmHook(): AsyncDisposable & { readonly hook: Hook } {
  const script = path.join(import.meta.dirname, 'runners', 'warm-hook.mjs');
  const hook = createWarmHook({ command: process.execPath, args: [script], env: process.env, logger: silentLogger });
  return { hook, [Symbol.asyncDispose]: async () => void (await hook.close?.()) };
}

function requestOf(key: string): HookRequest {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: key.slice(3), namespace: 'ns' },
    data: { a: '1' },
  };
  return { version: 1, key, gvr: 'v1/configmaps', object, changed: [], causes: [], attempt: 1, snapshots: {} };
}

/** Runs the Go program, which measures itself. It handles no key of the row. */
function runPeer(peer: string | undefined, count: number, into: Record<string, Sample[]>): number {
  if (peer === undefined) return 0;
  const samples = JSON.parse(execFileSync(peer, [String(count)], { encoding: 'utf8' })) as Record<string, Sample>;
  for (const [way, sample] of Object.entries(samples)) into[way] = [...(into[way] ?? []), sample];
  return 0;
}

function middle(samples: readonly Sample[]): Sample {
  const of = (read: (sample: Sample) => number) => median(samples.map(read)) ?? Number.NaN;
  return { wallMs: of(({ wallMs }) => wallMs), cpuMs: of(({ cpuMs }) => cpuMs) };
}

function cells(name: string, count: number, { wallMs, cpuMs }: Sample): string[] {
  const whole = (value: number) => Math.round(value).toLocaleString('en-US');
  return [
    name,
    whole(count),
    whole(cpuMs),
    ((cpuMs * 1000) / count).toFixed(2),
    whole(wallMs),
    whole((count / wallMs) * 1000),
  ];
}
