import path from 'node:path';
import { expect, it } from 'vitest';
import { EXPORTED, type ExportRange, exportedRows } from '../../src/record/exported-rows.ts';
import { Recording } from '../../src/record/recording.ts';

const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');

type Row = Partial<Record<(typeof EXPORTED)[number], unknown>>;

function rowsOf(range: Partial<ExportRange> = {}): Row[] {
  using recording = Recording.open(NIGHT);
  const all = { types: [], from: 0, to: Number.MAX_SAFE_INTEGER, columns: EXPORTED };
  return [...exportedRows(recording, { ...all, ...range })].map((values) =>
    Object.fromEntries(values.map((value, i) => [EXPORTED[i], value])),
  );
}

it('every recorded change is a row with its object, and every gap is one in its place', () => {
  using recording = Recording.open(NIGHT);
  const ids = recording.sources.map(({ id }) => id);
  const rows = rowsOf();
  const gaps = rows.filter(({ type }) => type === 'GAP');
  expect(rows.length - gaps.length).toBe(recording.revisionAt(Number.MAX_SAFE_INTEGER));
  expect(gaps).toHaveLength(recording.gaps(ids).length);
  const times = rows.map(({ time }) => String(time));
  expect(times).toEqual(times.toSorted());
  const first = rows.findIndex(({ type }) => type === 'GAP');
  expect(String(rows[first - 1]?.time) <= String(rows[first]?.time)).toBe(true);
  expect(rows[first]).toMatchObject({ reason: 'stopped', until: '2026-11-28T02:08:00.000Z', object: undefined });
  const wrong = [...recording.revisionsBetween(ids, 0, Number.MAX_SAFE_INTEGER)].filter(({ object, id }, i) => {
    const row = rows.filter(({ type }) => type !== 'GAP')[i];
    return JSON.stringify(row?.object) !== JSON.stringify(recording.stateAfter(object, id).object);
  });
  expect(wrong).toEqual([]);
});

it('a part has the states of the whole, also of objects whose earlier states are not in it', () => {
  const from = Date.parse('2026-11-28T02:11:30Z');
  const to = Date.parse('2026-11-28T02:12:30Z');
  const whole = rowsOf().filter(({ time }) => Date.parse(String(time)) >= from && Date.parse(String(time)) <= to);
  expect(rowsOf({ from, to })).toEqual(whole);
  expect(whole.length).toBeGreaterThan(5);
  const pods = rowsOf({ from, to, types: ['pods'] });
  expect(pods).toEqual(whole.filter(({ gvr }) => gvr === 'v1/pods'));
  expect(rowsOf({ types: ['deployments.apps'] }).every(({ gvr }) => gvr === 'apps/v1/deployments')).toBe(true);
});
