import { afterEach } from 'vitest';
import { Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ask } from './sandbox-requests.ts';

export const POD = { apiVersion: 'v1', kind: 'Pod' };

/** Returns a function that starts sandboxes, and stops them after each test of the file. */
export function useScenarios(): (options: SandboxOptions) => Promise<{ sandbox: Sandbox; clock: FakeClock }> {
  const open: Sandbox[] = [];
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.stop();
  });
  return async (options) => {
    const clock = new FakeClock();
    const sandbox = await Sandbox.start({ socket: false, clock, seed: 1, ...options });
    open.push(sandbox);
    return { sandbox, clock };
  };
}

const AS_TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** The rows of a type as kubectl shows them, by column. */
export async function tableOf(sandbox: Sandbox, path: string): Promise<Record<string, unknown>[]> {
  const { body } = await ask(sandbox, 'GET', path, undefined, AS_TABLE);
  const names = (body.columnDefinitions ?? []).map((c) => c.name);
  return body.rows.map(({ cells }) => Object.fromEntries(cells.map((cell, i) => [names[i] ?? '', cell])));
}
