import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffLine, diffLines } from '../../src/output/changes/line-diff.ts';
import { objectSummary } from '../../src/output/objects/object-summary.ts';
import { needsOf, parseOutputFormat } from '../../src/output/output-format.ts';
import { statesOf } from '../../src/output/states.ts';
import { cutToWidth, displayWidth } from '../../src/output/tables/display-width.ts';
import { timeTexts } from '../../src/output/timestamps.ts';
import { valueLines, valuePair, valueText } from '../../src/output/values.ts';
import type { Marker } from '../../src/stream/markers.ts';
import { createPrinter } from './fixtures.ts';

describe('the state of a cell', () => {
  test.each([
    ['STATUS', 'Running', 'good'],
    ['STATUS', 'Pending', 'waiting'],
    ['STATUS', 'ContainerCreating', 'waiting'],
    ['STATUS', 'Init:0/2', 'waiting'],
    ['STATUS', 'Init:Error', 'bad'],
    ['STATUS', 'Init:CrashLoopBackOff', 'bad'],
    ['STATUS', 'CrashLoopBackOff', 'bad'],
    ['STATUS', 'ImagePullBackOff', 'bad'],
    ['STATUS', 'CreateContainerConfigError', 'bad'],
    ['STATUS', 'ExitCode:2', 'bad'],
    ['STATUS', 'OOMKilled', 'bad'],
    ['STATUS', 'Terminating', 'ending'],
    ['STATUS', 'Completed', 'done'],
    ['STATUS', 'Ready', 'good'],
    ['STATUS', 'NotReady', 'bad'],
    ['STATUS', 'Ready,SchedulingDisabled', 'waiting'],
    ['STATUS', 'NotReady,SchedulingDisabled', 'bad'],
    ['STATUS', 'Bound', 'good'],
    ['STATUS', 'Lost', 'bad'],
    ['STATUS', 'constructor', undefined],
    ['READY', '1/2', 'waiting'],
    ['READY', '2/2', undefined],
    ['READY', '9/10', 'waiting'],
    ['READY', '0/0', undefined],
    ['READY', 'True', 'good'],
    ['READY', 'False', 'waiting'],
    ['COMPLETIONS', '0/1', 'waiting'],
    ['TYPE', 'Warning', 'waiting'],
    ['TYPE', 'ClusterIP', undefined],
  ])('%s %s: %s', (heading, cell, state) => {
    expect(statesOf(heading)?.(cell)).toBe(state);
  });

  test('is not looked for in other columns', () => {
    expect(statesOf('NAME')).toBeUndefined();
  });
});

describe('times', () => {
  test('are relative to the start', () => {
    let now = Date.UTC(2026, 0, 1, 12);
    const since = timeTexts('relative', { now: () => now });
    now += 5;
    expect(since('2026-01-01T12:00:00.000Z')).toBe('+0.0s');
    expect(since('2026-01-01T12:00:12.340Z')).toBe('+12.3s');
    expect(since('2026-01-01T12:00:59.960Z')).toBe('+1m0.0s');
    expect(since('2026-01-01T14:03:07.000Z')).toBe('+2h3m7.0s');
    expect(since('2026-01-01T11:59:58.500Z')).toBe('-1.5s');
  });

  test('are the local time of day, or RFC 3339 as it came', () => {
    const clock = { now: () => 0 };
    const local = new Date('2026-01-01T12:03:07.045Z');
    const hours = String(local.getHours()).padStart(2, '0');
    const minutes = String(local.getMinutes()).padStart(2, '0');
    expect(timeTexts('received', clock)('2026-01-01T12:03:07.045Z')).toBe(`${hours}:${minutes}:07.045`);
    expect(timeTexts('rfc3339', clock)('2026-01-01T12:03:07.045Z')).toBe('2026-01-01T12:03:07.045Z');
  });
});

describe('a value', () => {
  test.each<[unknown, string]>([
    ['nginx:1.25', 'nginx:1.25'],
    ['two words', 'two words'],
    ['3', '"3"'],
    [3, '3'],
    ['true', '"true"'],
    [true, 'true'],
    ['null', '"null"'],
    [null, 'null'],
    ['', '""'],
    [' x', '" x"'],
    ['x ', '"x "'],
    ['a → b', '"a → b"'],
    ['a  b', '"a  b"'],
    ['a\nb', '"a\\nb"'],
    ['\x1b[31m', '"\\u001b[31m"'],
    ['\x9b31m', '"^[[31m"'],
    ['<none>', '"<none>"'],
    [undefined, '<none>'],
    [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  ])('%j is distinguished from other values: %s', (value, text) => {
    expect(valueText(value, 80)).toBe(text);
  });

  test('that is long is cut, and never within a character', () => {
    expect(valueText('a'.repeat(30), 10)).toBe('aaaaaaaaaa…');
    expect(valueText(`${'a'.repeat(9)}😀${'b'.repeat(9)}`, 10)).toBe('aaaaaaaaa…');
  });

  test('is cut around what differs from another', () => {
    const digest = (end: string) => `registry.example.com/shop/web@sha256:${'0'.repeat(40)}${end}`;
    const [a, b] = valuePair(digest('aaa'), digest('bbb'), 30);
    expect(a).toMatch(/^….*aaa$/);
    expect(b).toMatch(/^….*bbb$/);
    expect(a).not.toBe(b);
  });

  test('of any two long texts is cut so that they look different', () => {
    const unit = fc.constantFrom('a', 'b', '😀');
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.string({ unit, minLength: 1, maxLength: 30 }),
        fc.string({ unit, maxLength: 60 }),
        (head, more, tail) => {
          const [x, y] = valuePair(head + more + tail, head + tail, 20);
          expect(x).not.toBe(y);
        },
      ),
    );
  });

  test('with parts is spread over lines where it does not fit into one', () => {
    expect(valueLines({ name: 'web', ports: [{ port: 80 }], env: [{ name: 'A', value: 'x'.repeat(20) }] }, 24)).toEqual([
      'name: web',
      'ports: [{"port":80}]',
      'env:',
      '  - name: A',
      '    value: xxxxxxxxxxxxxxxxxxxx',
    ]);
  });
});

