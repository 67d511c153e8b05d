import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { fencedTransport } from '../../src/client/http/fenced-transport.ts';
import { createController } from '../../src/controller/controller.ts';
import { LeaderElector } from '../../src/controller/election/leader-elector.ts';
import { EventRecorder } from '../../src/controller/events/event-recorder.ts';
import { createManager } from '../../src/controller/manager/manager.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { retryOnConflict } from '../../src/controller/writes/retry.ts';
import { updateStatus } from '../../src/controller/writes/update-status.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { createLogger, type Logger } from '../../src/kit/logger.ts';
import { inheriting, surroundingsOf, withSurroundings } from '../../src/kit/surroundings.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { createPrometheusMetrics } from '../../src/ops/prometheus.ts';
import { untilCondition } from '../../src/stream/until/until-condition.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, type InProcess, inProcess } from '../support/in-process.ts';

type App = KubeObject & { status?: Record<string, unknown> };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
};

/** A client that was given a clock, a logger and metrics. Everything else in these tests is given none of them. */
interface Given extends InProcess {
  readonly lines: string[];
  readonly metrics: Awaited<ReturnType<typeof createPrometheusMetrics>>;
}

let given: Given;
const logTo = (lines: string[]): Logger => createLogger((level, message) => void lines.push(`${level} ${message}`));

beforeEach(async () => {
  const lines: string[] = [];
  const metrics = await createPrometheusMetrics();
  given = { ...(await inProcess({ client: { logger: logTo(lines), metrics } })), lines, metrics };
});
afterEach(() => given.sandbox.stop());

/** The server refuses the next requests of a method. */
function refuse(path: string, code: 409 | 500, times: number, method?: string): void {
  given.sandbox.faults.add({ fault: { kind: 'status', code }, match: { path, ...(method ? { method } : {}) }, times });
}

