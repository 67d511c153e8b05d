import { describe, expect, it } from 'vitest';
import { keysOf } from '../../../src/cli/terminal/keys.ts';
import { LiveControls } from '../../../src/cli/watch/live-controls.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { LiveTable, type LiveTableOptions } from '../../../src/output/live/live-table.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import { deployment, event, markingPainter, pod } from '../../output/fixtures.ts';
import { Terminal } from '../../output/terminal.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

const initial = (object: UnknownObject): PrintedEvent => {
  const printed = event('ADDED', object);
  return { ...printed, event: { ...printed.event, cause: 'initial' } };
};

/** A live table on a terminal of its own, with keys. */
function live(objects: readonly UnknownObject[], options: LiveTableOptions = {}, [columns, rows] = [80, 12]) {
  const table = new LiveTable(options);
  const controls = new LiveControls(table, () => rows - 4);
  table.loaded();
  for (const object of objects) table.update(initial(object));
  const terminal = new Terminal(columns, rows);
  let requests: unknown[] = [];
  const screen = (seconds = 0) => {
    terminal.write(table.frame({ columns, rows }, NOON + seconds * 1000));
    return terminal.screen;
  };
  screen();
  return {
    table,
    screen,
    /** Presses keys one by one, and returns what is on the screen then. */
    press(keys: string): string[] {
      requests = keysOf(keys).flatMap((key) => controls.press(key) ?? []);
      return screen();
    },
    requests: () => requests,
    names: () => screen().flatMap((line) => /^ [ >](\S+) .*\d[smhd]$/.exec(line)?.[1] ?? []),
    selected: () => screen().flatMap((line) => /^[ +~-]>(\S+)/.exec(line)?.[1] ?? []),
    last: () => screen().at(-1),
  };
}

const PODS = ['a', 'b', 'c', 'd'].map((name) => pod(name, name === 'c' ? 'CrashLoopBackOff' : 'Running'));
const many = (count: number) => Array.from({ length: count }, (_, i) => pod(`p-${String(i).padStart(3, '0')}`));

describe('the last line', () => {
  it('names the main keys', () => {
    expect(live(PODS).last()).toBe('/ search  s sort  ←→ columns  Enter open  p pause  ? keys  q end');
  });

  it('says that a key has no meaning, until the next key', () => {
    const view = live(PODS);
    expect(view.press('z').at(-1)).toBe('z is no key here; ? shows the keys');
    expect(view.press('j').at(-1)).toMatch(/^\/ search/);
  });

  it('is not there without keys, nor on a terminal of few rows', () => {
    const table = new LiveTable();
    const terminal = new Terminal(80, 12);
    table.update(initial(pod('a')));
    terminal.write(table.frame({ columns: 80, rows: 12 }, NOON));
    expect(terminal.screen.at(-1)).toMatch(/^1 pod · 1 event/);
    expect(live(PODS, {}, [80, 5]).last()).toMatch(/^4 pods · /);
  });
});

describe('selecting', () => {
  it('starts at the first row of the screen, moves row by row, and stops at the ends', () => {
    const view = live(PODS);
    expect(view.selected()).toEqual([]);
    const seen = ['j', 'j', '\x1b[B', 'k', 'jjjjjj', 'kkkkkkkk'].map((keys) => {
      view.press(keys);
      return view.selected()[0];
    });
    expect(seen).toEqual(['a', 'b', 'c', 'b', 'd', 'a']);
  });

  it('keeps the object when rows come, and takes its place when it goes', () => {
    const view = live(PODS);
    view.press('jj');
    view.table.update(event('ADDED', pod('aa')));
    expect(view.selected()).toEqual(['b']);
    view.table.update(event('DELETED', pod('b')));
    view.screen(1);
    view.screen(7);
    expect(view.screen(7).flatMap((line) => /^.>(\S+)/.exec(line)?.[1] ?? [])).toEqual(['c']);
  });

  it('scrolls the screen with it, also over several types, by rows and by screens', () => {
    const view = live([...many(30), deployment('web'), deployment('api')], {}, [80, 10]);
    view.press('j'.repeat(25));
    expect(view.selected()).toEqual(['p-024']);
    view.press('j'.repeat(20));
    expect(view.selected()).toEqual(['web']);
    view.press('g');
    expect(view.selected()).toEqual(['p-000']);
    view.press('\x1b[6~');
    expect(view.selected()).toEqual(['p-006']);
    view.press('G');
    expect(view.selected()).toEqual(['web']);
  });

  it('inverts the selected row, and Escape ends it', () => {
    const table = new LiveTable({ painter: markingPainter });
    const controls = new LiveControls(table, () => 10);
    table.update(initial(pod('a')));
    let columns = 80;
    const frameAfter = (keys: string) => {
      for (const press of keysOf(keys)) controls.press(press);
      return table.frame({ columns: ++columns, rows: 12 }, NOON);
    };
    frameAfter('');
    expect(frameAfter('j')).toMatch(/! >a +1\/1 .* !/);
    expect(frameAfter('\x1b')).not.toContain('>a');
  });
});

