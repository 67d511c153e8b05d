import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Enveloper, type EventEnvelope, type ObjectChange } from '../../src/stream/envelope.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { faults, type Schema, envelopeSchema as schema } from '../support/schema.ts';

const clock = new FakeClock();
const redactor = new Redactor();

const typeOf = (group: string, version: string, resource: string, kind: string): ResourceType => ({
  gvr: { group, version, resource },
  kind,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
  preferred: true,
});

const DEPLOYMENTS = typeOf('apps', 'v1', 'deployments', 'Deployment');
const SECRETS = typeOf('', 'v1', 'secrets', 'Secret');

const web = (replicas: number, more: object = {}): UnknownObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', managedFields: [{ manager: 'kubectl' }] },
  spec: { replicas },
  ...more,
});

const bare = (object: UnknownObject) => ({ ...object, metadata: { name: 'web', namespace: 'shop', uid: 'u1' } });

const enveloper = (options: object = {}) => new Enveloper({ clock, redactor, ...options });
const envelop = (change: ObjectChange, options: object = {}, type = DEPLOYMENTS) =>
  enveloper(options).envelop(change, type);

const updated: ObjectChange = { type: 'updated', oldObject: web(1), object: web(2), cause: 'watch' };

describe('an envelope', () => {
  test('has the keys of version 1 in their order', () => {
    expect(JSON.stringify(envelop(updated)[0])).toBe(
      '{"type":"MODIFIED",' +
        '"object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u1"},"spec":{"replicas":2}},' +
        '"key":"shop/web","gvr":"apps/v1/deployments","cause":"watch","changed":[".spec.replicas"],"seq":1,"time":"2026-01-01T00:00:00.000Z"}',
    );
  });

  test('has the changed fields with values and writers, and no other managedFields', () => {
    const owner = (manager: string, second: number) => ({
      metadata: {
        name: 'web',
        namespace: 'shop',
        managedFields: [
          { manager, time: `2026-01-01T00:00:0${second}Z`, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        ],
      },
    });
    const change: ObjectChange = {
      ...updated,
      oldObject: web(1, { ...owner('a', 1), kept: 1, gone: 2 }),
      object: web(2, { ...owner('b', 2), kept: 1, came: [1] }),
    };
    const [modified] = envelop(change, { withChanges: true });
    expect(modified?.changes).toEqual([
      { path: '.spec.replicas', from: 1, to: 2, by: 'b' },
      { path: '.came', to: [1] },
      { path: '.gone', from: 2, by: 'b' },
    ]);
    expect(modified?.changes?.map(({ path }) => path)).toEqual(modified?.changed);
    expect(JSON.stringify(modified)).not.toContain('managedFields');
    expect(faults(schema, JSON.parse(JSON.stringify(modified)), schema)).toEqual([]);
    expect(envelop({ type: 'added', object: web(1), cause: 'watch' }, { withChanges: true })[0]?.changes).toEqual([]);
    expect(modified && 'changes' in (envelop(change)[0] ?? {})).toBe(false);
  });

  test('has no changes where a state before or after is nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(1001)}${']'.repeat(1001)}`) as unknown;
    for (const [oldObject, object] of [
      [web(1), web(2, { deep })],
      [web(1, { deep }), web(2)],
    ] as const)
      expect(envelop({ ...updated, oldObject, object }, { withChanges: true })[0]?.changes).toEqual([]);
  });

  test('of an object that began to match is ADDED without changes, and has the state before', () => {
    const [added] = envelop({ ...updated, type: 'added', cause: 'filter' }, { withChanges: true, withOld: true });
    expect(added).toMatchObject({ type: 'ADDED', cause: 'filter', changed: [], oldObject: bare(web(1)) });
    expect(added?.changes).toEqual([]);
  });

  test('shows values of Secrets in changes as marks', () => {
    const secret = (value: string): UnknownObject => ({
      metadata: { name: 's', namespace: 'shop' },
      data: { password: value },
    });
    const [event] = envelop(
      { type: 'updated', oldObject: secret('b2xk'), object: secret('bmV3'), cause: 'watch' },
      { withChanges: true },
      SECRETS,
    );
    expect(event?.changes).toEqual([
      { path: '.data.password', from: expect.stringMatching(/^hmac:/), to: expect.stringMatching(/^hmac:/) },
    ]);
    expect(event?.changes?.[0]?.from).not.toBe(event?.changes?.[0]?.to);
  });

  test('carries the old object and the unknown final state behind the others', () => {
    const [modified] = envelop(updated, { withOld: true });
    expect(Object.keys(modified as object).at(-1)).toBe('oldObject');
    expect(modified?.oldObject).toEqual(bare(web(1)));
    const [deleted] = envelop({ type: 'deleted', object: web(1), cause: 'relist', finalStateUnknown: true });
    expect(deleted).toEqual({
      type: 'DELETED',
      object: bare(web(1)),
      key: 'shop/web',
      gvr: 'apps/v1/deployments',
      cause: 'relist',
      changed: [],
      seq: 1,
      time: '2026-01-01T00:00:00.000Z',
      finalStateUnknown: true,
    });
  });

  test('keeps managedFields when asked to', () => {
    expect(envelop(updated, { showManagedFields: true })[0]?.object).toEqual(web(2));
  });

  test('leaves the objects it is made of alone', () => {
    const object = web(2);
    envelop({ type: 'added', object, cause: 'initial' });
    expect(object).toEqual(web(2));
  });

  test('gives objects out of lists their apiVersion and kind, in front', () => {
    const { apiVersion: _, kind: __, ...item } = web(1);
    const [added] = envelop({ type: 'added', object: item as UnknownObject, cause: 'initial' });
    expect(Object.keys(added?.object as object)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(added?.object).toEqual(bare(web(1)));
  });

  test('shows a Secret redacted, also as the old object', () => {
    const secret = (text: string): UnknownObject => ({
      metadata: { name: 's' },
      data: { password: Buffer.from(text).toString('base64') },
    });
    const change: ObjectChange = {
      type: 'updated',
      oldObject: secret('marker-1'),
      object: secret('marker-2'),
      cause: 'watch',
    };
    const [shown] = envelop(change, { withOld: true }, SECRETS);
    const text = JSON.stringify(shown);
    expect(text).not.toContain(Buffer.from('marker-1').toString('base64'));
    expect(text).not.toContain(Buffer.from('marker-2').toString('base64'));
    expect(shown?.changed).toEqual(['.data.password']);
  });

  test('of a resync is MODIFIED with nothing changed', () => {
    const object = web(1);
    expect(envelop({ type: 'updated', oldObject: object, object, cause: 'resync' })[0]).toMatchObject({
      type: 'MODIFIED',
      cause: 'resync',
      changed: [],
    });
  });
});

