import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ManagedFieldsEntry, UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ask, type Loose, startWatch, type WatchedEvent } from '../support/sandbox-requests.ts';

/** Random writes by several clients, and invariants that are true after every write. */

const HOLD = 'example.com/hold';
const TYPES = {
  configmaps: { base: '/api/v1', kind: 'ConfigMap', apiVersion: 'v1' },
  deployments: { base: '/apis/apps/v1', kind: 'Deployment', apiVersion: 'apps/v1' },
  pods: { base: '/api/v1', kind: 'Pod', apiVersion: 'v1' },
  things: { base: '/apis/example.com/v1', kind: 'Thing', apiVersion: 'example.com/v1' },
} as const;
type Resource = keyof typeof TYPES;

interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

const target: fc.Arbitrary<Target> = fc.record({
  resource: fc.constantFrom<Resource>('configmaps', 'configmaps', 'deployments', 'pods', 'things'),
  namespace: fc.constantFrom('default', 'default', 'doomed'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
});
const value = fc.constantFrom('1', '2', '3');
const key = fc.constantFrom('x', 'y', 'z');
const fields = fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 });
const owners = fc.array(
  fc.record({ owner: target, block: fc.boolean(), lost: fc.integer({ min: 0, max: 5 }).map((n) => n === 0) }),
  {
    maxLength: 2,
  },
);

