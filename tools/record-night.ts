// `npm run docs:recording`: writes examples/recordings/night.rec, the recording that docs/history.md asks. A small shop
// on the sandbox, with a clock and a random seed of its own: the same night each time.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '../src/client/client.ts';
import { SharedInformer } from '../src/informer/shared-informer.ts';
import { silentLogger } from '../src/kit/logger.ts';
import { parseGvr } from '../src/model/gvr.ts';
import type { UnknownObject } from '../src/model/object.ts';
import { Recorder } from '../src/record/recorder.ts';
import { Sandbox } from '../src/sandbox/index.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';

const FILE = path.resolve(import.meta.dirname, '../examples/recordings/night.rec');
const TYPES = ['apps/v1/deployments', 'apps/v1/replicasets', 'v1/pods', 'v1/configmaps', 'v1/events'];
const SHOP = { namespace: 'shop' };
const DEPLOYMENTS = parseGvr('apps/v1/deployments');
const CONFIG_MAPS = parseGvr('v1/configmaps');

/** Records the night into a file: two runs of a command, and the two minutes between that it did not see. */
export async function recordNight(file: string): Promise<void> {
  for (const tail of ['', '-wal', '-shm', '-lock']) rmSync(file + tail, { force: true });
  const clock = new FakeClock(Date.parse('2026-11-28T02:05:00Z'));
  const at = (time: string) => clock.advance(Date.parse(`2026-11-28T${time}Z`) - clock.now());
  await using sandbox = await Sandbox.start({ scenario: 'crashloop', seed: 32, socket: false, token: 'night', clock });
  const client = createClient(sandbox.transport(), { clock, logger: silentLogger });
  const deployments = client.resource(DEPLOYMENTS, SHOP);
  const change = (name: string, spec: object, fieldManager: string) =>
    deployments.patch(name, { spec }, { type: 'strategic', fieldManager });
  await change('checkout', { strategy: { rollingUpdate: { maxUnavailable: '100%' } } }, 'kubectl-edit');
  for (const name of ['api', 'worker']) await change(name, { replicas: 1 }, 'kubectl-scale'); // less beside the story

  const first = await recording(file, client, clock);
  await at('02:06:00');
  await first.end();
  await at('02:08:00');
  const second = await recording(file, client, clock);
  await at('02:11:40');
  await change('web', { replicas: 9 }, 'kubectl-scale');
  await at('02:13:10');
  const flags = { data: { 'rate-limit': '500' } };
  await client
    .resource(CONFIG_MAPS, SHOP)
    .patch('feature-flags', flags, { type: 'merge', fieldManager: 'kubectl-edit' });
  await at('02:19:40');
  const template = (image: string) => ({ template: { spec: { containers: [{ name: 'checkout', image }] } } });
  await change('checkout', template('registry.example.com/shop/checkout:4.2.1-broken'), 'deploy-bot');
  await at('02:20:34');
  await second.end();
  tidy(file);
}

async function recording(file: string, client: ReturnType<typeof createClient>, clock: FakeClock) {
  const controller = new AbortController();
  const key = new TextEncoder().encode('the key of an example is no secret');
  const recorder = Recorder.open({ file, clock, command: 'serve', key, notice: (text) => console.error(text) });
  const { types } = await client.discovery.snapshot();
  const informers = TYPES.map((text) => {
    const gvr = parseGvr(text);
    const type = types.find((each) => each.gvr.group === gvr.group && each.gvr.resource === gvr.resource);
    if (!type) throw new Error(`the sandbox has no ${text}`);
    const informer = new SharedInformer<UnknownObject>(client.resource(gvr, { ...SHOP, as: { table: 'Object' } }), {
      clock,
      logger: silentLogger,
      random: () => 0.5,
    });
    recorder.follow({ type, informer, namespaces: [SHOP.namespace] });
    return informer;
  });
  const running = informers.map((informer) => informer.run(controller.signal));
  const recorded = recorder.run(controller.signal);
  await clock.advance(1_000);
  return {
    async end(): Promise<void> {
      await clock.advance(1_000);
      controller.abort();
      await Promise.all([...running, recorded]);
    },
  };
}

/** One file, without what differs between two runs. */
function tidy(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('UPDATE run SET pid = 1; PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM');
  database.close();
}

if (process.argv[1] === import.meta.filename) {
  await recordNight(FILE);
  console.log(FILE);
}
