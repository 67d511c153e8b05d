import type { TransportRequest, TransportResponse } from '../../client/http/transport.ts';
import { actionDifferences, objectDifferences } from '../../hooks/fixtures/differences.ts';
import type { Fixture } from '../../hooks/fixtures/fixtures.ts';
import {
  type EndState,
  endStateOf,
  OTHER_WRITER,
  stateDifferences,
  versionsOf,
  writesBetween,
} from '../../hooks/fixtures/test-state.ts';
import type { Action, TargetRef } from '../../hooks/reply.ts';
import type { Clock } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { RunOptions, SceneRun, TestScene, WriteGate } from './test-scene.ts';

/** The outcome of one check of one fixture. */
export interface Checked {
  readonly fixture: string;
  readonly check: string;
  /** The problems, a line each; empty if the check passed. */
  readonly problems: readonly string[];
}

export interface SceneSettings {
  /** Whether the objects are given in the opposite order. */
  readonly isReversed?: boolean | undefined;
  readonly gate?: WriteGate | undefined;
  /** Whether the output of the hook is shown. */
  readonly isShown?: boolean | undefined;
}

export interface CheckOptions {
  readonly fixture: Fixture;
  readonly clock: Clock;
  open(settings: SceneSettings): Promise<TestScene>;
}

/** The runs of a key that fail are tried again so often. */
const MOST_TRIES = 6;
/** A run is killed after each of its writes, up to this number. */
const MOST_KILLS = 8;
/** A run is killed this long after it began, if it has not ended, ms. */
const KILLED_AFTER_MS = 30;

/** The state at the end of the usual runs, with which the other checks compare theirs. */
interface Base {
  readonly state: EndState;
  readonly writes: ReadonlyMap<ObjectKey, number>;
}

/** Runs all checks of a fixture, and yields each when it is done. */
export async function* checksOf(options: CheckOptions): AsyncGenerator<Checked, void, void> {
  const { fixture } = options;
  const checked = (check: string, problems: readonly string[]): Checked => ({ fixture: fixture.name, check, problems });
  const writes = new Map<ObjectKey, number>();
  let count = 0;
  const gate: WriteGate = { after: () => count++ };
  let base: Base;
  {
    await using scene = await options.open({ gate, isShown: true });
    const runs: SceneRun[] = [];
    const keys = keysOf(fixture, scene);
    for (const key of keys) {
      count = 0;
      runs.push(await scene.run(key));
      writes.set(key, count);
    }
    yield checked('expected', await unexpected(fixture, scene, runs));
    base = { state: endStateOf(await scene.objects()), writes };
    const before = versionsOf(await scene.objects({ withEvents: true }));
    for (const key of keys) await scene.run(key, { via: 'watch' });
    const after = versionsOf(await scene.objects({ withEvents: true }));
    yield checked(
      'idempotency',
      writesBetween(before, after).map((line) => `the second run wrote: ${line}`),
    );
  }
  yield checked('duplicates', await duplicated(options, base));
  yield checked('order', await reordered(options, base));
  yield checked('kill', await killed(options, base));
  yield checked('conflict', await conflicting(options, base));
  yield checked('lost history', await withoutHistory(options, base));
}

function keysOf({ key, old, file }: Fixture, scene: TestScene): ObjectKey[] {
  if (key !== undefined) return [key];
  const gone = old ? [[old.metadata.namespace, old.metadata.name].filter((part) => part).join('/')] : [];
  const keys = [...new Set([...scene.keys, ...gone])];
  if (keys.length === 0)
    throw new InformerError('argument', `${file}:1: given has no object of the type, so no key would run`, {
      hint: 'add one, or name a key',
    });
  return keys;
}

