import { StopError } from '../controller/reconciler.ts';
import type { Logger } from '../kit/logger.ts';
import { formatGvr } from '../model/gvr.ts';
import type { Subject } from './actions/action-target.ts';
import { HOOK_REQUEST_VERSION, type HookRequest } from './hook.ts';
import { type HookReconcilerOptions, replyError, runHook } from './hook-reconciler.ts';
import { parseReply } from './reply.ts';

export type HookStartupOptions = Pick<
  HookReconcilerOptions,
  'hook' | 'primary' | 'actions' | 'snapshots' | 'timeoutMs' | 'clock' | 'onOutput' | 'onThrown'
>;

/**
 * Runs a hook once before all keys, with a request that is about no object, and carries out the actions in its reply.
 * Each action must name its object. Rejects as a run of a key does, and with a StopError for a reply that asks for a
 * later run, which there is not.
 */
export async function runHookStartup(
  options: HookStartupOptions,
  { attempt, signal, logger }: { attempt: number; signal: AbortSignal; logger: Logger },
): Promise<void> {
  const { hook, primary, actions, snapshots } = options;
  const request: HookRequest = {
    version: HOOK_REQUEST_VERSION,
    event: 'startup',
    key: '',
    gvr: formatGvr(primary.gvr),
    object: null,
    changed: [],
    causes: [],
    attempt,
    ...(snapshots?.('') ?? { snapshots: {} }),
  };
  const reply = parseReply(await runHook(request, options, { signal, logger }));
  if (reply.error !== undefined) throw replyError(hook.name, reply.error, reply.permanent);
  if (reply.requeueAfterMs !== undefined)
    throw new StopError(`hook ${hook.name} replied with requeueAfter at startup, which runs once`, {
      hint: 'leave it out there; --every and --schedule run all keys again',
    });
  // the next start runs them again, so that no journal needs them
  const subject: Subject = { namespace: '', name: '', object: null };
  await actions.run(reply.actions, subject, { signal, logger, isDerived: true });
}