describe('searching', () => {
  it('shows rows with all words while they are typed, and says how many', () => {
    const view = live(PODS);
    expect(view.press('/crash').at(-1)).toBe('/crash█  Enter: keep  Esc: all rows');
    expect(view.names()).toEqual(['c']);
    expect(view.press('\r').at(-2)).toMatch(/^\/crash · 1 of 4 pods · /);
    expect(view.press('/ RUNNING\r').at(-2)).toMatch(/^\/crash RUNNING · 0 of 4 pods/);
    expect(view.press('\x1b').at(-2)).toMatch(/^4 pods · /);
  });

  it('takes letters that are keys elsewhere, and lets them be erased', () => {
    const view = live([pod('quick'), pod('slow')]);
    expect(view.press('/qux\x7f').at(-1)).toBe('/qu█  Enter: keep  Esc: all rows');
    expect(view.names()).toEqual(['quick']);
    view.press('\x15sj k');
    expect(view.last()).toMatch(/^\/sj k█/);
    expect(view.press('\x1b').at(-1)).toMatch(/^\/ search/);
    expect(view.names()).toEqual(['quick', 'slow']);
  });

  it('finds what comes later, and not what stops matching', () => {
    const view = live(PODS);
    view.press('/crash\r');
    view.table.update(event('MODIFIED', pod('a', 'CrashLoopBackOff')));
    view.table.update(event('MODIFIED', pod('c')));
    expect(view.screen().filter((line) => /1\/1/.test(line))).toHaveLength(1);
    expect(view.screen().join('\n')).toContain('a ');
  });

  it('neutralises what is pasted', () => {
    const view = live(PODS);
    expect(view.press('/\u202eabc').at(-1)).not.toContain('\u202e');
  });
});

describe('sorting', () => {
  const created = (name: string, minute: number) =>
    pod(name, 'Running', { metadata: { name, namespace: 'shop', creationTimestamp: `2026-01-01T11:${minute}:00Z` } });

  it('goes from column to column and back to the order of the start; r reverses', () => {
    const view = live(PODS);
    expect(view.press('s').at(-1)).toBe('sorted by NAME; r reverses it');
    expect(view.press('r')[0]).toMatch(/^ {2}NAME↓ /);
    expect(view.names()).toEqual(['d', 'c', 'b', 'a']);
    expect(view.press('ss')[0]).toMatch(/ STATUS↑ /);
    expect(view.names()).toEqual(['c', 'a', 'b', 'd']);
    expect(view.press('SSS').at(-1)).toBe('in the order of the start');
    expect(view.press('r').at(-1)).toBe('s chooses a column to sort by, r reverses it then');
  });

  it('sorts ages by the exact time, the youngest first', () => {
    const view = live([created('old', 10), created('new', 50), created('mid', 30)]);
    view.press('S');
    expect(view.names()).toEqual(['new', 'mid', 'old']);
  });
});

describe('columns sideways', () => {
  it('move behind the name, and say so when there is no more', () => {
    const view = live(PODS, { wide: true }, [60, 12]);
    expect(view.screen()[0]).toMatch(/^ ›NAME/);
    expect(view.press('\x1b[C\x1b[C')[0]).toMatch(/^‹›NAME +RESTARTS/);
    expect(view.press('llllllll').at(-1)).toBe('this is the last column');
    expect(view.press('hhhhhhhhhh').at(-1)).toBe('this is the first column');
    expect(live(PODS).press('l').at(-1)).toBe('every column is on the screen; -o wide has more');
  });
});

describe('pausing', () => {
  it.each(['p', ' '])('by %j keeps the screen as it is, counts what comes, and goes on with all of it', (key) => {
    const view = live(PODS);
    const before = view.press(key).slice(0, -2);
    view.table.update(event('ADDED', pod('e')));
    view.table.update(event('DELETED', pod('a')));
    view.table.update(event('MODIFIED', pod('b', 'Error')));
    const during = view.screen(600);
    expect(during.slice(0, -2)).toEqual(before);
    expect(during.at(-2)).toMatch(/^PAUSED, 3 events since · 4 pods · 4 events, /);
    const after = view.press(key);
    expect(after.at(-2)).toMatch(/^4 pods · 7 events/);
    expect(after.join('\n')).toMatch(/\+ e .*/);
    expect(after.join('\n')).toContain('Error');
  });

  it('still lets a person search and select', () => {
    const view = live(PODS);
    view.press('p/crash\rj');
    expect(view.selected()).toEqual(['c']);
  });
});