async function unexpected({ expect }: Fixture, scene: TestScene, runs: readonly SceneRun[]): Promise<string[]> {
  const failed = runs.find(({ error }) => error !== undefined);
  const problems: string[] = [];
  if (expect.actions)
    problems.push(
      ...actionDifferences(
        expect.actions,
        runs.flatMap(({ actions }) => actions),
        (action) => isAboutSecret(action, scene),
      ),
    );
  for (const wanted of expect.objects ?? []) problems.push(...missing(wanted, scene));
  for (const { apiVersion, kind, name } of expect.absent ?? [])
    if (scene.server.get({ apiVersion, kind }, name)) problems.push(`${kind} ${name} is there, and should not be`);
  if (expect.error !== undefined && !failed?.error?.includes(expect.error))
    problems.push(`the error is ${failed?.error ?? 'none'}, expected ${expect.error}`);
  if (expect.parked !== undefined && expect.parked !== runs.some(({ isParked }) => isParked))
    problems.push(expect.parked ? 'no key was parked' : `a key was parked: ${failed?.error}`);
  if (failed && expect.error === undefined && !expect.parked) problems.push(`the run failed: ${failed.error}`);
  const { requeueAfterMs: wantedMs } = expect;
  if (wantedMs !== undefined && !runs.some(({ requeueAfterMs }) => requeueAfterMs === wantedMs)) {
    const seen = runs.flatMap(({ requeueAfterMs }) =>
      requeueAfterMs === undefined ? [] : humanDuration(requeueAfterMs),
    );
    problems.push(`requeueAfter is ${seen.join(', ') || 'not there'}, expected ${humanDuration(wantedMs)}`);
  }
  return problems;
}

function isAboutSecret({ verb, body, on }: Action & { on?: TargetRef }, { type }: TestScene): boolean {
  if (verb === 'event' || verb === 'log') return false;
  if (on?.gvr) return isSecretResource(on.gvr);
  const { kind } = body as { kind?: unknown };
  return typeof kind === 'string' ? kind === 'Secret' : type !== undefined && isSecretResource(type);
}

function missing(wanted: UnknownObject, { server }: TestScene): string[] {
  const { apiVersion = '', kind = '', metadata } = wanted;
  const name = metadata.name ?? '';
  const { namespace } = metadata;
  const found =
    server.get({ apiVersion, kind }, `${namespace ?? 'default'}/${name}`) ?? server.get({ apiVersion, kind }, name);
  const label = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (!found) return [`${label} is missing`];
  return objectDifferences(wanted, found, true).map((line) => `${label}: ${line}`);
}

/** Each key runs three times, as if it had been queued again after each run. */
async function duplicated({ fixture, open }: CheckOptions, base: Base): Promise<string[]> {
  await using scene = await open({});
  const keys = keysOf(fixture, scene);
  for (const key of [...keys, ...keys, ...keys]) await finished(scene, key);
  return await changedEnd(scene, base);
}

async function reordered({ fixture, open }: CheckOptions, base: Base): Promise<string[]> {
  await using scene = await open({ isReversed: true });
  for (const key of keysOf(fixture, scene).reverse()) await finished(scene, key);
  return await changedEnd(scene, base);
}

/** Kills the run of each key once before its reply is used, and once after each write but the last; then runs it again. */
async function killed({ fixture, open, clock }: CheckOptions, base: Base): Promise<string[]> {
  const most = Math.min(MOST_KILLS, Math.max(1, ...base.writes.values()));
  const problems: string[] = [];
  for (let sent = 0; sent < most && problems.length === 0; sent++) {
    let kill: AbortController | undefined;
    let written = 0;
    const gate: WriteGate = {
      before: () => {
        kill?.signal.throwIfAborted();
        return undefined;
      },
      after: () => {
        if (++written >= sent && sent > 0) kill?.abort(KILLED);
      },
    };
    await using scene = await open({ gate });
    for (const key of keysOf(fixture, scene)) {
      kill = new AbortController();
      written = 0;
      const { signal } = kill;
      if (sent === 0) scene.whenHookBegins(() => killSoon(kill as AbortController, clock));
      await scene.run(key, { signal });
      kill = undefined;
    }
    for (const key of keysOf(fixture, scene)) await finished(scene, key);
    const after = sent === 0 ? 'before its actions were sent' : `after ${sent} of its writes`;
    problems.push(...(await changedEnd(scene, base)).map((line) => `killed ${after}: ${line}`));
  }
  return problems;
}

