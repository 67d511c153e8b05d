import { describe, expect, test } from 'vitest';
import { withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { LiveTable, type LiveTableOptions } from '../../../src/output/live/live-table.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import type { EventType } from '../../../src/stream/envelope.ts';
import { deployment, event, markingPainter, POD_COLUMNS, pod } from '../fixtures.ts';
import { Terminal } from '../terminal.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

const initial = (object: UnknownObject): PrintedEvent => {
  const printed = event('ADDED', object);
  return { ...printed, event: { ...printed.event, cause: 'initial' } };
};

/** A live table on a terminal of its own; `at` counts the seconds since noon. */
function live(options: LiveTableOptions = {}, [columns, rows] = [80, 12]) {
  const table = new LiveTable(options);
  table.loaded();
  const terminal = new Terminal(columns, rows);
  return {
    table,
    start: (...objects: UnknownObject[]) => objects.forEach((object) => void table.update(initial(object))),
    send: (type: EventType, object: UnknownObject) => table.update(event(type, object)),
    at(seconds: number, size = { columns, rows }): string[] {
      terminal.write(table.frame(size, NOON + seconds * 1000));
      return terminal.screen;
    },
    /** The rows alone. */
    rowsAt(seconds: number): string[] {
      return this.at(seconds).slice(1, -1);
    },
    terminal,
  };
}

describe('a live table', () => {
  test('shows the objects there are by namespace and name, with ages of now', () => {
    const screen = live({ withNamespace: true });
    screen.start(
      pod('b'),
      pod('a'),
      pod('z', 'Running', { metadata: { name: 'z', namespace: 'a', creationTimestamp: '2026-01-01T11:59:00Z' } }),
    );
    expect(screen.at(0).slice(0, 4)).toEqual([
      '  NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE',
      '  a           z      1/1     Running   0          60s',
      '  shop        a      1/1     Running   0          60m',
      '  shop        b      1/1     Running   0          60m',
    ]);
    expect(screen.at(5)[1]).toBe('  a           z      1/1     Running   0          65s');
  });

  test('says that there is no connection, for how long, and of which types where others have one; their ages stand still', () => {
    const screen = live({ painter: markingPainter }, [140, 12]);
    screen.start(pod('a'), deployment('web'));
    const [pods, deployments] = [event('ADDED', pod('a')).type, event('ADDED', deployment('web')).type];
    const before = screen.at(10);
    screen.table.disconnected([{ type: pods, since: NOON + 10_000 }]);
    const after = screen.at(75);
    expect(after.at(-1)).toMatch(/^<bad>DISCONNECTED pods 65s<\/>_ · 1 pod, /);
    expect(after[1]).toBe(before[1]);
    screen.table.disconnected([pods, deployments].map((type) => ({ type, since: NOON + 10_000 })));
    expect(screen.at(75).at(-1)).toMatch(/^<bad>DISCONNECTED 65s<\/>_ · 1 pod, /);
    screen.table.disconnected([]);
    expect(screen.at(75).at(-1)).not.toContain('DISCONNECTED');
    expect(screen.at(75)[1]).not.toBe(before[1]); // ages go on
  });

  test('cuts long names in the middle, because their ends differ, so that the other columns stay on the screen', () => {
    const screen = live({}, [60, 12]);
    const name = 'a-name-that-is-much-longer-than-half-of-the-screen-is-wide';
    screen.start(pod(name), pod('b'));
    const [heading = '', long = '', short = ''] = screen.at(0);
    expect(heading.trim().split(/ +/)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']);
    expect(long).toMatch(/^ {2}a-name-that-[a-z-]*…[a-z-]*-is-wide +1\/1 +Running +0 +60m$/);
    expect(short.indexOf('1/1')).toBe(long.indexOf('1/1'));
    const wide = live({}, [120, 12]);
    wide.start(pod(name), pod('b'));
    expect(wide.at(0)[1]).toContain(name);
  });

  test('scrolls over several types, and stops at the first and the last row', () => {
    const screen = live({ withKind: true } as never, [80, 8]);
    screen.start(...['a', 'b', 'c', 'd', 'e'].map((each) => pod(each)), deployment('web'), deployment('api'));
    const names = (lines: string[]) => lines.flatMap((each) => /^ {2}(?:\S+\/)?([a-z]+) .*\d/.exec(each)?.[1] ?? []);
    screen.table.scroll('bottom');
    expect(names(screen.at(0)).slice(-2)).toEqual(['api', 'web']);
    screen.table.scroll(1);
    const end = screen.at(0);
    screen.table.scroll(-1000);
    expect(names(screen.at(0))[0]).toBe('a');
    screen.table.scroll(1000);
    expect(screen.at(0)).toEqual(end);
  });

  test('has the largest first if requested', () => {
    const weight = (object: unknown) => [(object as { weight?: number }).weight];
    const screen = live({ sortBy: weight, isDescending: true });
    screen.start(pod('a', 'Running', { weight: 9 }), pod('b', 'Running', { weight: 10 }), pod('c'));
    expect(screen.rowsAt(0).map((line) => line.trim().split(' ')[0])).toEqual(['b', 'a', 'c']);
  });

  test('is loading until the initial lists are complete', () => {
    const table = new LiveTable();
    const last = () => {
      const terminal = new Terminal(80, 5);
      terminal.write(table.clear() + table.frame({ columns: 80, rows: 5 }, NOON));
      return terminal.screen.at(-1);
    };
    expect(last()).toBe('loading');
    table.note('syncing pods: 12 objects');
    expect(last()).toBe('syncing pods: 12 objects · loading');
    table.note(undefined);
    table.loaded();
    expect(last()).toBe('no objects');
  });

  test('sorts by the given value, objects without it first', () => {
    const screen = live({ sortBy: (object) => [(object as { weight?: number }).weight] });
    screen.start(pod('a', 'Running', { weight: 10 }), pod('b', 'Running', { weight: 9 }), pod('c'));
    expect(screen.rowsAt(0).map((line) => line.trim().split(' ')[0])).toEqual(['c', 'b', 'a']);
  });

  test('moves an object when what it is sorted by changes', () => {
    const screen = live({ sortBy: (object) => [(object as { weight?: number }).weight] });
    screen.start(pod('a', 'Running', { weight: 1 }), pod('b', 'Running', { weight: 2 }));
    screen.at(0);
    screen.send('MODIFIED', pod('a', 'Running', { weight: 3 }));
    expect(screen.rowsAt(1).map((line) => line.trim().split(' ')[0])).toEqual(['b', 'a']);
  });

  test('ends with counts and the last event', () => {
    const screen = live();
    expect(screen.at(0)).toEqual(['no objects']);
    screen.start(pod('a'), deployment('web'));
    screen.send('MODIFIED', pod('b'));
    expect(screen.at(0).at(-1)).toMatch(/^2 pods, 1 deployment · 3 events, last \d\d:\d\d:00 MODIFIED pod\/b$/);
  });

  test('marks what came for three seconds', () => {
    const screen = live();
    screen.start(pod('a'));
    screen.send('ADDED', pod('b'));
    expect(screen.rowsAt(10)).toEqual(
      ['  a   1/1   Running   0   60m', '+ b   1/1   Running   0   60m'].map(expectedRow),
    );
    expect(screen.rowsAt(12.9)[1]).toMatch(/^\+ b/);
    expect(screen.rowsAt(13)[1]).toMatch(/^ {2}b/);
  });

  test('marks cells that changed, but not an age, and not an update that changed no cell', () => {
    const screen = live({ painter: markingPainter, noHeaders: true });
    screen.start(pod('a'), pod('b'));
    screen.table.frame({ columns: 80, rows: 5 }, NOON);
    screen.send('MODIFIED', pod('a', 'Error'));
    screen.send(
      'MODIFIED',
      pod('b', 'Running', { metadata: { name: 'b', namespace: 'shop', creationTimestamp: '2026-01-01T10:00:00Z' } }),
    );
    const text = screen.table.frame({ columns: 200, rows: 5 }, NOON + 1000);
    expect(text).toContain('<changed>~ </>a     1/1   !Error!');
    expect(text).toContain('  b     1/1   <good>Running</>');
    expect(screen.table.frame({ columns: 200, rows: 5 }, NOON + 4000)).toContain('  a     1/1   <bad>Error</>');
  });

  test('keeps a deleted object struck through for five seconds, then lets it go', () => {
    const screen = live({ painter: markingPainter });
    screen.start(pod('a'), pod('b'));
    screen.send('DELETED', pod('b'));
    const frame = screen.table.frame({ columns: 80, rows: 9 }, NOON);
    expect(frame).toContain('- ~b~');
    expect(frame).toMatch(/1 pod ·/);
    expect(screen.table.frame({ columns: 81, rows: 9 }, NOON + 4999)).toContain('- ~b~');
    expect(screen.table.frame({ columns: 82, rows: 9 }, NOON + 5000)).not.toContain('~b~');
  });

  test('lets a deleted object go also when the clock was set back by an hour', () => {
    const screen = live();
    screen.start(pod('a'), pod('b'));
    screen.send('DELETED', pod('b'));
    const size = { columns: 80, rows: 9 };
    expect(screen.table.frame(size, NOON, 1000)).toContain('- b');
    expect(screen.table.frame({ ...size, columns: 81 }, NOON - 3_600_000, 5999)).toContain('- b');
    expect(screen.table.frame({ ...size, columns: 82 }, NOON - 3_600_000, 6000)).not.toContain('- b');
  });

  test('lets go of deleted objects that are beyond the screen', () => {
    const screen = live({}, [80, 4]);
    screen.start(...['a', 'b', 'c', 'd', 'e'].map((name) => pod(name)));
    screen.send('DELETED', pod('e'));
    expect(screen.at(0)[2]).toBe('  … 4 more');
    expect(screen.at(5)[2]).toBe('  … 3 more');
  });

  test('shows an object that comes back as one that came', () => {
    const screen = live();
    screen.start(pod('a'));
    screen.send('DELETED', pod('a'));
    screen.at(0);
    screen.send('ADDED', pod('a', 'Pending'));
    expect(screen.rowsAt(1)[0]).toMatch(/^\+ a .* Pending/);
    expect(screen.rowsAt(9)[0]).toMatch(/^ {2}a/);
  });

  test('takes the deletion of an object it never saw for an event and no row', () => {
    const screen = live();
    screen.send('DELETED', pod('a'));
    expect(screen.at(0)).toEqual([expect.stringMatching(/^no objects · 1 event, last .* DELETED pod\/a$/)]);
  });

  test('keeps the cells of an object whose deletion comes without', () => {
    const screen = live();
    screen.start(pod('a', 'Error'));
    screen.send('DELETED', JSON.parse(JSON.stringify(pod('a'))));
    expect(screen.rowsAt(0)[0]).toContain('Error');
  });

  test('never narrows a column while it goes on', () => {
    const screen = live();
    screen.start(pod('a-long-name'), pod('b'));
    const wide = screen.at(0)[0];
    screen.send('DELETED', pod('a-long-name'));
    screen.at(1);
    expect(screen.at(7)).toHaveLength(3);
    expect(screen.at(7)[0]).toBe(wide);
  });
});

describe('a small terminal', () => {
  test('shows what fits and counts the rest, each type getting its share', () => {
    const screen = live({ showKind: true }, [60, 11]);
    screen.start(...Array.from({ length: 20 }, (_, i) => pod(`web-${i}`)), deployment('d1'), deployment('d2'));
    const lines = screen.at(0);
    expect(lines).toHaveLength(11);
    expect(lines[5]).toBe('  … 16 more');
    expect(lines.slice(8, 10).map((line) => line.slice(0, 22))).toEqual(
      ['  deployment.apps/d1', '  deployment.apps/d2'].map((s) => s.padEnd(22)),
    );
  });

  test.each([1, 2, 3, 4])('of %i lines is never overrun', (rows) => {
    const screen = live({ showKind: true }, [60, rows]);
    screen.start(pod('a'), pod('b'), deployment('c'));
    expect(screen.at(0)).toHaveLength(rows);
    expect(screen.terminal.scrolled).toEqual([]);
  });

  test.each([1, 2, 3, 10, 37])('of %i columns cuts lines at its edge', (columns) => {
    const screen = live({}, [columns, 8]);
    screen.start(pod('a-rather-long-name', 'CrashLoopBackOff'));
    // the terminal throws where one is longer
    for (const line of screen.at(0)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test('cuts wide characters by the places they take', () => {
    const row = withCells({ kind: 'Pod', metadata: { name: 'x', namespace: 'n' } } as UnknownObject, {
      columns: POD_COLUMNS.slice(0, 2),
      cells: ['日本語日本語', '1/1'],
    });
    const table = new LiveTable({ noHeaders: true });
    table.update(initial(row));
    expect(table.frame({ columns: 9, rows: 5 }, NOON)).toContain('  日本語\r\n');
    expect(table.frame({ columns: 40, rows: 5 }, NOON)).toContain('  日本語日本語   1/1');
  });

  test('that says no size is taken for 80 by 24', () => {
    const screen = live();
    screen.start(...Array.from({ length: 40 }, (_, i) => pod(`web-${i}`)));
    expect(screen.table.frame({ columns: 0, rows: 0 }, NOON).split('\r\n')).toHaveLength(24);
  });
});

test('escapes control sequences in a cell', () => {
  const screen = live({ noHeaders: true });
  screen.start(pod('a', '\x1b[2Jx\ny'));
  expect(screen.at(0)[0]).toContain('^[[2Jx...');
});

/** With the columns as wide as the headings make them. */
const expectedRow = (line: string) =>
  line.replace(/^(..)(\S) +(\S+) +(\S+) +(\S+) +/, '$1$2      $3     $4   $5          ');
