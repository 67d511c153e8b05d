import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as cache from '../../src/cache.ts';
import { celRules, defineResource, type VersionOptions } from '../../src/crds.ts';
import { guardClient } from '../../src/hooks/guarded-client.ts';
import * as library from '../../src/index.ts';
import { ShardedSource } from '../../src/informer/watch/sharded-source.ts';
import { type InformerError, isInformerError } from '../../src/kit/error.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { createRecordingHandler, eventually, FakeClock } from '../../src/testing/index.ts';
import { startTestCluster } from '../../src/testing/test-cluster.ts';
import { createWebhookServer } from '../../src/webhooks/webhook-server.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

const source = { list: () => new Promise<never>(() => {}), watch: () => new Promise<never>(() => {}) };
const config = library.createConfig({ server: 'http://127.0.0.1:1' });

/** The sandbox and clients of an attempt; all its requests are recorded. */
async function place() {
  const all = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } }],
  });
  return { ...all, maps: all.client.resource(CONFIG_MAPS, { namespace: 'shop' }) };
}

const hookMaps = (client: library.Client) =>
  guardClient(client, { mode: 'write' }).resource(CONFIG_MAPS, { namespace: 'shop' });

type Place = Awaited<ReturnType<typeof place>>;
type Attempt = (options: never, place: Place) => unknown;

interface Taker {
  /** The exported types of these options. */
  readonly types?: readonly string[];
  /** The required options. */
  readonly base?: object;
  /** A misspelt option, and the right name. */
  readonly slip: readonly [name: string, meant: string];
  /** A value of a wrong type, by the name of its option. */
  readonly wrong?: object;
  readonly attempt: Attempt;
}

/** All public functions with options, by name. */
const NO_SCHEMA = { '~standard': { jsonSchema: { input: () => ({ type: 'object' }) } } };

