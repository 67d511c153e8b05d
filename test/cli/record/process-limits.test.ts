import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { limitsProgram, type ProcessLimits, REASON } from '../../../src/cli/record/process-limits.ts';

const BUSY = 'for (;;);';

interface Situation extends Partial<Omit<ProcessLimits, 'computing'>> {
  readonly computes: boolean;
  /** The code that runs beside the limits. */
  readonly work: string;
}

/** How a process ends that works within limits. */
async function endOf({ computes, work, ...limits }: Situation) {
  const data = { limitMs: 60_000, mostBytes: 1e12, parent: process.pid, ...limits };
  const thread = `(${limitsProgram})(require('node:worker_threads').workerData, ${REASON})`;
  const program = `
    const { Worker } = require('node:worker_threads');
    const computing = new Int32Array(new SharedArrayBuffer(4)).fill(${computes ? 1 : 0});
    new Worker(${JSON.stringify(thread)}, { eval: true, workerData: { ...${JSON.stringify(data)}, computing } });
    const until = performance.now() + 1_000;
    setTimeout(() => { ${work} });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const reason = text(child.stdio[REASON] as Readable);
  const [code, signal] = await once(child, 'exit');
  return { code, signal, reason: await reason };
}

it('a process that computes longer than it may is killed, and says so', async () => {
  expect(await endOf({ computes: true, work: BUSY, limitMs: 100 })).toEqual({ code: null, signal: 'SIGKILL', reason: 'time' }); // biome-ignore format: one line
}, 30_000);

it('the time in which it waits for its reader does not count', async () => {
  const waits = 'while (performance.now() < until); process.exit(7)';
  expect(await endOf({ computes: false, work: waits, limitMs: 100 })).toEqual({ code: 7, signal: null, reason: '' });
}, 30_000);

it('a process that needs more memory than it may is killed, and says so', async () => {
  expect(await endOf({ computes: true, work: BUSY, mostBytes: 1e6 })).toEqual({ code: null, signal: 'SIGKILL', reason: 'memory' }); // biome-ignore format: one line
}, 30_000);

it('a process whose parent is another one by now ends', async () => {
  expect(await endOf({ computes: true, work: BUSY, parent: 1 })).toEqual({ code: null, signal: 'SIGKILL', reason: '' });
}, 30_000);
