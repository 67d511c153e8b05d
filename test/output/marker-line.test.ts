import { describe, expect, test } from 'vitest';
import { parseOutputFormat } from '../../src/output/formats.ts';
import type { Marker } from '../../src/stream/markers.ts';
import { createPrinter } from './fixtures.ts';

describe('a marker', () => {
  const SYNCED = { type: 'SYNCED', gvr: 'v1/pods', objects: 1, seq: 3, time: '2026-01-01T12:00:00.000Z' } as const;
  const LOSS = {
    type: 'GAP',
    reason: 'dropped',
    lost: { events: 12 },
    seq: 4,
    time: '2026-01-01T12:00:00.000Z',
  } as const;
  const GAP = {
    type: 'GAP',
    gvr: 'v1/pods',
    namespace: 'shop',
    reason: 'gone',
    from: '7',
    seq: 5,
    time: '2026-01-01T12:00:00.000Z',
  } as const;
  const RELISTED = { ...GAP, type: 'RELISTED', to: '9', objects: 3 } as const;
  const summary = {
    ADDED: 1,
    MODIFIED: 2,
    DELETED: 0,
    relists: 1,
    gaps: 1,
    resumed: 0,
    storeErrors: 0,
    dropped: 12,
    coalesced: 0,
    unshown: 0,
    expressionErrors: 0,
    unprintable: 0,
  };
  const END = {
    type: 'END',
    reason: 'ended by SIGINT',
    exitCode: 0,
    summary,
    seq: 6,
    time: '2026-01-01T12:00:00.000Z',
  } as const;
  const shown = async (format: string, ...markers: readonly Marker[]) => {
    const printer = await createPrinter(parseOutputFormat(format), { clock: { now: () => 0 } });
    return markers.map((marker) => printer.marker(marker)).join('');
  };

  test.each(['', 'diff', 'changes'])('is a line for people with -o %s', async (format) => {
    expect(await shown(format, SYNCED, LOSS, GAP, RELISTED, END)).toBe(
      [
        'SYNCED     v1/pods: 1 object',
        'GAP        the stream: events may be missing (dropped): 12 events',
        'GAP        v1/pods in shop: events may be missing (gone)',
        'RELISTED   v1/pods in shop: 3 objects, whole again (gone)',
        'END        ended by SIGINT, exit code 0: 1 ADDED, 2 MODIFIED, 0 DELETED',
        '',
      ].join('\n'),
    );
  });

  test('is a record of its own in formats that print events', async () => {
    expect(await shown('json', SYNCED, GAP)).toBe(`${JSON.stringify(SYNCED)}\n${JSON.stringify(GAP)}\n`);
    expect(await shown('yaml', SYNCED)).toBe(
      '---\ntype: SYNCED\ngvr: v1/pods\nobjects: 1\nseq: 3\ntime: "2026-01-01T12:00:00.000Z"\n...\n',
    );
    expect(await shown('jq=.type', SYNCED, GAP)).toBe(await shown('json', SYNCED, GAP)); // its input
  });

  test.each(['name', 'jsonpath=.x', 'custom-columns=A:.a'])(
    'is not shown with -o %s, which prints values of objects',
    async (format) => {
      expect(await shown(format, SYNCED)).toBe('');
    },
  );
});