describe('an object', () => {
  const managed = (object: UnknownObject) => ({
    ...object,
    metadata: { ...object.metadata, managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: {} }] },
  });

  it('is opened by Enter with its changes, the newest first, and its YAML without managedFields', () => {
    const view = live([pod('a'), pod('b')], {}, [80, 40]);
    const change = (before: number, after: number) => {
      const printed = event('MODIFIED', pod('b', 'Running', { spec: { replicas: after } }));
      view.table.update({
        ...printed,
        event: { ...printed.event, oldObject: pod('b', 'Running', { spec: { replicas: before } }) },
      });
    };
    change(1, 2);
    change(2, 3);
    view.table.update(event('MODIFIED', managed(pod('b')) as UnknownObject));
    const screen = view.press('jj\r');
    expect(screen[0]).toBe('CHANGES since the start, the newest first');
    const changes = screen.filter((line) => line.includes('.spec.replicas'));
    expect(changes.map((line) => /: (.*)$/.exec(line)?.[1]?.trim().split(/ {2,}/).at(-1))).toEqual([
      expect.stringContaining('2 → 3'),
      expect.stringContaining('1 → 2'),
    ]);
    expect(screen).toContain('YAML');
    expect(screen).toContain('  name: b');
    expect(screen.join('\n')).not.toContain('managedFields');
    expect(screen.at(-2)).toMatch(/^pod\/b in shop · line 1 of \d+$/);
    expect(screen.at(-1)).toBe('↑↓ ←→ scroll  Enter back  p pause  ? keys  q back');
  });

  it('scrolls in both directions, and every way back leads to the table', () => {
    const wide = pod('a', 'Running', {
      spec: { text: `${'x'.repeat(90)}end`, list: Array.from({ length: 40 }, (_, i) => i) },
    });
    for (const back of ['\r', '\x1b', 'q']) {
      const view = live([wide], {}, [80, 12]);
      expect(view.press('\rjjj').at(-2)).toContain('line 4 of');
      expect(view.press('G').join('\n')).toContain('- 39');
      expect(view.press('g\x1b[C\x1b[C\x1b[6~').join('\n')).toContain('xend');
      expect(view.press(back)[0]).toMatch(/^ {2}NAME /);
      expect(view.requests()).toEqual([]);
    }
  });

  it('follows the object, and says when it was deleted', () => {
    const view = live([pod('a')], {}, [80, 60]);
    view.press('\r');
    view.table.update(event('MODIFIED', pod('a', 'Error', { spec: { nodeName: 'other' } })));
    expect(view.screen().join('\n')).toContain('nodeName: other');
    view.table.update(event('DELETED', pod('a')));
    view.screen(1);
    expect(view.screen(9).at(-2)).toMatch(/^pod\/a in shop \(deleted\) · /);
  });

  it('is not there to open in an empty table, which says so', () => {
    expect(live([]).press('\r').at(-1)).toBe('there is no object to open');
  });

  it('shows hostile text as text', () => {
    const view = live([pod('a', 'Running', { spec: { text: '\x1b[2Jgone\u202e' } })], {}, [80, 60]);
    expect(view.press('\r').join('\n')).not.toMatch(/\u202e/);
  });
});

describe('the page of keys', () => {
  it('lists them, and any key leads back', () => {
    const view = live(PODS, {}, [80, 20]);
    const page = view.press('?');
    expect(page[0]).toBe('KEYS');
    for (const key of ['/', 's S', 'r', 'Enter', 'p  Space', '?', 'q  Ctrl-C', 'PgUp PgDn'])
      expect(page.some((line) => line.startsWith(`  ${key}`))).toBe(true);
    expect(view.press('q')[0]).toMatch(/^ {2}NAME/);
    expect(view.requests()).toEqual([]);
  });
});

describe('the program', () => {
  it('is asked to end by q, and to be interrupted or suspended also while a search is typed', () => {
    const view = live(PODS);
    view.press('q');
    expect(view.requests()).toEqual(['quit']);
    view.press('/a\x03\x1a');
    expect(view.requests()).toEqual(['interrupt', 'suspend']);
  });

  it('says what Escape does not do', () => {
    expect(live(PODS).press('\x1b').at(-1)).toBe('q ends it');
  });
});
