import { createController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/controller-options.ts';
import type { ResourceEvent } from '../../src/controller/resource-event.ts';
import { createEventSource } from '../../src/controller/sources/source.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { ItemExponentialFailureRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import { ScriptedSource } from './scripted-source.ts';

/** A pod as a cache gives it out. */
export function pod(name: string, resourceVersion = '1') {
  return { metadata: { name, namespace: 'shop', resourceVersion } };
}

/** The event of an added pod. */
export function added(name: string, cause: 'initial' | 'watch' = 'watch'): ResourceEvent {
  return { type: 'added', key: `shop/${name}`, object: pod(name), cause };
}

/** The event of an updated pod. */
export function updated(name: string, from: string, to: string, cause: 'watch' | 'resync' = 'watch'): ResourceEvent {
  return { type: 'updated', key: `shop/${name}`, object: pod(name, to), oldObject: pod(name, from), cause };
}

/** A running controller. Its sources have synced, unless `sync` is false. */
export async function start(
  options: Partial<ControllerOptions> & Pick<ControllerOptions, 'reconcile'>,
  { sync = true } = {},
) {
  const clock = new FakeClock();
  const events = new ScriptedSource();
  const abort = new AbortController();
  const controller = createController({
    name: 'pods',
    clock,
    sources: [createEventSource(events, { name: 'v1/pods', isPrimary: true })],
    rateLimiter: new ItemExponentialFailureRateLimiter(5, 1_000_000),
    ...options,
  });
  const run = controller.run(abort.signal);
  run.catch(() => {});
  if (sync) events.sync.open();
  await settled();
  return { clock, events, abort, controller, run };
}