describe('without a clock, a logger and metrics of their own', () => {
  it('a retried conflict and an update of a status wait by the clock of the client', async () => {
    const { client, clock, sandbox } = given;
    sandbox.apply(deployment);
    const apps = client.resource<App>(DEPLOYMENTS, { namespace: 'default' });
    const app = await apps.get('web');
    for (const write of [
      () => retryOnConflict(() => apps.patch('web', { metadata: { labels: { a: 'b' } } }, { type: 'merge' })),
      () => updateStatus(apps, app, (draft) => void Object.assign(draft, { status: { ...draft.status, replicas: 3 } })),
    ]) {
      refuse('/deployments/web', 409, 1, 'PATCH');
      let isDone = false;
      const done = write().then(() => (isDone = true));
      await settled();
      expect([isDone, clock.pending]).toEqual([false, 1]);
      await clock.advance(20);
      await done;
    }
    expect(sandbox.get(DEPLOYMENTS, 'default/web')).toMatchObject({
      metadata: { labels: { a: 'b' } },
      status: { replicas: 3 },
    });
  });

  it('an informer, alone or of a factory, retries by the clock, logs to the logger and counts in the metrics', async () => {
    const { client, clock, sandbox, lines, metrics } = given;
    new ConfigMaps(sandbox).put('default/a');
    const factory = dynamicInformerFactory(client);
    const { informer, lister } = factory.forResource(CONFIG_MAPS);
    const alone = new SharedInformer(client.resource<ConfigMap>(CONFIG_MAPS), { name: 'alone' });
    refuse('/configmaps', 500, 4);
    const end = new AbortController();
    factory.start(end.signal);
    const run = alone.run(end.signal);
    await settled();
    expect([informer.hasSynced, alone.hasSynced]).toEqual([false, false]);
    await clock.advance(10_000);
    expect([lister.size, alone.lister.size]).toEqual([1, 1]);
    expect(lines.filter((line) => line.startsWith('warn'))).not.toEqual([]);
    expect(await metrics.text()).toMatch(/reflector_list\w*\{.*name="alone"/);
    const synced = factory.waitForSync(undefined, { timeoutMs: 1_000 });
    expect((await synced).isComplete).toBe(true);
    end.abort();
    await Promise.all([run, factory.shutdown()]);
    expect(clock.pending).toBe(0);
  });

  it('a wait for a condition ends by the clock of the client, also behind an informer', async () => {
    const { client, clock } = given;
    const factory = dynamicInformerFactory(client);
    const { informer } = factory.forResource(CONFIG_MAPS);
    const end = new AbortController();
    factory.start(end.signal);
    await settled();
    for (const source of [client, informer]) {
      const wait = untilCondition(source, CONFIG_MAPS, 'default/a', (object) => object !== undefined, {
        timeoutMs: 5000,
      });
      const failed = expect(wait).rejects.toThrow('was not met within 5s');
      await settled();
      await clock.advance(5000);
      await failed;
    }
    end.abort();
    await factory.shutdown();
  });

  it('a controller retries by the clock, logs to the logger and counts in the metrics of the client of its sources', async () => {
    const { client, clock, sandbox, lines, metrics } = given;
    new ConfigMaps(sandbox).put('default/a');
    const factory = dynamicInformerFactory(client);
    let runs = 0;
    const controller = createController({
      name: 'greeter',
      sources: [createInformerSource(factory.forResource(CONFIG_MAPS).informer, { name: 'maps' })],
      reconcile: async () => {
        if (++runs < 8) throw new Error('not yet');
      },
    });
    const manager = createManager(); // it gets them from its parts
    manager.add(factory);
    manager.add(controller);
    const end = new AbortController();
    const running = manager.run(end.signal);
    await settled();
    const first = runs;
    await clock.advance(5_000);
    expect([first < 8, runs]).toEqual([true, 8]);
    expect(lines.filter((line) => line.startsWith('warn'))).not.toEqual([]);
    expect(await metrics.text()).toContain('controller_runtime_reconcile_errors_total{controller="greeter"} 7');
    end.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it('a manager ends in its time of grace by the clock of its election, which runs by it too', async () => {
    const { client, clock, metrics } = given;
    const leaderElection = { client, name: 'operator', namespace: 'default' };
    const manager = createManager({ leaderElection, graceMs: 4_000 });
    manager.add({ name: 'stubborn', run: () => new Promise(() => {}) });
    const end = new AbortController();
    const running = manager.run(end.signal).then(String, String);
    await settled();
    expect(await metrics.text()).toContain('leader_election_master_status{name="operator"} 1');
    end.abort();
    await settled();
    await clock.advance(4_000);
    expect(await running).toContain('the manager waited 4s, and did not end: stubborn');
  });

  it('an elector waits for the lease by the clock of the client', async () => {
    const { client, clock } = given;
    const log: string[] = [];
    const elector = (identity: string) =>
      new LeaderElector({
        client,
        name: 'operator',
        namespace: 'default',
        identity,
        onStartedLeading: () => void log.push(identity),
        onStoppedLeading() {},
      });
    const [first, second] = [new AbortController(), new AbortController()];
    const one = elector('one').run(first.signal);
    await settled();
    const two = elector('two').run(second.signal);
    await settled();
    first.abort();
    await one;
    expect(log).toEqual(['one']);
    for (let s = 0; s < 30; s++) await clock.advance(1_000);
    expect(log).toEqual(['one', 'two']);
    second.abort();
    await two;
  });

  it('a recorder gives its Events the time of the client, and tries again by its clock', async () => {
    const { client, clock, sandbox } = given;
    await clock.advance(3_600_000);
    const recorder = new EventRecorder(client, { component: 'tester' });
    sandbox.faults.add({ fault: { kind: 'refuse' }, match: { path: '/events', method: 'POST' }, times: 1 });
    recorder.event(deployment, 'Normal', 'Tested', 'once');
    await settled();
    expect(clock.pending).toBe(1);
    await clock.advance(11_000);
    await recorder.flush();
    const [event] = sandbox.list({ group: '', version: 'v1', resource: 'events' }) as unknown as [
      { firstTimestamp: string },
    ];
    expect(event.firstTimestamp).toBe('2026-01-01T01:00:00Z');
    await recorder.close();
  });

  it('a client over the fenced transport of another one has its surroundings', () => {
    const { client, clock, metrics } = given;
    const fenced = createClient(fencedTransport(client.transport, () => {}));
    expect(surroundingsOf(fenced)).toMatchObject({ clock });
    expect(surroundingsOf(fenced).metrics).toBe(metrics);
    expect(surroundingsOf(fenced.resource(CONFIG_MAPS)).clock).toBe(clock);
  });
});

it('what a part is given itself counts more than what the client has', async () => {
  const { client, clock } = given;
  const own = new FakeClock();
  const lines: string[] = [];
  const factory = dynamicInformerFactory(client, { clock: own, logger: logTo(lines) });
  refuse('/configmaps', 500, 2);
  const { informer } = factory.forResource(CONFIG_MAPS);
  const end = new AbortController();
  factory.start(end.signal);
  await settled();
  expect([clock.pending, own.pending > 0, informer.hasSynced]).toEqual([0, true, false]);
  await own.advance(10_000);
  expect(informer.hasSynced).toBe(true);
  expect([lines.length > 0, given.lines]).toEqual([true, []]);
  end.abort();
  await factory.shutdown();
});

it('of several parts, the first that has a clock, a logger or metrics counts', () => {
  const [one, two] = [new FakeClock(), new FakeClock()];
  const logger = logTo([]);
  const parts = [
    {},
    withSurroundings({}, { logger }),
    withSurroundings({}, { clock: one }),
    withSurroundings({}, { clock: two }),
  ];
  expect(inheriting({ name: 'a' } as object, ...parts)).toEqual({ name: 'a', clock: one, logger, metrics: undefined });
});
