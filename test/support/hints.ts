import type { Facts, Findings, HintPlan } from '../../src/cli/hints/hint.ts';
import type { Server } from '../../src/cli/session/session.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { Sample } from '../../src/query/answer/samples.ts';
import { FakeClock } from '../../src/testing/index.ts';

export const POD = {
  gvr: { group: '', version: 'v1', resource: 'pods' },
  kind: 'Pod',
  singular: 'pod',
  namespaced: true,
} as ResourceType;

/** Pods of the namespace shop with these names, as a sample of what a command has found. */
export const pods = (...names: string[]) => ({
  type: POD,
  objects: names.map((name) => ({ metadata: { name, namespace: 'shop' } })),
});

/** The facts of a command that has found these objects; its caches have them all. */
export function factsOf(samples: readonly Sample[], plan: Partial<HintPlan> = {}, more: Partial<Findings> = {}): Facts {
  return { targets: [], ...more, plan: { namespaces: [''], reads: [], ...plan }, cached: samples, samples };
}

/** A server that hints ask. Without a client none is expected to. */
export const serverOf = (client: unknown = {}): Server => ({
  client: client as Server['client'],
  clock: new FakeClock(),
  signal: new AbortController().signal,
});