test('an object found again under its name with another uid is shown DELETED, then ADDED', () => {
  const events = envelop({ type: 'updated', oldObject: web(1), object: web(2), cause: 'relist', uidChanged: true });
  expect(
    events.map(({ type, cause, finalStateUnknown, seq, changed }) => ({
      type,
      cause,
      finalStateUnknown,
      seq,
      changed,
    })),
  ).toEqual([
    { type: 'DELETED', cause: 'relist', finalStateUnknown: true, seq: 1, changed: [] },
    { type: 'ADDED', cause: 'relist', finalStateUnknown: undefined, seq: 2, changed: [] },
  ]);
  expect(events.map((event) => (event.object as unknown as { spec: unknown }).spec)).toEqual([
    { replicas: 1 },
    { replicas: 2 },
  ]);
});

test('seq counts over the types of a stream without gaps', () => {
  const one = enveloper();
  const seen = [
    ...one.envelop({ type: 'added', object: web(1), cause: 'initial' }, DEPLOYMENTS),
    ...one.envelop({ type: 'added', object: { metadata: { name: 's' } }, cause: 'initial' }, SECRETS),
    ...one.envelop({ ...updated, uidChanged: true }, DEPLOYMENTS),
  ];
  expect(seen.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
});

test('a record that is no event is numbered with the events', () => {
  const one = enveloper();
  const [first] = one.envelop(updated, DEPLOYMENTS);
  const stamp = one.stamp();
  const [last] = one.envelop(updated, DEPLOYMENTS);
  expect([first?.seq, stamp, last?.seq]).toEqual([1, { seq: 2, time: '2026-01-01T00:00:00.000Z' }, 3]);
});

test('the time is that of receipt, if that is given', () => {
  expect(enveloper().envelop(updated, DEPLOYMENTS, 0)[0]?.time).toBe('1970-01-01T00:00:00.000Z');
});

describe('the published schema', () => {
  const line = (envelope: EventEnvelope | undefined) => JSON.parse(JSON.stringify(envelope));

  const samples: [string, ObjectChange, ResourceType][] = [
    ['added', { type: 'added', object: web(1), cause: 'initial' }, DEPLOYMENTS],
    ['modified', updated, DEPLOYMENTS],
    ['deleted unseen', { type: 'deleted', object: web(1), cause: 'relist', finalStateUnknown: true }, DEPLOYMENTS],
    [
      'cluster-scoped',
      { type: 'added', object: { metadata: { name: 'n1' } }, cause: 'filter' },
      typeOf('', 'v1', 'nodes', 'Node'),
    ],
  ];

  test.each(samples)('holds for an envelope: %s', (_, change, type) => {
    expect(faults(schema, line(envelop(change, { withOld: true }, type)[0]), schema)).toEqual([]);
  });

  test.each([
    ['another type', { type: 'BOOKMARK' }, ['type']],
    ['a key of three parts', { key: 'a/b/c' }, ['key']],
    ['a resource without version', { gvr: 'pods' }, ['gvr']],
    ['an unknown cause', { cause: 'magic' }, ['cause']],
    ['a path that begins with a name', { changed: ['spec'] }, ['changed.0']],
    ['a seq of 0', { seq: 0 }, ['seq']],
    ['a time without ms', { time: '2026-01-01T00:00:00Z' }, ['time']],
    ['an object without metadata', { object: { apiVersion: 'v1', kind: 'Pod' } }, ['object.metadata']],
    ['finalStateUnknown: false', { finalStateUnknown: false }, ['finalStateUnknown']],
    ['a missing seq', { seq: undefined }, ['seq']],
  ])('refuses %s', (_, change, where) => {
    const event = schema.$defs?.event as Schema;
    expect(faults(event, line({ ...envelop(updated)[0], ...change } as EventEnvelope), schema)).toEqual(where);
    expect(faults(schema, line({ ...envelop(updated)[0], ...change } as EventEnvelope), schema)).toEqual(['']);
  });

  test('has an error if the object is nested too deep to print, and only then', () => {
    const deep = JSON.parse(`${'['.repeat(1001)}${']'.repeat(1001)}`) as unknown;
    const [flat] = envelop({ type: 'added', object: web(1, { spec: deep }), cause: 'watch' });
    expect(flat?.error).toBe('this object cannot be printed: it is nested deeper than 1,000 levels');
    expect(flat?.object).toEqual({ ...bare(web(1)), spec: undefined, error: flat?.error });
    expect(faults(schema, line(flat as EventEnvelope), schema)).toEqual([]);
    const within = JSON.parse(`${'['.repeat(999)}${']'.repeat(999)}`) as unknown;
    const [whole] = envelop({ type: 'added', object: web(1, { spec: within }), cause: 'watch' });
    expect([whole?.error, whole?.object.spec]).toEqual([undefined, within]);
  });

  test('names every property that an envelope can have', () => {
    const [all] = envelop({ ...updated, finalStateUnknown: true }, { withOld: true, withChanges: true });
    const names = Object.keys(all as object).flatMap((name) => (name === 'gvr' ? ['gvr', 'cluster'] : [name]));
    expect(Object.keys(schema.$defs?.event?.properties ?? {})).toEqual([...names, 'error']);
  });
});