describe('a diff of lines', () => {
  const text = (lines: readonly DiffLine[]) =>
    lines.map((line) => (line.kind === 'skipped' ? `@${line.lines}` : `${{ removed: '-', added: '+', same: ' ' }[line.kind]}${line.text}`));

  test('has what went and came with one line around it', () => {
    expect(text(diffLines(['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'X', 'e', 'f']))).toEqual(['@2', ' c', '-d', '+X', ' e', '@1']);
  });

  test('of equal texts shows none of them', () => {
    expect(text(diffLines(['a', 'b'], ['a', 'b']))).toEqual(['@2']);
  });

  test('leads from one to the other, with no fewer common lines than there are', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const lines = diffLines(before, after, { context: Number.POSITIVE_INFINITY });
        const side = (other: DiffLine['kind']) =>
          lines.flatMap((line) => (line.kind === 'skipped' || line.kind === other ? [] : [line.text]));
        expect(lines.some(({ kind }) => kind === 'skipped') && lines.length > 1).toBe(false);
        if (lines[0]?.kind === 'skipped') expect(before).toEqual(after);
        else expect([side('added'), side('removed')]).toEqual([before, after]);
      }),
    );
  });

  test('of two very long texts without much in common is still right', () => {
    const many = (prefix: string) => Array.from({ length: 1000 }, (_, i) => `${prefix}${i}`);
    const lines = text(diffLines(['same', ...many('a')], ['same', ...many('b')]));
    expect(lines.filter((line) => line.startsWith('-'))).toHaveLength(1000);
    expect(lines.filter((line) => line.startsWith('+'))).toHaveLength(1000);
  });
});

describe('the width on a terminal', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['한', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['😀', 2],
    ['a\u200bb', 2],
    ['→', 1],
  ])('%s: %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('is never passed by a cut', () => {
    expect(cutToWidth('日本語', 3)).toBe('日');
    expect(cutToWidth('e\u0301x', 1)).toBe('e\u0301');
    expect(cutToWidth('abc', 3)).toBe('abc');
    expect(cutToWidth('abc', 0)).toBe('');
  });
});

describe('a summary of an object', () => {
  const of = (object: object) => objectSummary({ metadata: {}, ...object } as never);
  test.each<[object, string]>([
    [{ spec: { containers: [{ image: 'a:1' }, { image: 'b:2' }] }, status: { phase: 'Running' } }, 'Running, a:1 b:2'],
    [{ spec: { replicas: 3, template: { spec: { containers: [{ image: 'a:1' }] } } }, status: { readyReplicas: 2 } }, '2/3 ready, a:1'],
    [{ spec: { replicas: 3 } }, '0/3 ready'],
    [{ status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }] } }, 'not ready (KubeletNotReady)'],
    [{ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'ready'],
    [{ data: { a: '1', b: '2' } }, '2 keys'],
    [{ kind: 'Event', type: 'Warning', reason: 'BackOff', message: 'Back-off\nagain' }, 'Warning BackOff: Back-off'],
    [{ spec: {} }, ''],
    [{ spec: null, status: 'odd' }, ''],
  ])('%j', (object, text) => {
    expect(of(object)).toBe(text);
  });
});

describe('what a format needs', () => {
  test.each([
    ['', { object: false, old: false, managedFields: false, events: false }],
    ['wide', { object: false, old: false, managedFields: false, events: false }],
    ['name', { object: false, old: false, managedFields: false, events: false }],
    ['json', { object: true, old: false, managedFields: false, events: false }],
    ['jq=.', { object: true, old: false, managedFields: false, events: false }],
    ['diff', { object: true, old: true, managedFields: true, events: true }],
    ['changes', { object: true, old: true, managedFields: true, events: true }],
  ])('%s', (format, needs) => {
    expect(needsOf(parseOutputFormat(format))).toEqual(needs);
  });
});

describe('a marker', () => {
  const SYNCED = { type: 'SYNCED', gvr: 'v1/pods', objects: 1, seq: 3, time: '2026-01-01T12:00:00.000Z' } as const;
  const LOSS = { type: 'GAP', reason: 'dropped', lost: { events: 12 }, seq: 4, time: '2026-01-01T12:00:00.000Z' } as const;
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
  const END = { type: 'END', reason: 'ended by SIGINT', exitCode: 0, summary, seq: 6, time: '2026-01-01T12:00:00.000Z' } as const;
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

  test('is a record of its own where events are', async () => {
    expect(await shown('json', SYNCED, GAP)).toBe(`${JSON.stringify(SYNCED)}\n${JSON.stringify(GAP)}\n`);
    expect(await shown('yaml', SYNCED)).toBe(
      '---\ntype: SYNCED\ngvr: v1/pods\nobjects: 1\nseq: 3\ntime: "2026-01-01T12:00:00.000Z"\n...\n',
    );
    expect(await shown('jq=.type', SYNCED, END)).toBe('"SYNCED"\n"END"\n');
  });

  test.each(['name', 'jsonpath=.x', 'custom-columns=A:.a'])(
    'is not shown with -o %s, which shows what was asked of each object',
    async (format) => {
      expect(await shown(format, SYNCED)).toBe('');
    },
  );
});
