import { ApplyConflictError, asApplyConflict, type FieldConflict } from '../../controller/writes/apply-conflict.ts';
import type { UnknownObject } from '../../model/object.ts';
import { type ActionResource, FIELD_MANAGER } from './action-client.ts';
import type { ActionStep } from './action-step.ts';
import { ignoreNotFound, type SendOptions, sendAction, sendActionOnce } from './send-action.ts';

/** The server's answer to an action that it does not store. */
export interface CheckedAction {
  /** The object before the action; undefined if there is none. */
  readonly before?: UnknownObject | undefined;
  /** The object as it would be stored; undefined after a deletion. */
  readonly after?: UnknownObject | undefined;
  /** The fields of other managers that an apply takes over. */
  readonly conflicts: readonly FieldConflict[];
}

/** How often the object is read again when another writer changes it between the two requests. */
const MOST_READS = 3;

/**
 * Sends an action as a dry run, and reads the object before it. Both states are of one version, so that the difference
 * is the action's own; if the object changes all the time, they are the last ones that were read. An apply is first
 * sent without force, because only the refusal shows whose fields it takes. Rejects as the write would.
 */
export async function checkAction(
  resource: ActionResource,
  step: ActionStep,
  options: Omit<SendOptions, 'dryRun' | 'force'>,
): Promise<CheckedAction> {
  for (let read = 1; ; read++) {
    const before = await presentObject(resource, step, options.signal);
    const { answer, conflicts } = await sendDry(resource, step, options);
    const after = step.action.verb === 'delete' ? undefined : (answer as UnknownObject);
    if (read === MOST_READS || isOfOneVersion(before, after)) return { before, after, conflicts };
  }
}

function presentObject(
  resource: ActionResource,
  { action, target }: ActionStep,
  signal: AbortSignal,
): Promise<UnknownObject | undefined> {
  if (action.verb === 'event' || target.name === '') return Promise.resolve(undefined);
  return resource.get(target.name, { signal }).catch(ignoreNotFound);
}

/** A server answers a dry run with the version of the stored object, which the dry run does not change. */
function isOfOneVersion(before: UnknownObject | undefined, after: UnknownObject | undefined): boolean {
  const [old, now] = [before?.metadata.resourceVersion, after?.metadata.resourceVersion];
  return old === undefined || now === undefined || old === now;
}

async function sendDry(
  resource: ActionResource,
  step: ActionStep,
  options: Omit<SendOptions, 'dryRun' | 'force'>,
): Promise<{ answer: unknown; conflicts: readonly FieldConflict[] }> {
  const dry = { ...options, dryRun: true };
  if (step.action.verb !== 'apply') return { answer: await sendAction(resource, step, dry), conflicts: [] };
  try {
    return { answer: await sendActionOnce(resource, step, { ...dry, force: false }), conflicts: [] };
  } catch (error) {
    const conflict = asApplyConflict(error);
    if (!(conflict instanceof ApplyConflictError)) throw error;
    const conflicts = conflict.conflicts.filter(({ manager }) => manager !== FIELD_MANAGER);
    return { answer: await sendAction(resource, step, dry), conflicts };
  }
}
