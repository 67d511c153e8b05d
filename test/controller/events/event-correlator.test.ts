import { beforeEach, describe, expect, it } from 'vitest';
import { EventCorrelator } from '../../../src/controller/events/event-correlator.ts';
import { type KubeEvent, referenceTo } from '../../../src/controller/events/kube-event.ts';
import { wireTime } from '../../../src/model/instant.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

let clock: FakeClock;
let correlator: EventCorrelator;
let made: number;

beforeEach(() => {
  clock = new FakeClock();
  correlator = new EventCorrelator(clock);
  made = 0;
});

function event(message: string, { fieldPath, ...more }: Partial<KubeEvent> & { fieldPath?: string } = {}): KubeEvent {
  const at = wireTime(clock.now());
  const web = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', uid: 'u1' } };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `web.${made++}`, namespace: 'shop', annotations: { a: 'b' } },
    involvedObject: referenceTo(web, fieldPath),
    type: 'Normal',
    reason: 'Tested',
    message,
    source: { component: 'tester' },
    reportingComponent: 'tester',
    reportingInstance: '',
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    ...more,
  };
}

/** What is written of an Event: its name, count and message, and whether it is a patch. */
function written(given: KubeEvent) {
  const { event, patch } = correlator.correlate(given) ?? {};
  return event && [event.metadata.name, event.count, event.message, patch ? 'patch' : 'new'];
}

it('of many objects, about the last 4096 are remembered, and at most twice as many', () => {
  const about = (i: number) => {
    const metadata = { name: `web-${i}`, namespace: 'shop', uid: `u${i}` };
    return event('m', { involvedObject: referenceTo({ apiVersion: 'v1', kind: 'Pod', metadata }) });
  };
  for (let i = 0; i < 12_300; i++) written(about(i));
  expect(written(about(12_300 - 4096))?.at(-1)).toBe('patch');
  expect(written(about(0))?.at(-1)).toBe('new');
});

describe('equal Events', () => {
  it('are counted on the first one, also eleven at 30 s from each other: they are not combined [EVT-01]', () => {
    expect(written(event('m'))).toEqual(['web.0', 1, 'm', 'new']);
    for (let count = 2; count <= 11; count++) {
      clock.tick(30_000);
      const correlated = correlator.correlate(event('m'));
      expect(correlated?.event).toMatchObject({
        metadata: { name: 'web.0' },
        count,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: wireTime(clock.now()),
      });
      expect(correlated?.patch).toEqual({ count, lastTimestamp: wireTime(clock.now()), message: 'm' });
    }
  });

  it.each<[string, Partial<KubeEvent> & { fieldPath?: string }]>([
    ['field', { fieldPath: 'spec.containers{web}' }],
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Warning' }],
    ['component', { source: { component: 'other' } }],
    ['host', { source: { component: 'tester', host: 'n1' } }],
    ['object', { involvedObject: referenceTo({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'db' } }) }],
  ])('of another %s are new', (_, other) => {
    written(event('m'));
    expect(written(event('m', other))).toEqual(['web.1', 1, 'm', 'new']);
  });
});

describe('Events with different messages', () => {
  const messages = (count: number, pauseMs = 1_000) => {
    for (let i = 0; i < count; i++) {
      expect(written(event(`m${i}`))?.slice(1)).toEqual([1, `m${i}`, 'new']);
      clock.tick(pauseMs);
    }
  };

  it('are combined from the tenth on, under a new name, and counted [EVT-02]', () => {
    messages(9);
    expect(written(event('tenth'))).toEqual(['web.9', 1, '(combined from similar events): tenth', 'new']);
    expect(written(event('eleventh'))).toEqual(['web.9', 2, '(combined from similar events): eleventh', 'patch']);
    expect(correlator.correlate(event('m0'))?.event.metadata).toEqual({ name: 'web.9', namespace: 'shop' });
  });

  it('are not combined because of another field alone [EVT-02]', () => {
    written(event('m', { fieldPath: 'spec.containers{a}' }));
    expect(written(event('m', { fieldPath: 'spec.containers{b}' }))).toEqual(['web.1', 1, 'm', 'new']);
  });

  it('are counted from the start after a pause of more than ten minutes', () => {
    messages(9);
    clock.tick(600_000 - 1_000);
    expect(written(event('tenth'))?.[2]).toBe('(combined from similar events): tenth');
    clock.tick(600_001);
    expect(written(event('eleventh'))?.[2]).toBe('eleventh');
  });

  it.each<[string, Partial<KubeEvent>]>([
    ['reason', { reason: 'Other' }],
    ['type', { type: 'Warning' }],
    ['reporter', { reportingComponent: 'other' }],
  ])('are not combined with those of another %s', (_, other) => {
    messages(9);
    expect(written(event('tenth', other))?.slice(1)).toEqual([1, 'tenth', 'new']);
  });
});

describe('many Events about one object', () => {
  const accepted = (count: number, more: Partial<KubeEvent> = {}) =>
    Array.from({ length: count }, (_, i) => correlator.correlate(event(`m${i % 3}`, more))).filter(Boolean).length;

  it('are left out after 25; one more is written every five minutes', () => {
    expect(accepted(40)).toBe(25);
    clock.tick(299_000);
    expect(accepted(1)).toBe(0);
    clock.tick(2_000);
    expect(accepted(5)).toBe(1);
    clock.tick(25 * 300_000);
    expect(accepted(40)).toBe(25);
  });

  it('share one limit whatever their reason and type, and have one of their own for each object', () => {
    expect(accepted(25)).toBe(25);
    expect(accepted(5, { reason: 'Other' })).toBe(0);
    expect(accepted(5, { type: 'Warning' })).toBe(0);
    const other = referenceTo({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'db', namespace: 'shop', uid: 'u2' },
    });
    expect(accepted(30, { involvedObject: other })).toBe(25);
  });

  it('are counted also while they are left out', () => {
    for (let i = 0; i < 40; i++) correlator.correlate(event('m'));
    clock.tick(300_000);
    expect(correlator.correlate(event('m'))?.event.count).toBe(41);
  });
});
