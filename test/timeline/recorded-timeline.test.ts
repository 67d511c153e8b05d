import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { NIGHT, nightAt, nightOf } from '../support/night.ts';
import { useFolder } from '../support/recording.ts';

const folder = useFolder();

describe('a timeline out of a recording', () => {
  it('has a lane for each object of a type, and the times that were not seen, with their reason', () => {
    const timeline = nightOf('configmaps', { namespace: 'shop' });
    expect(timeline?.lanes.map(({ name }) => name)).toEqual(['feature-flags', 'kube-root-ca.crt', 'web-config']);
    const [flags] = timeline?.lanes ?? [];
    expect(flags?.changes.map(({ at, kind, by, fields }) => [at, kind, by, fields])).toEqual([
      [nightAt('02:13:10'), 'changed', 'kubectl-edit', [{ path: '.data.rate-limit', from: '"100"', to: '"500"', by: 'kubectl-edit' }]], // biome-ignore format: one line
    ]);
    const unseen = { from: nightAt('02:06:00'), to: nightAt('02:08:00'), reason: 'stopped' };
    expect(flags?.gaps).toEqual([unseen]);
    expect(timeline).toMatchObject({
      title: 'configmaps in shop',
      from: nightAt('02:05:00'),
      gaps: [{ ...unseen, types: ['configmaps'] }],
    });
  });

  it('of one object has the objects that it owns below it, and the gaps of all their types as one', () => {
    const timeline = nightOf('deployments', { name: 'checkout' });
    expect(timeline?.title).toBe('deployment/checkout in shop');
    const lanes = timeline?.lanes.map((lane) => `${'  '.repeat(lane.depth)}${lane.name.replace(/-.*/, '')}`);
    expect(lanes).toEqual([
      ...['deployment/checkout', '  replicaset/checkout', '    pod/checkout', '    pod/checkout'],
      ...['  replicaset/checkout', '    pod/checkout', '    pod/checkout'],
    ]);
    expect(timeline?.lanes[0]?.series.map((each) => each.name)).toEqual(['replicas', 'ready']);
    expect(timeline?.gaps).toMatchObject([
      { types: ['deployments.apps', 'replicasets.apps', 'pods'], text: 'the next list showed 6 changed' },
    ]);
  });

  it('begins where it is asked with the state of that moment, and ends where it is asked', () => {
    const range = { since: nightAt('02:12:00'), until: nightAt('02:14:00') };
    const timeline = nightOf('deployments', { name: 'web', ...range });
    expect(timeline).toMatchObject({ from: range.since, to: range.until, gaps: [] });
    expect(timeline?.lanes[0]).toMatchObject({
      spans: [{ state: 'ready', from: range.since, to: range.until }],
      changes: [],
    });
    expect(timeline?.lanes[0]?.series[0]?.points).toEqual([[range.since, 9]]);
  });

  it('begins with the recording, and says of a type that was recorded later that it was not yet', () => {
    const file = folder.file('later.rec');
    copyFileSync(NIGHT, file);
    using database = new DatabaseSync(file);
    database.exec('DELETE FROM stretch WHERE source = 3 AND run = 1; DELETE FROM gap WHERE source = 3');
    const timeline = nightOf('deployments', { name: 'checkout', since: nightAt('02:00:00') }, file);
    expect(timeline?.from).toBe(nightAt('02:05:00'));
    const pod = timeline?.lanes.find(({ name }) => name.startsWith('pod/'));
    const missing = { from: nightAt('02:05:00'), to: nightAt('02:08:00'), reason: 'not recorded yet' };
    expect(pod?.gaps).toEqual([missing]);
    expect(timeline?.gaps).toContainEqual({ ...missing, types: ['pods'], text: '' });
  });

  it('begins when all types are listed where a recorder lists them one after the other', () => {
    const file = folder.file('starting.rec');
    copyFileSync(NIGHT, file);
    using database = new DatabaseSync(file);
    database.exec('UPDATE stretch SET since = since + 40 WHERE run = 1 AND source IN (2, 3)');
    const timeline = nightOf('deployments', { name: 'checkout' }, file);
    expect(timeline?.from).toBe(nightAt('02:05:00') + 40);
    expect(timeline?.gaps.map(({ reason }) => reason)).toEqual(['stopped']);
    expect(nightOf('deployments', {}, file)?.from).toBe(nightAt('02:05:00'));
  });

  it('leaves out objects that changed least, and old changes, and says how many', () => {
    const timeline = nightOf('configmaps', { mostLanes: 1 });
    expect(timeline?.lanes.map(({ name }) => name)).toEqual(['feature-flags']);
    expect(timeline?.leftOut.lanes).toBe(2);
    const few = nightOf('deployments', { name: 'checkout', mostChanges: 12 });
    const kept = few?.lanes.flatMap(({ changes }) => changes) ?? [];
    expect(kept).toHaveLength(12);
    expect(few?.leftOut.changes).toBeGreaterThan(10);
    expect(kept.filter(({ kind }) => kind === 'status')).toEqual([]); // those of the status leave first
  });

  it('is not there for objects that are not', () => {
    expect(nightOf('configmaps', { name: 'nothing' })).toBeUndefined();
    expect(nightOf('configmaps', { namespace: 'nowhere' })).toBeUndefined();
  });
});
