import { describe, expect, test } from 'vitest';
import { Enveloper } from '../../src/stream/envelope.ts';
import {
  clusterMarker,
  continuityMarker,
  endMarker,
  forbiddenMarker,
  lossMarker,
  lossText,
  type Marker,
  outageMarker,
  syncedMarker,
} from '../../src/stream/markers.ts';
import type { Outage } from '../../src/stream/outage.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { StreamSummary } from '../../src/stream/summary.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { faults, type Schema, envelopeSchema as schema } from '../support/schema.ts';

const DEPLOYMENTS = { gvr: { group: 'apps', version: 'v1', resource: 'deployments' } };
const enveloper = () => new Enveloper({ clock: new FakeClock(), redactor: new Redactor() });

describe('the published schema of markers', () => {
  const stamper = enveloper();
  const at = { at: 0, why: 'gone' as const, from: '10' };
  const counts = new StreamSummary().counts({ relists: 0, gaps: 0, resumed: 0 });
  const target = { type: DEPLOYMENTS };
  const back = { at: 0, why: 'connection' as const, since: '10', disconnectedAt: 5, reconnectedAt: 9, downMs: 4.2 };
  const several = { type: DEPLOYMENTS, namespaces: ['shop', 'db'] } as unknown as Outage['target'];
  const outage: Outage = {
    target: several,
    scope: 'db',
    since: 5,
    ms: 4.2,
    from: '10',
    why: 'connection',
    error: new Error(),
    isGap: false,
  };

  test.each<[string, Marker]>([
    ['synced', syncedMarker(stamper, target, 3, '10')],
    ['synced', syncedMarker(stamper, target, 3)],
    ['gap', continuityMarker(stamper, target, { kind: 'gap', ...at, scope: 'shop' })],
    ['gap', lossMarker(stamper, { how: 'coalesced', events: 412, objects: 37 })],
    ['gap', lossMarker(stamper, { how: 'dropped', events: 12 })],
    [
      'relisted',
      continuityMarker(stamper, target, { kind: 'relisted', ...at, resourceVersion: '20', objects: 3, scope: 'shop' }),
    ],
    [
      'disconnected',
      continuityMarker(stamper, target, {
        kind: 'disconnected',
        ...at,
        error: new Error(),
        disconnectedAt: 5,
        scope: 'shop',
      }),
    ],
    ['resumed', continuityMarker(stamper, target, { kind: 'connected', by: 'resume', proven: true, ...back })],
    ['resumed', continuityMarker(stamper, target, { kind: 'connected', by: 'relist', proven: false, ...back })],
    ['gap', outageMarker(stamper, outage)],
    ['end', endMarker(stamper, { reason: 'ended by SIGINT', exitCode: 0, summary: counts, outages: [] })],
    [
      'end',
      endMarker(stamper, {
        reason: 'ended by SIGINT',
        exitCode: 4,
        summary: counts,
        outages: [outage, { ...outage, scope: undefined }],
      }),
    ],
  ])('holds for %s, and names its properties', (name, marker) => {
    const part = schema.$defs?.[name] as Schema;
    expect([faults(schema, marker, schema), faults(part, marker, schema)]).toEqual([[], []]);
    const named = Object.keys(part.properties ?? {});
    expect(Object.keys(marker)).toEqual(named.filter((key) => key in marker));
    expect(named).toEqual(expect.arrayContaining(part.required as string[]));
  });

  test('holds for no marker without its fields', () => {
    const { objects: _, ...marker } = syncedMarker(stamper, target, 3);
    expect(faults(schema, marker, schema)).toEqual(['']);
  });

  test('names every count of a summary', () => {
    expect(Object.keys(schema.$defs?.end?.properties?.summary?.properties ?? {})).toEqual(Object.keys(counts));
  });
});

test('a marker has its fields in the order of its schema', () => {
  const marker = continuityMarker(
    enveloper(),
    { type: DEPLOYMENTS },
    { kind: 'relisted', at: 0, why: 'gone', from: '10', resourceVersion: '20', objects: 3 },
  );
  expect(JSON.stringify(marker)).toBe(
    '{"type":"RELISTED","gvr":"apps/v1/deployments","reason":"gone","from":"10","to":"20","objects":3,"seq":1,"time":"2026-01-01T00:00:00.000Z"}',
  );
});

