import type { Facts, Findings, HintPlan } from '../../src/cli/hints/hint.ts';
import type { Server } from '../../src/cli/session/session.ts';
import type { Sample } from '../../src/query/answer/samples.ts';
import { FakeClock } from '../../src/testing/index.ts';

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