const TAKERS: Readonly<Record<string, Taker>> = {
  createClient: {
    types: ['ClientOptions', 'TransportOptions'],
    slip: ['dropManagedField', 'dropManagedFields'],
    wrong: { qps: '50' },
    attempt: (options) => library.createClient(config, options),
  },
  'createClient over a transport': {
    slip: ['userAgnet', 'userAgent'],
    attempt: (options, { transport }) => library.createClient(transport, options),
  },
  loadConfig: {
    types: ['LoadConfigOptions'],
    slip: ['contxt', 'context'],
    wrong: { insecureSkipTlsVerify: 'false' },
    attempt: (options) => library.loadConfig(options),
  },
  createConfig: {
    types: ['StaticConfigOptions'],
    base: { server: 'https://one' },
    slip: ['namspace', 'namespace'],
    wrong: { tls: { rejectUnauthorized: 'false' } },
    attempt: (options) => library.createConfig(options),
  },
  ShardElector: {
    types: ['ShardElectorOptions'],
    base: { name: 'a', namespace: 'a', shards: 2, onShard() {} },
    slip: ['onChang', 'onChange'],
    wrong: { shards: 'two' },
    attempt: (options) => new library.ShardElector(options as never),
  },
  ShardSet: {
    types: ['ShardSetOptions'],
    slip: ['off', 'of'],
    wrong: { of: 'yes' },
    attempt: (options) => new library.ShardSet(options as never),
  },
  ShardedSource: {
    types: ['ShardedSourceOptions'],
    slip: ['onShardng', 'onSharding'],
    wrong: { onSharding: 'yes' },
    attempt: (options, { maps }) => new ShardedSource(maps, { index: 0, of: 2 }, options),
  },
  'client.resource': {
    types: ['ResourceApiOptions'],
    slip: ['namespaces', 'namespace'],
    wrong: { as: 'metdata' },
    attempt: (options, { client }) => client.resource(CONFIG_MAPS, options),
  },
  'client.version': { slip: ['sginal', 'signal'], attempt: (options, { client }) => client.version(options) },
  'client.raw': {
    types: ['RawOptions'],
    slip: ['maxbytes', 'maxBytes'],
    wrong: { maxBytes: '5' },
    attempt: (options, { client }) => client.raw('/version', options),
  },
  list: {
    types: ['ListOptions'],
    slip: ['labelselector', 'labelSelector'],
    wrong: { labelSelector: null },
    attempt: (options, { maps }) => maps.list(options),
  },
  'the context of list': {
    slip: ['Signal', 'signal'],
    wrong: { signal: new AbortController() },
    attempt: (options, { maps }) => maps.list({}, options),
  },
  watch: {
    types: ['WatchOptions'],
    slip: ['timeoutSecond', 'timeoutSeconds'],
    wrong: { sendInitialEvents: 'yes' },
    attempt: (options, { maps }) => maps.watch(options),
  },
  'the context of watch': { slip: ['sigal', 'signal'], attempt: (options, { maps }) => maps.watch({}, options) },
  get: {
    types: ['CallOptions'],
    slip: ['subResource', 'subresource'],
    wrong: { signal: {} },
    attempt: (options, { maps }) => maps.get('a', options),
  },
  create: {
    types: ['WriteOptions', 'NamedWriteOptions'],
    slip: ['dryrun', 'dryRun'],
    wrong: { dryRun: 'false' },
    attempt: (options, { maps }) => maps.create({ metadata: { name: 'b', namespace: 'shop' } }, options),
  },
  update: {
    slip: ['fieldManger', 'fieldManager'],
    wrong: { fieldValidation: 'strict' },
    attempt: (options, { maps }) => maps.update({ metadata: { name: 'a', namespace: 'shop' } }, options),
  },
  patch: {
    types: ['PatchOptions'],
    base: { type: 'merge' },
    slip: ['forced', 'force'],
    wrong: { force: 'no' },
    attempt: (options, { maps }) => maps.patch('a', {}, options),
  },
  delete: {
    types: ['DeleteOptions'],
    slip: ['propagationpolicy', 'propagationPolicy'],
    wrong: { dryRun: 1 },
    attempt: (options, { maps }) => maps.delete('a', options),
  },
  'the preconditions of delete': {
    slip: ['resourceversion', 'resourceVersion'],
    wrong: { uid: 7 },
    attempt: (preconditions, { maps }) => maps.delete('a', { preconditions }),
  },
  deleteCollection: {
    types: ['CollectionSelection'],
    base: { labelSelector: 'app=web' },
    slip: ['fieldselector', 'fieldSelector'],
    wrong: { fieldSelector: {} },
    attempt: (options, { maps }) => maps.deleteCollection(options),
  },
  'options of deleteCollection': {
    slip: ['dryrun', 'dryRun'],
    wrong: { dryRun: null },
    attempt: (options, { maps }) => maps.deleteCollection({ labelSelector: 'app=web' }, options),
  },
  createOpsServer: {
    types: ['OpsServerOptions'],
    base: { address: ':0' },
    slip: ['adress', 'address'],
    wrong: { staleAfterMs: '1m' },
    attempt: (options) => library.createOpsServer(options),
  },
  createPrometheusMetrics: {
    types: ['PrometheusOptions'],
    slip: ['proces', 'process'],
    wrong: { process: 'false' },
    attempt: (options) => library.createPrometheusMetrics(options),
  },
  dynamicInformerFactory: {
    types: ['InformerFactoryOptions'],
    slip: ['namespace', 'namespaces'],
    wrong: { sync: 'lists' },
    attempt: (options, { client }) => library.dynamicInformerFactory(client, options),
  },
  forResource: {
    types: ['ForResourceOptions'],
    slip: ['transfrom', 'transform'],
    wrong: { transform: {} },
    attempt: (options, { client }) => library.dynamicInformerFactory(client).forResource(CONFIG_MAPS, options),
  },
  'listOptions of a factory': {
    slip: ['labelSelectors', 'labelSelector'],
    wrong: { labelSelector: { app: 'web' } },
    attempt: (listOptions, { client }) => library.dynamicInformerFactory(client, { listOptions }),
  },
  'backoff of a factory': {
    types: ['BackoffOptions'],
    slip: ['initialMS', 'initialMs'],
    wrong: { capMs: '30s' },
    attempt: (backoff, { client }) => library.dynamicInformerFactory(client, { backoff }),
  },
  'factory.waitForSync': {
    slip: ['timeoutMS', 'timeoutMs'],
    wrong: { timeoutMs: '5s' },
    attempt: (options, { client }) => library.dynamicInformerFactory(client).waitForSync(undefined, options),
  },
  SharedInformer: {
    types: ['SharedInformerOptions'],
    slip: ['resyncMS', 'resyncMs'],
    wrong: { freeze: 'yes' },
    attempt: (options) => new library.SharedInformer(source, options),
  },
  addHandler: {
    types: ['HandlerOptions'],
    slip: ['filtr', 'filter'],
    wrong: { policy: 'drop' },
    attempt: (options) => new library.SharedInformer(source).addHandler({ added() {} }, options),
  },
  events: {
    slip: ['limits', 'limit'],
    wrong: { limit: '5' },
    attempt: (options) => new library.SharedInformer(source).events(options),
  },
  Reflector: {
    types: ['ReflectorOptions'],
    slip: ['pagesize', 'pageSize'],
    wrong: { idleMs: '5s' },
    attempt: (options) => new cache.Reflector(source, new cache.DeltaFifo(), options),
  },
  retryWatch: {
    types: ['RetryWatchOptions'],
    base: { resourceVersion: '5', signal: AbortSignal.abort() },
    slip: ['selector', 'selectors'],
    wrong: { signal: new AbortController() },
    attempt: (options) => cache.retryWatch(source, options),
  },
  DeltaFifo: {
    types: ['DeltaFifoOptions'],
    slip: ['highwater', 'highWater'],
    wrong: { batchSize: '5' },
    attempt: (options) => new cache.DeltaFifo(options),
  },
  Indexer: {
    types: ['IndexerOptions'],
    slip: ['indexer', 'indexers'],
    wrong: { keyOf: 'uid' },
    attempt: (options) => new cache.Indexer(options),
  },
  'indexer.replace': {
    types: ['ReplaceOptions'],
    slip: ['key', 'keys'],
    wrong: { within: 'shop' },
    attempt: (options) => new cache.Indexer<library.KubeObject>().replace([], '1', options),
  },
  'indexer.scan': {
    types: ['ScanOptions'],
    slip: ['field', 'fields'],
    wrong: { having: '"web"' },
    attempt: (options) => new cache.Indexer<library.KubeObject>().scan(options),
  },
  "get of a hook's client": {
    types: ['HookCallOptions'],
    slip: ['signals', 'signal'],
    wrong: { signal: {} },
    attempt: (options, { client }) => hookMaps(client).get('a', options),
  },
  "create of a hook's client": {
    types: ['ActionWriteOptions'],
    slip: ['dryrun', 'dryRun'],
    wrong: { dryRun: 'false' },
    attempt: (options, { client }) => hookMaps(client).create({ metadata: { name: 'b' } }, options),
  },
  "patch of a hook's client": {
    types: ['ActionPatchOptions'],
    base: { type: 'merge' },
    slip: ['forced', 'force'],
    wrong: { force: 'no' },
    attempt: (options, { client }) => hookMaps(client).patch('a', {}, options),
  },
  'lister.list': {
    types: ['ListFilter'],
    slip: ['selectors', 'selector'],
    wrong: { namespace: ['shop'] },
    attempt: (options) => new library.SharedInformer(source).lister.list(options),
  },
  'byNamespace.list': {
    slip: ['seletor', 'selector'],
    attempt: (options) => new library.SharedInformer(source).lister.byNamespace('shop').list(options),
  },
  waitForSync: {
    types: ['WaitOptions'],
    slip: ['timeout', 'timeoutMs'],
    attempt: (options) => library.waitForSync([], undefined, options),
  },
  createController: {
    types: ['ControllerOptions'],
    base: { name: 'c', reconcile: async () => {} },
    slip: ['worker', 'workers'],
    wrong: { recoverPanic: 'false' },
    attempt: (options) => library.createController(options),
  },
  controllerFor: {
    types: ['KindOptions'],
    slip: ['predicates', 'predicate'],
    wrong: { predicate: 'generation' },
    attempt: (options, { client }) => library.controllerFor(library.dynamicInformerFactory(client), 'Pod', options),
  },
  'owns of a builder': {
    types: ['OwnsOptions'],
    slip: ['everyOwners', 'everyOwner'],
    wrong: { everyOwner: 'yes' },
    attempt: (options, { client }) =>
      library.controllerFor(library.dynamicInformerFactory(client), 'Pod').owns('ConfigMap', options),
  },
  'watches of a builder': {
    types: ['WatchesOptions'],
    slip: ['form', 'from'],
    wrong: { name: 5 },
    attempt: (options, { client }) =>
      library.controllerFor(library.dynamicInformerFactory(client), 'Pod').watches('ConfigMap', () => [], options),
  },
  'reconcile of a builder': {
    types: ['BuiltOptions'],
    slip: ['worker', 'workers'],
    wrong: { gone: 'x' },
    attempt: (options, { client }) =>
      library.controllerFor(library.dynamicInformerFactory(client), 'Pod').reconcile(() => {}, options),
  },
  'reconcile of a builder of keys': {
    types: ['KeyedOptions'],
    base: { name: 'c' },
    slip: ['worker', 'workers'],
    wrong: { recoverPanic: 'false' },
    attempt: (options, { client }) =>
      library.controllerForKeys(library.dynamicInformerFactory(client)).reconcile(() => {}, options),
  },
  'controller.enqueue': {
    slip: ['aftr', 'after'],
    wrong: { after: '5s' },
    attempt: (options) => library.createController({ name: 'c', reconcile: async () => {} }).enqueue('a/b', options),
  },
  createInformerSource: {
    types: ['SourceOptions'],
    base: { name: 's' },
    slip: ['predicates', 'predicate'],
    wrong: { predicate: 'generation' },
    attempt: (options) => library.createInformerSource(new library.SharedInformer(source), options),
  },
  createTimerSource: {
    types: ['TimerSourceOptions'],
    base: { everyMs: 5, keys: () => [] },
    slip: ['names', 'name'],
    wrong: { keys: [] },
    attempt: (options) => library.createTimerSource(options),
  },
  LeaderElector: {
    types: ['LeaderElectorOptions'],
    base: {
      client: library.createClient(config),
      name: 'operator',
      namespace: 'shop',
      onStartedLeading() {},
      onStoppedLeading() {},
    },
    slip: ['leaseDuration', 'leaseDurationMs'],
    wrong: { releaseOnCancel: 'no' },
    attempt: (options) => new library.LeaderElector(options),
  },
  createManager: {
    types: ['ManagerOptions'],
    slip: ['graceMS', 'graceMs'],
    wrong: { graceMs: '25s' },
    attempt: (options) => library.createManager(options),
  },
  'manager.add': {
    types: ['AddRunnableOptions'],
    slip: ['groups', 'group'],
    wrong: { group: 'leaders' },
    attempt: (options) => library.createManager().add({ run: async () => {} }, options),
  },
  consoleLogger: {
    types: ['ConsoleLoggerOptions'],
    slip: ['programm', 'program'],
    wrong: { times: 'true' },
    attempt: (options) => library.consoleLogger('info', options),
  },
  untilCondition: {
    types: ['UntilOptions'],
    slip: ['timeout', 'timeoutMs'],
    wrong: { timeoutMs: '5s' },
    attempt: (options, { client }) => library.untilCondition(client, CONFIG_MAPS, 'shop/a', library.exists(), options),
  },
  retryOnConflict: {
    types: ['RetryOptions'],
    slip: ['backof', 'backoff'],
    attempt: (options) => library.retryOnConflict(async () => {}, options),
  },
  'backoff of retryOnConflict': {
    types: ['RetryBackoff'],
    slip: ['step', 'steps'],
    wrong: { initialMs: '5' },
    attempt: (backoff) => library.retryOnConflict(async () => {}, { backoff }),
  },
  createOrUpdate: {
    types: ['CachedReadOptions'],
    slip: ['curent', 'current'],
    wrong: { current: 'x' },
    attempt: (options, { maps }) =>
      library.createOrUpdate(
        maps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
        () => {},
        options,
      ),
  },
  createOrPatch: {
    slip: ['curent', 'current'],
    wrong: { current: 'x' },
    attempt: (options, { maps }) =>
      library.createOrPatch(
        maps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
        () => {},
        options,
      ),
  },
  celRules: {
    types: ['CelRule'],
    base: { rule: 'self > 0' },
    slip: ['mesage', 'message'],
    wrong: { message: 5 },
    attempt: (options) => celRules(options as never),
  },
  defineResource: {
    types: ['ResourceOptions'],
    base: { group: 'example.com', kind: 'Shop', versions: { v1: { schema: NO_SCHEMA } } },
    slip: ['shortNmes', 'shortNames'],
    wrong: { kind: 5 },
    attempt: (options) => defineResource(options as never),
  },
  'a version of defineResource': {
    types: ['VersionOptions'],
    base: { schema: NO_SCHEMA },
    slip: ['colums', 'columns'],
    wrong: { storage: 'yes' },
    attempt: (options) =>
      defineResource({ group: 'example.com', kind: 'Shop', versions: { v1: options as unknown as VersionOptions } }),
  },
  startTestCluster: {
    types: ['TestClusterOptions'],
    slip: ['kubeConfig', 'kubeconfig'],
    wrong: { observe: 5 },
    attempt: (options) => startTestCluster(options),
  },
  createWebhookServer: {
    types: ['WebhookServerOptions'],
    base: { certificate: { certFile: 'a', keyFile: 'b' } },
    slip: ['checkMS', 'checkMs'],
    wrong: { port: '5' },
    attempt: (options) => createWebhookServer(options),
  },
  'validate of a webhook server': {
    types: ['WebhookOptions'],
    slip: ['caches_', 'caches'],
    wrong: { fresh: 'yes' },
    attempt: (options) =>
      createWebhookServer({ certificate: { certFile: 'a', keyFile: 'b' } }).validate(CONFIG_MAPS, () => {}, options),
  },
  serverSideApply: {
    types: ['ApplyOptions'],
    base: { fieldManager: 'me' },
    slip: ['fieldmanager', 'fieldManager'],
    wrong: { force: 'no' },
    attempt: (options, { maps }) =>
      library.serverSideApply(
        maps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
        options,
      ),
  },
  EventRecorder: {
    types: ['EventRecorderOptions'],
    base: { component: 'tester' },
    slip: ['flushMS', 'flushMs'],
    wrong: { queueSize: '5' },
    attempt: (options, { client }) => new library.EventRecorder(client, options),
  },
  'recorder.event': {
    types: ['EventOptions'],
    slip: ['annotation', 'annotations'],
    wrong: { fieldPath: 5 },
    attempt: (options, { client }) =>
      new library.EventRecorder(client, { component: 'tester' }).event({}, 'Normal', 'Seen', 'm', options),
  },
  createFinalizerReconciler: {
    types: ['FinalizerReconcilerOptions'],
    base: { client: {}, gvr: CONFIG_MAPS, objects: new Map(), finalizers: { 'a.b/c': () => {} }, reconcile: () => {} },
    slip: ['finalizer', 'finalizers'],
    wrong: { reconcile: 'no' },
    attempt: (options) => library.createFinalizerReconciler(options),
  },
  updateStatus: {
    types: ['UpdateStatusOptions'],
    slip: ['singal', 'signal'],
    wrong: { fieldManager: 5 },
    attempt: (options, { maps }) => library.updateStatus(maps, { metadata: { name: 'a' } }, () => {}, options),
  },
  setCondition: {
    slip: ['clok', 'clock'],
    attempt: (options) => library.setCondition([], { type: 'Ready', status: 'True', reason: 'Up' }, options),
  },
  ownerReference: {
    slip: ['Controller', 'controller'],
    wrong: { controller: 'no' },
    attempt: (options) =>
      library.ownerReference({ apiVersion: 'v1', kind: 'K', metadata: { name: 'o', uid: 'u' } }, options),
  },
  enqueueOwner: {
    base: { group: 'apps', kind: 'Deployment' },
    slip: ['namespace', 'namespaced'],
    wrong: { onlyController: 1 },
    attempt: (options) => library.enqueueOwner(options),
  },
  WorkQueue: {
    types: ['WorkQueueOptions'],
    slip: ['ratelimiter', 'rateLimiter'],
    wrong: { agedShare: '2' },
    attempt: (options) => new library.WorkQueue(options),
  },
  'queue.add': {
    types: ['AddOptions'],
    slip: ['limted', 'limited'],
    wrong: { limited: 'no' },
    attempt: (options) => new library.WorkQueue().add('a', options),
  },
  'queue.shutDown': {
    types: ['ShutDownOptions'],
    slip: ['abandoned', 'abandon'],
    wrong: { abandon: 'no' },
    attempt: (options) => new library.WorkQueue().shutDown(options),
  },
  createControllerRateLimiter: {
    types: ['ControllerRateLimiterOptions'],
    slip: ['baseMS', 'baseMs'],
    wrong: { qps: '10' },
    attempt: (options) => library.createControllerRateLimiter(options),
  },
  BucketRateLimiter: {
    base: { qps: 5, burst: 5 },
    slip: ['clok', 'clock'],
    wrong: { qps: '5' },
    attempt: (options) => new library.BucketRateLimiter(options),
  },
  ItemFastSlowRateLimiter: {
    base: { fastMs: 5, slowMs: 50, fastTries: 3 },
    slip: ['fastTrie', 'fastTries'],
    wrong: { slowMs: '5' },
    attempt: (options) => new library.ItemFastSlowRateLimiter(options),
  },
  'Sandbox.start': {
    types: ['SandboxOptions'],
    base: { socket: false },
    slip: ['histroySize', 'historySize'],
    wrong: { rbac: 'false' },
    attempt: (options) => Sandbox.start(options),
  },
  scenarioOptions: {
    types: ['ScenarioOptions'],
    slip: ['ratePersecond', 'ratePerSecond'],
    attempt: (options, { sandbox }) => sandbox.startScenario('churn', options),
  },
  'sandbox.transport': {
    types: ['InProcessOptions'],
    slip: ['tokens', 'token'],
    wrong: { token: 5 },
    attempt: (options, { sandbox }) => sandbox.transport(options),
  },
  'sandbox.tokenFor': {
    types: ['TokenOwner'],
    base: { user: 'u' },
    slip: ['group', 'groups'],
    wrong: { groups: 'admins' },
    attempt: (options, { sandbox }) => sandbox.tokenFor(options),
  },
  'sandbox.kubeconfig': {
    slip: ['toke', 'token'],
    wrong: { token: 5 },
    attempt: (options, { sandbox }) => sandbox.kubeconfig(options),
  },
  'sandbox.list': {
    slip: ['namespaces', 'namespace'],
    attempt: (options, { sandbox }) => sandbox.list(CONFIG_MAPS, options),
  },
  'sandbox.delete': {
    slip: ['gracePeriodSecond', 'gracePeriodSeconds'],
    attempt: (options, { sandbox }) => sandbox.delete(CONFIG_MAPS, 'shop/a', options),
  },
  'sandbox.compact': {
    slip: ['watchs', 'watches'],
    wrong: { watches: 'no' },
    attempt: (options, { sandbox }) => sandbox.compact(options),
  },
  'sandbox.restart': {
    slip: ['keephistory', 'keepHistory'],
    attempt: (options, { sandbox }) => sandbox.restart(options),
  },
  'sandbox.restore': {
    slip: ['downMS', 'downMs'],
    attempt: (options, { sandbox }) => sandbox.restore(sandbox.snapshot(), options),
  },
  'sandbox.wipe': {
    slip: ['downms', 'downMs'],
    wrong: { downMs: '5s' },
    attempt: (options, { sandbox }) => sandbox.wipe(options),
  },
  'faults.add': {
    types: ['FaultRule'],
    base: { fault: { kind: 'cut' } },
    slip: ['time', 'times'],
    wrong: { fault: { kind: 'boom' } },
    attempt: (options, { sandbox }) => sandbox.faults.add(options),
  },
  'the match of a fault': {
    types: ['FaultMatch'],
    slip: ['paths', 'path'],
    wrong: { watch: 'yes' },
    attempt: (match, { sandbox }) => sandbox.faults.add({ fault: { kind: 'cut' }, match }),
  },
  'a fault': {
    types: ['Fault', 'Incident'],
    base: { kind: 'cut' },
    slip: ['afer', 'after'],
    wrong: { after: '5' },
    attempt: (fault, { sandbox }) => sandbox.faults.add({ fault }),
  },
  'faults.random': {
    types: ['RandomFaults'],
    base: { seed: 1, rate: 0.5 },
    slip: ['kindz', 'kinds'],
    wrong: { kinds: 'cut' },
    attempt: (options, { sandbox }) => sandbox.faults.random(options),
  },
  eventually: {
    types: ['EventuallyOptions'],
    slip: ['timeoutMS', 'timeoutMs'],
    wrong: { everyMs: '5' },
    attempt: (options) => eventually(() => true, options),
  },
  createRecordingHandler: {
    slip: ['pauses', 'pause'],
    wrong: { pause: 5 },
    attempt: (options) => createRecordingHandler(options),
  },
};