test('a marker has the namespace only for a type that is watched in several', () => {
  const gap = { kind: 'gap', at: 0, why: 'gone', from: '10', scope: 'shop' } as const;
  const namespaceIn = (namespaces?: readonly string[]) =>
    continuityMarker(enveloper(), { type: DEPLOYMENTS, namespaces }, gap).namespace;
  expect([namespaceIn(), namespaceIn(['shop']), namespaceIn(['shop', 'db'])]).toEqual([undefined, undefined, 'shop']);
});

test('a marker has the cluster only where its type has one', () => {
  const clusterIn = (cluster?: string) => {
    const type = { ...DEPLOYMENTS, ...(cluster === undefined ? {} : { cluster }) };
    const marker = syncedMarker(enveloper(), { type }, 3);
    return ['cluster' in marker, (marker as { cluster?: string }).cluster];
  };
  expect([clusterIn(), clusterIn('prod')]).toEqual([
    [false, undefined],
    [true, 'prod'],
  ]);
});

test('the gap of a type that the user may not read has no version', () => {
  expect(forbiddenMarker(enveloper(), { type: DEPLOYMENTS, namespaces: ['shop', 'db'] }, 'db')).toEqual({
    type: 'GAP',
    gvr: 'apps/v1/deployments',
    namespace: 'db',
    reason: 'forbidden',
    seq: 1,
    time: '2026-01-01T00:00:00.000Z',
  });
});

test.each([
  [{ how: 'dropped', events: 1 }, 'dropped 1 event'],
  [{ how: 'dropped', events: 12 }, 'dropped 12 events'],
  [{ how: 'coalesced', events: 412, objects: 37 }, 'coalesced 412 updates of 37 objects'],
  [{ how: 'coalesced', events: 1, objects: 1 }, 'coalesced 1 update of 1 object'],
] as const)('the text of the loss %j', (loss, text) => {
  expect(lossText(loss)).toBe(text);
});

test.each<[readonly string[] | undefined, string | undefined, boolean]>([
  [undefined, 'db', false],
  [['db'], 'db', false],
  [['shop', 'db'], 'db', true],
  [['shop', 'db'], undefined, false],
])('a marker about a type in the namespaces %j, of the part %s, names the part: %s', (namespaces, scope, isNamed) => {
  const target = { type: DEPLOYMENTS, namespaces };
  const marker = forbiddenMarker(enveloper(), target as Parameters<typeof forbiddenMarker>[1], scope as string);
  expect([Object.hasOwn(marker, 'namespace'), (marker as { namespace?: string }).namespace]).toEqual([
    isNamed,
    isNamed ? scope : undefined,
  ]);
});

test('the gap of a cluster has its name and the reason, and no type', () => {
  expect(clusterMarker(enveloper(), 'east', 'unreachable')).toEqual({
    type: 'GAP',
    cluster: 'east',
    reason: 'unreachable',
    seq: 1,
    time: '2026-01-01T00:00:00.000Z',
  });
});

test('a watch that resumed says whether nothing was missed, and one that a list brought back does not', () => {
  const back = {
    kind: 'connected',
    at: 0,
    why: 'connection',
    since: '10',
    disconnectedAt: 5,
    reconnectedAt: 9,
    downMs: 4.2,
  };
  const target = { type: DEPLOYMENTS };
  const resumed = continuityMarker(enveloper(), target, { ...back, by: 'resume', proven: true } as never);
  const relisted = continuityMarker(enveloper(), target, { ...back, by: 'relist' } as never);
  expect(resumed).toMatchObject({ type: 'RESUMED', by: 'resume', proven: true, downMs: 4 });
  expect(relisted).toMatchObject({ type: 'RESUMED', by: 'relist', from: '10' });
  expect(relisted).not.toHaveProperty('proven');
});

test('the end of a stream has the sources without a connection if there are any', () => {
  const end = (outages: readonly Outage[]) => {
    const summary = new StreamSummary().counts({ relists: 0, gaps: 0, resumed: 0 });
    return endMarker(enveloper(), { reason: 'timeout', exitCode: 1, summary, outages });
  };
  const target = { type: DEPLOYMENTS } as unknown as Outage['target'];
  const outage = { target, scope: undefined, since: 5, ms: 4.2, from: '10', why: 'connection', isGap: false } as Outage;
  expect(end([])).not.toHaveProperty('disconnected');
  for (const count of [1, 2]) {
    const one = {
      gvr: 'apps/v1/deployments',
      reason: 'connection',
      from: '10',
      since: '1970-01-01T00:00:00.005Z',
      ms: 4,
    };
    expect(end(Array(count).fill(outage)).disconnected).toEqual(Array(count).fill(one));
  }
});