const KILLED = new InformerError('closed', 'the run was killed by the test');

async function killSoon(kill: AbortController, clock: Clock): Promise<void> {
  await clock.sleep(KILLED_AFTER_MS);
  kill.abort(KILLED);
}

/** Another writer changes each object before its first write, which is answered with a conflict. */
async function conflicting({ fixture, open }: CheckOptions, base: Base): Promise<string[]> {
  const met = new Map<string, { type: { apiVersion: string; kind: string }; key: ObjectKey }>();
  const paths = new Set<string>();
  let scene: TestScene | undefined;
  let objects: readonly UnknownObject[] = [];
  const gate: WriteGate = {
    before(init) {
      const path = init.path.split('?', 1)[0] ?? '';
      if (init.method === 'POST' || paths.has(path)) return undefined;
      paths.add(path);
      const object = objectAt(path, objects);
      const { apiVersion = '', kind = '', metadata } = object ?? { metadata: { name: '' } };
      const key = [metadata.namespace, metadata.name].filter((part) => part).join('/');
      const present = object && scene?.server.get({ apiVersion, kind }, key);
      if (!present) return undefined;
      const annotations = { ...present.metadata.annotations, [OTHER_WRITER]: 'was here' };
      scene?.server.apply({ ...present, metadata: { ...present.metadata, annotations } });
      met.set(path, { type: { apiVersion, kind }, key });
      return conflict(init);
    },
  };
  scene = await open({ gate });
  await using opened = scene;
  for (const key of keysOf(fixture, opened)) {
    objects = await opened.objects();
    await finished(opened, key);
  }
  const lost = [...met.values()].flatMap(({ type, key }) => {
    const object = opened.server.get(type, key);
    const isKept = !object || object.metadata.annotations?.[OTHER_WRITER] !== undefined;
    return isKept ? [] : [`${type.kind} ${key} lost what another writer had changed before the conflict`];
  });
  return [...lost, ...(await changedEnd(opened, base))];
}

/** The object that a path of the API is about. */
function objectAt(path: string, objects: readonly UnknownObject[]): UnknownObject | undefined {
  return objects.find(({ apiVersion = '', kind = '', metadata: { namespace, name } }) => {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const inside = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const [resource = '', named = ''] = path.startsWith(`${root}${inside}/`)
      ? path.slice(`${root}${inside}/`.length).split('/')
      : [];
    return decodeURIComponent(named) === name && resource.startsWith(kind.toLowerCase().slice(0, -1));
  });
}

function conflict({ path }: TransportRequest): TransportResponse {
  const name = path.split('?', 1)[0]?.split('/').at(-1);
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Operation cannot be fulfilled on "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    reason: 'Conflict',
    details: { name },
    code: 409,
  };
  const body = new TextEncoder().encode(JSON.stringify(status));
  return {
    status: 409,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield body;
    })(),
  };
}

/** The history of the watches is lost while a key runs; it runs again for the new list. */
async function withoutHistory({ fixture, open }: CheckOptions, base: Base): Promise<string[]> {
  await using scene = await open({});
  const keys = keysOf(fixture, scene);
  const [first] = keys;
  for (const key of keys) {
    if (key === first) scene.whenHookBegins(() => scene.server.restart());
    await finished(scene, key);
  }
  for (const key of keys) await finished(scene, key, { via: 'relist' });
  return await changedEnd(scene, base);
}

/** Runs the key until a run succeeds, as the queue does. */
async function finished(scene: TestScene, key: ObjectKey, options: RunOptions = {}): Promise<void> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const { error, isParked } = await scene.run(key, { ...options, attempt });
    if (error === undefined || isParked) return;
  }
}

async function changedEnd(scene: TestScene, { state }: Base): Promise<string[]> {
  return stateDifferences(state, endStateOf(await scene.objects()));
}
