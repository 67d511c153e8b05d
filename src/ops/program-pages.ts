import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { KeyChange, KeyChangeKind } from './key-changes.ts';
import type { ExplainedKey, QueuePage } from './pages.ts';
import { askProgram, type RunningProgram } from './running-programs.ts';

/** The queues of a running program, each with at most `limit` keys of each state. */
export async function queuesOf(program: RunningProgram, limit: number, clock: Clock): Promise<readonly QueuePage[]> {
  return (await asked<{ controllers: QueuePage[] }>(program, { path: `/debug/queue?limit=${limit}` }, clock))
    .controllers;
}

/** The explanations of a key by the controllers of a running program. */
export async function explanationsOf(
  program: RunningProgram,
  key: string,
  clock: Clock,
): Promise<readonly ExplainedKey[]> {
  const path = `/debug/explain?key=${encodeURIComponent(key)}`;
  return (await asked<{ controllers: ExplainedKey[] }>(program, { path }, clock)).controllers;
}

/** Changes keys in the queues of a running program. */
export async function changesOf(
  program: RunningProgram,
  kind: KeyChangeKind,
  keys: readonly string[],
  clock: Clock,
): Promise<readonly KeyChange[]> {
  const request = { path: `/queue/${kind}`, method: 'POST', body: JSON.stringify({ keys }) } as const;
  return (await asked<{ results: KeyChange[] }>(program, request, clock)).results;
}

async function asked<T>(program: RunningProgram, request: Parameters<typeof askProgram>[1], clock: Clock): Promise<T> {
  const { status, body } = await askProgram(program, request, clock);
  if (status === 200) return JSON.parse(body) as T;
  throw new InformerError(status === 400 ? 'argument' : 'transport', body.trim());
}