async function refusalOf(attempt: Attempt, options: object): Promise<{ error: InformerError; sent: number }> {
  const all = await place();
  const before = all.sent.length;
  const error = await Promise.resolve()
    .then(() => attempt(options as never, all))
    .then(
      () => expect.unreachable('it was not refused'),
      (thrown: unknown) => thrown,
    );
  if (!isInformerError(error, 'argument')) throw new Error('it failed in another way', { cause: error });
  return { error, sent: all.sent.length - before };
}

describe('an API with options', () => {
  it.each(Object.entries(TAKERS))(
    '%s refuses an unknown option, suggests the nearest one, and sends nothing',
    async (_, taker) => {
      const { base, slip, attempt } = taker;
      const [name, meant] = slip;
      const { error, sent } = await refusalOf(attempt, { ...base, [name]: 'x' });
      expect([error.message, error.hint, sent]).toEqual([
        expect.stringContaining(` has no option "${name}"`),
        `did you mean ${meant}?`,
        0,
      ]);
    },
  );

  it.each(Object.entries(TAKERS).filter(([, { wrong }]) => wrong))(
    '%s refuses a value of another type',
    async (_, taker) => {
      const { base, wrong, attempt } = taker;
      const { error, sent } = await refusalOf(attempt, { ...base, ...wrong });
      expect([error.message, sent]).toEqual([expect.stringMatching(/ must be (?:a|an|one of|true or false)\b/), 0]);
    },
  );

  it.each(Object.entries(TAKERS))('%s refuses a text, a list and null in their place', async (_, { attempt }) => {
    for (const options of ['x', ['x'], null]) {
      const { error, sent } = await refusalOf(attempt, options as never);
      expect([error.message, sent]).toEqual([
        expect.stringMatching(/^.* takes an object of options, not |must be one of .*not null$/),
        0,
      ]);
    }
  });

  /** Parts that the package makes itself; and errors, where a refusal would hide the first error. */
  const NOT_CHECKED = [
    'DiscoveryOptions',
    'LedgerOptions',
    'InformerErrorOptions',
    'EnveloperOptions',
    'CompactStoreOptions',
    'ListenerOptions',
    'VerifierOptions',
    'HistoryOptions',
    'GuardOptions',
    'LoadHookOptions',
    'WebhookCallOptions',
  ];

  it('is in the table above for every type of options in a file that an entry exports from', () => {
    const src = (file: string) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    const entries = [
      'index.ts',
      'cache.ts',
      'hooks.ts',
      'sandbox/index.ts',
      'testing/index.ts',
      'webhooks.ts',
      'crds.ts',
    ];
    const files = entries.flatMap((entry) =>
      [...src(entry).matchAll(/ from '(\.[^']+)'/g)].map(([, file = '']) => path.posix.join(path.dirname(entry), file)),
    );
    const exported = [...new Set(files)].flatMap((file) =>
      [...src(file).matchAll(/^export (?:interface|type) (\w*(?:Options|Selection|Filter|Rule|Match|Owner))\b/gm)].map(
        ([, name]) => name as string,
      ),
    );
    const inTable = Object.values(TAKERS).flatMap(({ types = [] }) => types);
    expect(exported.length).toBeGreaterThan(20);
    expect([...new Set(exported)].filter((name) => ![...inTable, ...NOT_CHECKED].includes(name))).toEqual([]);
  });
});

describe('option values', () => {
  it('may be undefined, or infinite', async () => {
    const { maps, client } = await place();
    await maps.delete('a', { dryRun: undefined, preconditions: { uid: undefined } as never });
    const factory = library.dynamicInformerFactory(client, {
      namespaces: undefined,
      idleMs: Number.POSITIVE_INFINITY,
      clock: new FakeClock(),
    });
    expect(factory.forResource(CONFIG_MAPS).informer.isStarted).toBe(false);
  });

  it('are not quoted in errors', async () => {
    const { error } = await refusalOf(TAKERS.loadConfig?.attempt as Attempt, { token: ['hunter2'] });
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
  });
});