const ITEM = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, value: { type: 'string' } },
};
const THINGS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  items: {
                    type: 'array',
                    items: ITEM,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create'), target, fields, owners, held: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('put'),
      target,
      fields,
      version: fc.constantFrom('fresh', 'stale', 'none'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('patch'),
      target,
      fields,
      gone: key,
      how: fc.constantFrom('merge', 'strategic', 'json'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('apply'),
      target,
      fields,
      manager: fc.constantFrom('one', 'two'),
      force: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('status'), target, fields }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scale'), target, replicas: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('delete'),
      target,
      policy: fc.constantFrom('Background', 'Foreground', 'Orphan', undefined),
      uid: fc.constantFrom('right', 'wrong', undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release'), target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('namespace'), gone: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(10, 60, 400) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => {
  dry = false;
  return sandbox.stop();
});

const listPath = (resource: Resource) => `${TYPES[resource].base}/${resource}`;
const pathOf = ({ resource, namespace, name }: Target) =>
  `${TYPES[resource].base}/namespaces/${namespace}/${resource}/${name}`;
const find = ({ resource, namespace, name }: Target) => sandbox.get(TYPES[resource], `${namespace}/${name}`);

/** An object of a type, with the fields that the test changes. */
function objectOf(
  { resource, namespace, name }: Target,
  values: Record<string, string>,
  metadata: object = {},
): Record<string, unknown> {
  const { kind, apiVersion } = TYPES[resource];
  const head = { apiVersion, kind, metadata: { name, namespace, labels: values, ...metadata } };
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  if (resource === 'configmaps') return { ...head, data: values };
  if (resource === 'pods') return { ...head, spec };
  const env = Object.entries(values).map(([n, v]) => ({ name: n, value: v }));
  if (resource === 'things') return { ...head, spec: { items: env } };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx', env }] } };
  return {
    ...head,
    spec: { replicas: Object.keys(values).length, selector: { matchLabels: { app: 'web' } }, template },
  };
}

/** The requests of clients, by the uid of the object. */
class Deeds {
  readonly deleted = new Set<string>();
  readonly released = new Set<string>();
}

const EXPECTED = new Set([200, 201, 403, 404, 409, 422]);
const STRATEGIC = 'application/strategic-merge-patch+json';

/** True while the requests of a step are dry runs. */
let dry = false;

async function send(method: string, path: string, body?: unknown, contentType?: string): Promise<Loose> {
  const tried = dry ? `${path}${path.includes('?') ? '&' : '?'}dryRun=All` : path;
  const answer = await ask(sandbox, method, tried, body, contentType ? { 'content-type': contentType } : {});
  if (contentType === STRATEGIC && path.includes('/things/') && answer.status !== 404) expect(answer.status).toBe(415);
  else expect(EXPECTED, `${method} ${path}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
  return answer.body;
}

/** A dry run changes nothing. */
async function rehearse(s: Step): Promise<void> {
  if (s.do === 'wait') return;
  const before = sandbox.resourceVersion;
  dry = true;
  await perform(s, new Deeds());
  dry = false;
  expect(sandbox.resourceVersion).toBe(before);
}

async function perform(s: Step, deeds: Deeds): Promise<void> {
  switch (s.do) {
    case 'create': {
      const {
        target: at,
        owners: wanted,
        held,
      } = s as { target: Target; owners: { owner: Target; block: boolean; lost: boolean }[]; held: boolean };
      const ownerReferences = wanted.map(({ owner, block, lost }) => {
        const { kind, apiVersion } = TYPES[owner.resource];
        const uid = lost ? 'nobody' : (find({ ...owner, namespace: at.namespace })?.metadata.uid ?? 'nobody-yet');
        return { kind, apiVersion, name: owner.name, uid, blockOwnerDeletion: block };
      });
      const unique = ownerReferences.filter((o, i) => ownerReferences.findIndex((p) => p.uid === o.uid) === i);
      const metadata = { ownerReferences: unique, ...(held ? { finalizers: [HOLD] } : {}) };
      await send('POST', pathOf(at).replace(/\/[^/]*$/, ''), objectOf(at, fieldsOf(s), metadata));
      return;
    }
    case 'put': {
      const { target: at, version } = s as { target: Target; version: string };
      const present = find(at);
      if (!present) return;
      const resourceVersion =
        version === 'fresh' ? present.metadata.resourceVersion : version === 'stale' ? '1' : undefined;
      const { labels: _labels, ...metadata } = present.metadata;
      const written = {
        ...present,
        ...objectOf(at, fieldsOf(s), { ...metadata, labels: fieldsOf(s), resourceVersion }),
      };
      const body =
        at.resource === 'pods'
          ? { ...present, metadata: { ...metadata, labels: fieldsOf(s), resourceVersion } }
          : written;
      const answer = await send('PUT', pathOf(at), body);
      if (version === 'stale') expect(answer.reason).toBe('Conflict');
      return;
    }
    case 'patch': {
      const { target: at, how, gone } = s as { target: Target; how: string; gone: string };
      const change = { metadata: { labels: { ...fieldsOf(s), [gone]: null } } };
      const operations = [{ op: 'add', path: '/metadata/labels', value: fieldsOf(s) }];
      await send('PATCH', pathOf(at), how === 'json' ? operations : change, PATCHES[how]);
      return;
    }
    case 'apply': {
      const { target: at, manager, force } = s as { target: Target; manager: string; force: boolean };
      const before = find(at);
      const path = `${pathOf(at)}?fieldManager=${manager}${force ? '&force=true' : ''}`;
      const answer = await send('PATCH', path, objectOf(at, fieldsOf(s)), 'application/apply-patch+yaml');
      if (answer.kind === 'Status') return;
      checkApplied(answer, fieldsOf(s), manager);
      if (before) checkOthers(before, answer, manager);
      if (dry) return;
      const again = await send('PATCH', path, objectOf(at, fieldsOf(s)), 'application/apply-patch+yaml');
      expect(again.metadata, 'applying the same again changes nothing').toEqual(answer.metadata);
      expect(before === undefined || before.metadata.uid === answer.metadata.uid).toBe(true);
      return;
    }
    case 'status':
      await send('PATCH', `${pathOf({ ...targetOf(s), resource: 'deployments' })}/status`, {
        status: { replicas: Object.keys(fieldsOf(s)).length },
      });
      return;
    case 'scale': {
      const path = `${pathOf({ ...targetOf(s), resource: 'deployments' })}/scale`;
      await send('PATCH', path, { spec: { replicas: (s as { replicas: number }).replicas } });
      return;
    }
    case 'delete': {
      const { target: at, policy, uid } = s as { target: Target; policy?: string; uid?: string };
      const present = find(at)?.metadata.uid ?? '';
      const preconditions = uid ? { preconditions: { uid: uid === 'right' ? present : 'another' } } : {};
      const answer = await send('DELETE', pathOf(at), {
        ...(policy ? { propagationPolicy: policy } : {}),
        ...preconditions,
      });
      if (present && uid === 'wrong') expect(answer.reason).toBe('Conflict');
      else if (present) deeds.deleted.add(present);
      return;
    }
    case 'release': {
      const present = find(targetOf(s));
      if (present?.metadata.finalizers?.includes(HOLD)) deeds.released.add(present.metadata.uid ?? '');
      const finalizers = (present?.metadata.finalizers ?? []).filter((f) => f !== HOLD);
      await send('PATCH', pathOf(targetOf(s)), { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } });
      return;
    }
    case 'namespace':
      if ((s as { gone: boolean }).gone) await send('DELETE', '/api/v1/namespaces/doomed');
      else await send('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } });
      return;
    default:
      await clock.advance((s as { ms: number }).ms);
  }
}

const PATCHES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: STRATEGIC,
  json: 'application/json-patch+json',
};

const fieldsOf = (s: Step) => (s as { fields: Record<string, string> }).fields;
const targetOf = (s: Step) => (s as { target: Target }).target;

/** Every applied leaf belongs to the manager that applied it. */
function checkApplied(object: Loose, values: Record<string, string>, manager: string): void {
  const mine = object.metadata.managedFields?.find((m) => m.manager === manager && m.operation === 'Apply')?.fieldsV1 as
    | { 'f:metadata'?: { 'f:labels'?: object } }
    | undefined;
  for (const name of Object.keys(values)) {
    expect(mine?.['f:metadata']?.['f:labels']).toHaveProperty([`f:${name}`]);
    expect(object.metadata.labels?.[name]).toBe(values[name]);
  }
}

/** A field of another manager stays; a changed field no longer belongs to another manager. */
function checkOthers(before: UnknownObject, after: Loose, manager: string): void {
  for (const [label, value] of Object.entries(before.metadata.labels ?? {})) {
    const now = after.metadata.labels?.[label];
    const others = (object: UnknownObject | Loose) =>
      ownersOf(object, label).filter((m) => m.manager !== manager || m.operation !== 'Apply');
    if (others(before as UnknownObject).length > 0) expect(now, `${manager} took label ${label} away`).toBeDefined();
    if (now !== value) expect(others(after), `label ${label} still belongs to another`).toEqual([]);
  }
}

function ownersOf({ metadata }: { readonly metadata: UnknownObject['metadata'] }, label: string): ManagedFieldsEntry[] {
  return (metadata.managedFields ?? []).filter((m) => (m.fieldsV1 as Tree)['f:metadata']?.['f:labels']?.[`f:${label}`]);
}

/** No entry names a field that does not exist, and every label has a manager. */
function checkManagedFields(object: UnknownObject): void {
  const entries = object.metadata.managedFields ?? [];
  for (const { manager, fieldsV1 } of entries) {
    for (const missing of missingFields(fieldsV1 as Tree, object, ''))
      expect.fail(`${manager} owns ${missing}, which is not there`);
  }
  for (const label of Object.keys(object.metadata.labels ?? {})) {
    expect(ownersOf(object, label), `no manager owns the label ${label} of ${object.metadata.name}`).not.toEqual([]);
  }
}

interface Tree {
  readonly [element: string]: Tree;
}

function missingFields(tree: Tree, at: unknown, path: string): string[] {
  return Object.entries(tree).flatMap(([element, below]) => {
    if (element === '.') return [];
    const [kind, rest] = [element.slice(0, 2), element.slice(2)];
    const part = kind === 'f:' ? (at as Record<string, unknown>)[rest] : itemOf(at, kind, JSON.parse(rest));
    return part === undefined ? [`${path}/${element}`] : missingFields(below, part, `${path}/${element}`);
  });
}

function itemOf(at: unknown, kind: string, wanted: unknown): unknown {
  const items = Array.isArray(at) ? (at as unknown[]) : [];
  if (kind === 'v:') return items.find((item) => JSON.stringify(item) === JSON.stringify(wanted));
  return items.find((item) =>
    Object.entries(wanted as object).every(([k, v]) => (item as Record<string, unknown>)[k] === v),
  );
}

const versionOf = ({ object }: WatchedEvent) => Number(object.metadata.resourceVersion);

/** The state of a type as its watch shows it. */
function replay(state: Map<string, Loose>, events: readonly WatchedEvent[]): Map<string, Loose> {
  for (const { type, object } of events) {
    const id = `${object.metadata.namespace}/${object.metadata.name}`;
    if (type === 'DELETED') state.delete(id);
    else state.set(id, object);
  }
  return state;
}

/** Objects by name, without kind and apiVersion, which the items of a list do not have. */
function byId(objects: readonly Loose[]): Map<string, Loose> {
  return new Map(
    objects.map((o) => [`${o.metadata.namespace}/${o.metadata.name}`, { ...o, kind: '', apiVersion: '' }]),
  );
}

function sorted(state: Map<string, Loose>): unknown[] {
  return [...byId([...state.values()])].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The generation counts changes of the spec, of a deployment's annotations, and the mark of a deletion, and nothing
 * else.
 */
function checkGenerations(events: readonly WatchedEvent[]): void {
  const last = new Map<string, Loose>();
  for (const { type, object } of events) {
    const uid = object.metadata.uid ?? '';
    const before = last.get(uid);
    last.set(uid, object);
    if (object.kind === 'ConfigMap') expect(object.metadata.generation).toBeUndefined();
    else if (!before) expect(object.metadata.generation).toBe(1);
    else if (type === 'MODIFIED') {
      const changed = !isDeepStrictEqual(before.spec, object.spec);
      const announced = !before.metadata.deletionTimestamp && object.metadata.deletionTimestamp;
      const steps = (object.metadata.generation ?? 0) - (before.metadata.generation ?? 0);
      expect(steps, `generation of ${object.kind} ${object.metadata.name}`).toBe(
        (changed ? 1 : 0) + (announced ? 1 : 0),
      );
    }
  }
}

/** No object is deleted without a request while an owner exists, and none while it has a finalizer. */
function checkDeletions(all: readonly WatchedEvent[], deeds: Deeds): void {
  const alive = new Map<string, Loose>();
  for (const { type, object } of [...all].sort((a, b) => versionOf(a) - versionOf(b))) {
    const { uid = '', name, namespace, ownerReferences = [], finalizers = [] } = object.metadata;
    if (type !== 'DELETED') {
      alive.set(uid, object);
      continue;
    }
    alive.delete(uid);
    if (finalizers.includes(HOLD))
      expect(deeds.released, `${name} was deleted though it had a finalizer`).toContain(uid);
    if (deeds.deleted.has(uid) || namespace === 'doomed') continue;
    expect(ownerReferences.length, `${object.kind} ${name} was deleted without a request or an owner`).toBeGreaterThan(
      0,
    );
    const living = ownerReferences.filter(
      (o) => alive.has(o.uid) && !alive.get(o.uid)?.metadata.finalizers?.includes('foregroundDeletion'),
    );
    expect(living, `${object.kind} ${name} went though an owner lives`).toEqual([]);
  }
}

/** When all is settled every named owner exists, unless only a finalizer delays the deletion of its dependent. */
function checkOwners(states: readonly Loose[]): void {
  const uids = new Set(states.map((o) => o.metadata.uid));
  for (const { kind, metadata } of states) {
    if (metadata.deletionTimestamp) continue;
    const owners = metadata.ownerReferences ?? [];
    const lost = owners.filter((o) => !uids.has(o.uid));
    expect(lost, `${kind} ${metadata.name} names owners that are gone`).toEqual([]);
  }
}

async function run(steps: readonly Step[]): Promise<void> {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  sandbox.apply(THINGS);
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } });
  const from = sandbox.resourceVersion;
  const deeds = new Deeds();
  let halfway = from;
  for (const [i, s] of steps.entries()) {
    const before = Number(sandbox.resourceVersion);
    if (i % 3 === 0) await rehearse(s);
    await perform(s, deeds);
    expect(Number(sandbox.resourceVersion)).toBeGreaterThanOrEqual(before);
    if (i === steps.length >> 1) halfway = sandbox.resourceVersion;
  }
  await clock.advance(20_000);
  const all: WatchedEvent[] = [];
  const states: Loose[] = [];
  for (const resource of Object.keys(TYPES) as Resource[]) {
    const path = listPath(resource);
    await using watching = await startWatch(sandbox, `${path}?watch=1&resourceVersion=${from}`);
    await using late = await startWatch(sandbox, `${path}?watch=1&resourceVersion=${halfway}`);
    await clock.advance(0);
    const { events } = watching;
    const versions = events.map(versionOf);
    expect(versions, 'versions only grow').toEqual([...new Set(versions)].sort((a, b) => a - b));
    const listed = (await ask(sandbox, 'GET', path)).body.items;
    const now = sorted(byId(listed));
    expect(sorted(replay(new Map(), events)), 'a watch from the beginning leads to what a list shows').toEqual(now);
    const then = await ask(sandbox, 'GET', `${path}?resourceVersion=${halfway}&resourceVersionMatch=Exact`);
    expect(sorted(replay(byId(then.body.items), late.events)), 'so does one from halfway').toEqual(now);
    checkGenerations(events);
    all.push(...events);
    states.push(...listed.map((o) => ({ ...o, kind: TYPES[resource].kind })));
  }
  checkDeletions(all, deeds);
  checkOwners(states);
  const namespaces = (await ask(sandbox, 'GET', '/api/v1/namespaces')).body.items.map((n) => n.metadata.name);
  for (const { kind, metadata, spec } of states) {
    expect(namespaces, `${kind} ${metadata.name} is in no namespace`).toContain(metadata.namespace);
    if (kind === 'Thing') expect(spec.size, 'a default').toBe(1);
  }
  for (const { type, object } of all) if (type !== 'DELETED') checkManagedFields(object as unknown as UnknownObject);
  await sandbox.stop();
}

it('keeps the invariants of the API whatever clients write', { timeout: 60_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), run), { seed: 7, numRuns: 500 });
});
