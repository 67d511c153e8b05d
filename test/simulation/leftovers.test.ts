import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import type { FaultRule } from '../../src/sandbox/faults/fault.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { CONFIG_MAPS, INGRESS_CLASSES } from './collections.ts';

/** Real time, with the timers counted. */
class CountingClock implements Clock {
  pending = 0;
  now = systemClock.now;
  monotonic = systemClock.monotonic;
  yield = systemClock.yield;

  after(ms: number, run: () => void) {
    let isOver = false;
    const settle = () => {
      if (!isOver) this.pending--;
      isOver = true;
    };
    this.pending++;
    const timer = systemClock.after(ms, () => {
      settle();
      run();
    });
    const cancel = () => {
      settle();
      timer.cancel();
    };
    return { cancel, [Symbol.dispose]: cancel };
  }

  async sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> {
    this.pending++;
    await systemClock.sleep(ms, options).finally(() => this.pending--);
  }
}

const sockets = () => process.getActiveResourcesInfo().filter((name) => /TCPSocket|TLS/.test(name));

const ALWAYS = Number.POSITIVE_INFINITY;
const watches = (sandbox: Sandbox) => sandbox.requests.matching('watch=true').length;

/** The activity of the informers when they are stopped, the faults that lead to it, and how the test recognises it. */
const MOMENTS: [string, FaultRule[], (sandbox: Sandbox, clock: CountingClock) => boolean][] = [
  ['following quiet streams', [], (sandbox) => watches(sandbox) === 2],
  [
    'waiting for a list that never ends',
    [{ fault: { kind: 'stall', after: 0 }, times: ALWAYS, match: { watch: false } }],
    (sandbox) => sandbox.requests.size === 2,
  ],
  [
    'waiting for a watch to be accepted',
    [{ fault: { kind: 'delay', ms: 60_000 }, times: ALWAYS, match: { watch: true } }],
    (sandbox, clock) => sandbox.requests.size === 2 && clock.pending === 4, // the silence and resync timers of both
  ],
  [
    'pausing after a refusal',
    [{ fault: { kind: 'status', code: 403 }, times: ALWAYS, match: { method: 'GET' } }],
    (sandbox, clock) => sandbox.requests.size === 2 && clock.pending === 2,
  ],
  [
    'reading a stalled stream',
    [{ fault: { kind: 'stall', after: 1 }, times: ALWAYS, match: { watch: true } }],
    (sandbox) => watches(sandbox) === 2,
  ],
];

it.each(MOMENTS)('no listener, timer or socket is left when run resolves while %s', async (_, faults, isReached) => {
  await using sandbox = await Sandbox.start({ tls: false });
  for (const fault of faults) sandbox.faults.add(fault);
  const [clock, clientClock] = [new CountingClock(), new CountingClock()];
  const client = createClient(createConfig({ server: sandbox.url, token: sandbox.token }), { clock: clientClock });
  const factory = dynamicInformerFactory(client, { sync: 'list', clock, resyncMs: 60_000 });
  const informers = [CONFIG_MAPS, INGRESS_CLASSES].map(({ gvr }) => factory.forResource(gvr).informer);
  for (const informer of informers) informer.addHandler({ added: () => {} });
  const controller = new AbortController();
  factory.start(controller.signal);
  try {
    await eventually(() => isReached(sandbox, clock));
    expect(clock.pending).toBeGreaterThan(0);
  } finally {
    controller.abort();
    await factory.shutdown();
    await client.close();
  }
  expect([clock.pending, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
  await eventually(() => clientClock.pending === 0);
  await eventually(() => sockets().length === 0, { everyMs: 50 });
});
