import { describe, expect, it } from 'vitest';
import type { Continuity } from '../../src/informer/watch/continuity-ledger.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { type ConnectedTarget, outagesOf, scopeOf } from '../../src/stream/outage.ts';

const NOW = 100_000;
const type = { gvr: { group: '', version: 'v1', resource: 'pods' } } as ResourceType;
const error = new Error('refused');

const lost = { state: 'disconnected', since: 90_000, why: 'connection', error, from: '10' };
const open = { state: 'connected', since: 90_000 };
const source = (connection: object, more: object = {}) =>
  ({ stretches: [], gaps: [], connection, ...more }) as unknown as Continuity;
const target = (continuity: readonly Continuity[], more: Partial<ConnectedTarget> = {}): ConnectedTarget => ({
  type,
  informer: { continuity },
  ...more,
});

describe('outagesOf', () => {
  it('has the sources that lost their connection, with the time since then', () => {
    const pods = target([source(open), source(lost)], { namespaces: ['shop', 'db'] });
    expect(outagesOf([pods], NOW)).toEqual([
      { target: pods, scope: 'db', since: 90_000, ms: 10_000, from: '10', why: 'connection', error, isGap: false },
    ]);
  });

  it('has no source that was never connected, and none that the stream does not read', () => {
    expect(outagesOf([target([source({ state: 'connecting', since: 0 })])], NOW)).toEqual([]);
    expect(outagesOf([target([source(lost), source(lost)], { isLeftOut: (i) => i === 0 })], NOW)).toHaveLength(1);
  });

  it('starts at a relist that succeeded meanwhile', () => {
    const relisted = { by: 'relist', at: 95_000, from: '10', to: '20' };
    expect(outagesOf([target([source(lost, { stretches: [relisted] })])], NOW)).toMatchObject([
      { since: 95_000, ms: 5000, from: '20' },
    ]);
    const atOnce = { ...relisted, at: 90_000 };
    expect(outagesOf([target([source(lost, { stretches: [atOnce] })])], NOW)).toMatchObject([
      { since: 90_000, from: '20' },
    ]);
    const before = { ...relisted, at: 80_000 };
    expect(outagesOf([target([source(lost, { stretches: [before] })])], NOW)).toMatchObject([
      { since: 90_000, from: '10' },
    ]);
  });

  it('gives the watch after a relist two seconds to open', () => {
    const at = (time: number) =>
      target([source(lost, { stretches: [{ by: 'relist', at: time, from: '10', to: '20' }] })]);
    expect(outagesOf([at(NOW - 1999)], NOW)).toEqual([]);
    expect(outagesOf([at(NOW - 2000)], NOW)).toHaveLength(1);
  });

  it('says whether a gap is open', () => {
    const isGapWith = (gaps: readonly object[]) => outagesOf([target([source(lost, { gaps })])], NOW)[0]?.isGap;
    expect([
      isGapWith([]),
      isGapWith([{ from: '1', to: '5' }]),
      isGapWith([{ from: '1', to: '5' }, { from: '8' }]),
    ]).toEqual([false, false, true]);
  });

  it('is never negative when the clock was set back', () => {
    expect(outagesOf([target([source(lost)])], 80_000)[0]?.ms).toBe(0);
  });
});

describe('scopeOf', () => {
  const of = (sources: number, namespaces?: readonly string[]) => {
    const all = target(
      Array.from({ length: sources }, () => source(open)),
      { namespaces },
    );
    return Array.from({ length: sources }, (_, i) => scopeOf(all, i));
  };

  it('is the namespace of a source; each namespace has the same number of sources', () => {
    expect(of(2, ['shop', 'db'])).toEqual(['shop', 'db']);
    expect(of(4, ['shop', 'db'])).toEqual(['shop', 'shop', 'db', 'db']);
  });

  it('is undefined for all namespaces', () => {
    expect(of(1)).toEqual([undefined]);
    expect(of(2, [''])).toEqual([undefined, undefined]);
  });
});
