import type { KubeEvent } from '../../controller/events/kube-event.ts';
import { retryOnConflict } from '../../controller/writes/retry.ts';
import type { Clock } from '../../kit/clock.ts';
import type { RandomSource } from '../../kit/random.ts';
import { isNotFound } from '../../model/status.ts';
import { type ActionResource, FIELD_MANAGER } from './action-client.ts';
import type { ActionStep } from './action-step.ts';

export interface SendOptions {
  signal: AbortSignal;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
  /** Whether the server only checks the request and stores nothing. */
  dryRun?: boolean | undefined;
  /** With `apply`: whether fields of other managers are taken over. Default: true. */
  force?: boolean | undefined;
}

/**
 * Sends one action. It is tried again after a conflict with another writer. Resolves with the server's answer; with
 * undefined for the deletion of an object that does not exist, which is no failure.
 */
export function sendAction(resource: ActionResource, step: ActionStep, options: SendOptions): Promise<unknown> {
  const { clock, random, signal } = options;
  return retryOnConflict(() => sendActionOnce(resource, step, options), { clock, random, signal });
}

/** {@link sendAction}, which rejects at the first conflict. */
export async function sendActionOnce(
  resource: ActionResource,
  { action, target, body }: ActionStep,
  { signal, dryRun = false, force = true }: Omit<SendOptions, 'clock' | 'random'>,
): Promise<unknown> {
  const options = { signal, dryRun, fieldManager: FIELD_MANAGER };
  switch (action.verb) {
    case 'apply':
      return resource.patch(target.name, body, { ...options, type: 'apply', force });
    case 'create':
      return resource.create(body as object, options);
    case 'event':
      return sendEvent(resource, body as KubeEvent, options);
    case 'patch':
      return resource.patch(target.name, body, { ...options, type: action.patchType });
    case 'status':
      return resource.patch(target.name, body, { ...options, type: 'merge', subresource: 'status' });
    case 'delete':
      return resource.delete(target.name, { ...action.body, signal, dryRun }).catch(ignoreNotFound);
  }
}

/** Creates an Event, or counts it where it was written before. A server keeps Events for an hour. */
async function sendEvent(
  resource: ActionResource,
  event: KubeEvent,
  options: { signal: AbortSignal; dryRun: boolean; fieldManager: string },
): Promise<unknown> {
  const { metadata, count, lastTimestamp, message } = event;
  if (count > 1) {
    const patch = { count, lastTimestamp, message };
    const found = await resource.patch(metadata.name, patch, { ...options, type: 'strategic' }).catch(ignoreNotFound);
    if (found !== undefined) return found;
  }
  return resource.create(event, options);
}

/** The result of a request for an object that does not exist is undefined. Throws any other error. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
