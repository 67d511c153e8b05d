import { describe, expect, test } from 'vitest';
import { withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { TablePrinter, type TablePrinterOptions } from '../../../src/output/tables/table-printer.ts';
import { answer, clock, deployment, event, lines, markingPainter, POD_COLUMNS, pod } from '../fixtures.ts';

const printer = (options: Partial<TablePrinterOptions> = {}) => new TablePrinter({ clock, ...options });
const shown = (options: Partial<TablePrinterOptions>, ...objects: UnknownObject[]) =>
  lines(printer(options).objects(answer(...objects)));

describe('a stream without the objects that exist', () => {
  const web = event('ADDED', pod('web-1'));
  const later = event('MODIFIED', pod('a-much-longer-name', 'CrashLoopBackOff'));

  test('has a heading and rows as wide as theirs, and prints none of them', () => {
    const table = printer();
    table.layOutFor([pod('a-much-longer-name', 'CrashLoopBackOff'), pod('b')], web.type);
    expect(lines(table.events([web]) + table.events([later]))).toEqual([
      'EVENT      NAME                 READY   STATUS             RESTARTS   AGE',
      'ADDED      web-1                1/1     Running            0          60m',
      'MODIFIED   a-much-longer-name   1/1     CrashLoopBackOff   0          60m',
      '',
    ]);
  });

  test('is not wider than the terminal for them', () => {
    const table = printer({ width: () => 60 });
    table.layOutFor([pod('a-name-that-leaves-no-room-for-anything-else-in-60-places')], web.type);
    expect(lines(table.events([web])).at(1)).toBe('ADDED      web-1   1/1     Running   0          60m');
  });
});

describe('an answer', () => {
  test("is the server's table with the age of now", () => {
    expect(shown({}, pod('web-1'), pod('a-much-longer-name', 'CrashLoopBackOff'))).toEqual([
      'NAME                 READY   STATUS             RESTARTS   AGE',
      'web-1                1/1     Running            0          60m',
      'a-much-longer-name   1/1     CrashLoopBackOff   0          60m',
      '',
    ]);
  });

  test('wide has the columns of lower priority too', () => {
    expect(shown({ wide: true }, pod('web-1'))).toEqual([
      'NAME    READY   STATUS    RESTARTS   AGE   IP         NODE   NOMINATED NODE   READINESS GATES',
      'web-1   1/1     Running   0          60m   10.0.0.1   n1     <none>           <none>',
      '',
    ]);
  });

  test('of several namespaces begins with them; labels come last', () => {
    expect(
      shown({ withNamespace: true, labelColumns: ['app.kubernetes.io/name', 'nope'], showLabels: true }, pod('web-1')),
    ).toEqual([
      'NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE   NAME   NOPE   LABELS',
      'shop        web-1   1/1     Running   0          60m   web           app.kubernetes.io/name=web,app=web',
      '',
    ]);
    expect(shown({ showLabels: true }, deployment('web')).at(1)).toBe(
      'web    2/2     2            2           24h   <none>',
    );
  });

  test('of a cluster-scoped type has no namespaces, also where others of the stream have', () => {
    const node: UnknownObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-1' } };
    const type = { gvr: { group: '', version: 'v1', resource: 'nodes' }, kind: 'Node', namespaced: false };
    expect(lines(printer({ withNamespace: true }).objects([{ object: node, type }]))).toEqual([
      'NAME       AGE',
      'worker-1   <unknown>',
      '',
    ]);
    const { event: added } = event('ADDED', node);
    expect(
      lines(printer({ withNamespace: true }).events([event('ADDED', pod('web-1')), { event: added, type }])),
    ).toEqual([
      'EVENT      NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE',
      'ADDED      shop        web-1   1/1     Running   0          60m',
      '',
      'EVENT      NAME       AGE',
      'ADDED      worker-1   <unknown>',
      '',
    ]);
  });

  test('of several types is a table each, with names that say the type', () => {
    expect(shown({ showKind: true }, pod('web-1'), deployment('web'), pod('web-2'))).toEqual([
      'NAME        READY   STATUS    RESTARTS   AGE',
      'pod/web-1   1/1     Running   0          60m',
      'pod/web-2   1/1     Running   0          60m',
      '',
      'NAME                  READY   UP-TO-DATE   AVAILABLE   AGE',
      'deployment.apps/web   2/2     2            2           24h',
      '',
    ]);
  });

  test('without headers has rows only', () => {
    expect(shown({ noHeaders: true }, pod('web-1'), deployment('web'))).toEqual([
      'web-1   1/1   Running   0     60m',
      'web   2/2   2     2     24h',
      '',
    ]);
  });

  test('without objects is no text', () => {
    expect(shown({})).toEqual(['']);
  });

  test("without the server's cells has NAME and AGE", () => {
    const bare: UnknownObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'n' } };
    expect(
      shown({ withNamespace: true }, bare, {
        ...bare,
        metadata: { name: 'y', creationTimestamp: '2026-01-01T11:59:30Z' },
      }),
    ).toEqual(['NAMESPACE   NAME   AGE', 'n           x      <unknown>', '            y      30s', '']);
  });

  test('of many rows comes in pieces that make the same text', () => {
    const many = answer(...Array.from({ length: 2500 }, (_, i) => pod(`web-${i}`)));
    const pieces = [...printer().objects(many)];
    expect(pieces.length).toBe(3);
    expect(lines(pieces)).toHaveLength(2502);
    expect(lines(pieces).at(1)).toBe('web-0      1/1     Running   0          60m');
  });
});

describe('cells', () => {
  const column = (name: string, type = 'string') => ({ name, type, format: '', priority: 0 });
  const row = (...cells: unknown[]) =>
    withCells({ kind: 'Pod', metadata: { name: 'x' } } as UnknownObject, {
      columns: cells.map((_, i) => column(`C${i}`)),
      cells,
    });

  test.each([
    ['are cut at the first line end', 'one\ntwo', 'one...'],
    ['are cut at a carriage return', 'one\rtwo', 'one...'],
    ['show ESC instead of obeying it', '\x1b[31mred', '^[[31mred'],
    ['show a C1 control as the sequence it stands for', '\x9b31mred', '^[[31mred'],
    ['show a backspace', 'ab\bc', 'ab^Hc'],
    ['have blanks for tabs', 'a\tb', 'a b'],
    ['that are missing are empty', null, ''],
    ['print numbers', 3, '3'],
    ['print booleans', false, 'false'],
    ['print anything else as JSON', { a: [1] }, '{"a":[1]}'],
  ])('%s', (_, cell, expected) => {
    expect(shown({ noHeaders: true }, row(cell))).toEqual([expected, '']);
  });

  test('more than the columns are left out, fewer leave the rest empty', () => {
    const object = (cells: unknown[]) =>
      withCells({ kind: 'Pod', metadata: { name: 'x' } } as UnknownObject, {
        columns: [column('A'), column('B')],
        cells,
      });
    expect(shown({}, object(['1', '2', '3']), object(['1']))).toEqual(['A     B', '1     2', '1     ', '']);
  });

  test('of a heading are safe too', () => {
    const object = withCells({ kind: 'Pod', metadata: {} } as UnknownObject, {
      columns: [column('\x1b[2Jevil')],
      cells: ['x'],
    });
    expect(shown({}, object)).toEqual(['^[[2JEVIL', 'x', '']);
  });

  test('with characters outside the BMP keep the columns aligned', () => {
    expect(shown({ noHeaders: true }, row('a😀b', 'x'), row('abcd', 'x'))).toEqual(['a😀b    x', 'abcd   x', '']);
  });
});

describe('a stream', () => {
  test('leads with the event and keeps one heading', () => {
    const table = printer();
    expect(lines(table.events([event('ADDED', pod('web-1')), event('MODIFIED', pod('web-1', 'Terminating'))]))).toEqual(
      [
        'EVENT      NAME    READY   STATUS        RESTARTS   AGE',
        'ADDED      web-1   1/1     Running       0          60m',
        'MODIFIED   web-1   1/1     Terminating   0          60m',
        '',
      ],
    );
    expect(table.events([event('DELETED', pod('web-1'))])).toBe(
      'DELETED    web-1   1/1     Running       0          60m\n',
    );
  });

  test('grows its columns and never narrows them again', () => {
    const table = printer({ noHeaders: true });
    const line = (name: string) => table.events([event('ADDED', pod(name))]);
    expect(line('web-1')).toBe('ADDED      web-1   1/1   Running   0     60m\n');
    expect(line('a-long-name')).toBe('ADDED      a-long-name   1/1   Running   0     60m\n');
    expect(line('web-1')).toBe('ADDED      web-1         1/1   Running   0     60m\n');
  });

  test('of several types gives each its own heading and widths behind names that line up', () => {
    const table = printer({ showKind: true, withNamespace: true });
    expect(lines(table.events([event('ADDED', pod('web-1')), event('ADDED', deployment('web'))]))).toEqual([
      'EVENT      NAMESPACE   NAME                  READY   STATUS    RESTARTS   AGE',
      'ADDED      shop        pod/web-1             1/1     Running   0          60m',
      '',
      'EVENT      NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE',
      'ADDED      shop        deployment.apps/web   2/2     2            2           24h',
      '',
    ]);
    expect(lines(table.events([event('MODIFIED', pod('web-1')), event('MODIFIED', deployment('web'))]))).toEqual([
      'EVENT      NAMESPACE   NAME                  READY   STATUS    RESTARTS   AGE',
      'MODIFIED   shop        pod/web-1             1/1     Running   0          60m',
      'EVENT      NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE',
      'MODIFIED   shop        deployment.apps/web   2/2     2            2           24h',
      '',
    ]);
  });

  test('repeats a heading when it returns to a type after many lines', () => {
    const table = printer();
    table.events([event('ADDED', deployment('web'))]);
    for (let i = 0; i < 41; i++) table.events([event('ADDED', pod('web-1'))]);
    expect(lines(table.events([event('MODIFIED', deployment('web'))]))).toEqual([
      '',
      'EVENT      NAME    READY   UP-TO-DATE   AVAILABLE   AGE',
      'MODIFIED   web     2/2     2            2           24h',
      '',
    ]);
  });

  test('goes on with the columns it knows for an object that comes without', () => {
    const table = printer();
    table.events([event('ADDED', pod('web-1'))]);
    expect(table.events([event('DELETED', JSON.parse(JSON.stringify(pod('web-2'))))])).toBe(
      `DELETED    web-2${' '.repeat(32)}60m\n`,
    );
    const none = withCells(JSON.parse(JSON.stringify(pod('web-3'))), { columns: [], cells: [] });
    expect(table.events([event('DELETED', none)])).toBe(`DELETED    web-3${' '.repeat(32)}60m\n`);
  });

  test('has a new heading when the columns of a type change', () => {
    const table = printer();
    table.events([event('ADDED', pod('web-1'))]);
    const other = withCells(pod('web-1'), { columns: POD_COLUMNS.slice(0, 2), cells: ['web-1', '1/1'] });
    expect(lines(table.events([event('MODIFIED', other)]))).toEqual([
      '',
      'EVENT      NAME    READY',
      'MODIFIED   web-1   1/1',
      '',
    ]);
  });

  test('computes ages again for every batch', () => {
    const table = new TablePrinter({ clock: { now: () => Date.UTC(2026, 0, 1, 11, 0, 5) }, noHeaders: true });
    expect(table.events([event('ADDED', pod('web-1'))])).toBe('ADDED      web-1   1/1   Running   0     5s\n');
  });

  test('paints the event and the heading when their widths are settled', () => {
    expect(lines(printer({ painter: markingPainter }).events([event('ADDED', pod('w'))]))).toEqual([
      '*EVENT      **NAME   **READY   **STATUS    **RESTARTS   **AGE*',
      '<ADDED>ADDED      </>w      1/1     <good>Running   </>0          60m',
      '',
    ]);
  });

  test('with several types colours names by type, in answers too', () => {
    const marked = printer({ painter: markingPainter, showKind: true, noHeaders: true });
    expect(lines(marked.objects(answer(pod('w', 'Error'), deployment('d'))))).toEqual([
      '<pod>pod/w   </>1/1   <bad>Error   </>0     60m',
      '<deployment.apps>deployment.apps/d   </>2/2   2     2     24h',
      '',
    ]);
  });

  test('leads with the time where asked for', () => {
    const table = printer({ timestamps: 'rfc3339', painter: markingPainter });
    expect(lines(table.events([event('ADDED', pod('w'))]))).toEqual([
      '*TIME                       **EVENT      **NAME   **READY   **STATUS    **RESTARTS   **AGE*',
      '_2026-01-01T12:00:00.000Z   _<ADDED>ADDED      </>w      1/1     <good>Running   </>0          60m',
      '',
    ]);
    expect(lines(printer({ timestamps: 'rfc3339' }).objects(answer(pod('w')))).at(0)).toBe(
      'NAME   READY   STATUS    RESTARTS   AGE',
    );
  });
});

describe('a stream that goes on', () => {
  test('has room for later values of pods, so that later rows are aligned with their headings', () => {
    const stream = printer({ room: 200 });
    const [heading, ...rows] = lines(
      stream.events([event('ADDED', pod('web-1'))]) +
        stream.events([event('MODIFIED', pod('web-1', 'ContainerCreating'))]),
    );
    const at = heading?.indexOf('RESTARTS') ?? 0;
    expect(rows.slice(0, 2).map((row) => row.slice(at - 3, at + 1))).toEqual(['   0', '   0']);
    expect(heading).toBe('EVENT      NAME    READY   STATUS              RESTARTS        AGE');
    expect(lines(printer({ room: 200 }).events([event('ADDED', deployment('web'))]))[0]).not.toContain(
      '    READY      ',
    );
  });

  test.each([
    [66, 'EVENT      NAME    READY   STATUS              RESTARTS        AGE'],
    [65, 'EVENT      NAME    READY   STATUS              RESTARTS   AGE'],
    [60, 'EVENT      NAME    READY   STATUS    RESTARTS        AGE'],
    [50, 'EVENT      NAME    READY   STATUS    RESTARTS   AGE'],
  ])('has that room only as far as a line fits into %d columns', (room, heading) => {
    expect(lines(printer({ room }).events([event('ADDED', pod('web-1'))]))[0]).toBe(heading);
  });

  test('gives each block of a type a heading of its own', () => {
    const stream = printer({ showKind: true });
    const blocks = [
      ['pod', 3],
      ['deployment', 1],
      ['pod', 2],
      ['deployment', 4],
      ['pod', 1],
    ] as const;
    const text = blocks.map(([kind, rows]) =>
      stream.events(
        Array.from({ length: rows }, (_, i) => event('MODIFIED', kind === 'pod' ? pod(`p${i}`) : deployment(`d${i}`))),
      ),
    );
    const headings = text.map((block) => lines(block).filter((line) => line.startsWith('EVENT')));
    expect(headings.map((all) => all.map((line) => (line.includes('STATUS') ? 'pod' : 'deployment')))).toEqual(
      blocks.map(([kind]) => [kind]),
    );
    expect(text.map((block) => block.startsWith('\n'))).toEqual([false, true, true, true, true]);
  });

  test('has no row below the heading of another type', () => {
    const stream = printer({ showKind: true });
    const turns = Array.from({ length: 30 }, (_, i) => [
      event('MODIFIED', pod('a')),
      ...(i % 3 === 0 ? [event('MODIFIED', pod('c'))] : []),
      event('MODIFIED', deployment('b')),
    ]).map((batch) => stream.events(batch));
    let heading = '';
    for (const line of lines(turns)) {
      if (line.startsWith('EVENT')) heading = line;
      else if (line !== '') expect(heading).toContain(line.includes('pod/') ? 'STATUS' : 'UP-TO-DATE');
    }
  });

  test('has an empty line before a new type and before a block, and none where types take turns', () => {
    const stream = printer({ showKind: true });
    const turn = [event('MODIFIED', pod('a')), event('MODIFIED', deployment('b'))];
    const emptyLines = (text: string) =>
      lines(text)
        .slice(0, -1)
        .filter((line) => line === '').length;
    expect([turn, turn, [...turn.slice(0, 1), ...turn], turn].map((batch) => emptyLines(stream.events(batch)))).toEqual(
      [1, 0, 2, 0],
    );
  });
});

describe('a stream on a terminal', () => {
  const on = (width: number, options: Partial<TablePrinterOptions> = {}) => printer({ width: () => width, ...options });

  test('has words as long as every line with them fits', () => {
    const words = [
      'EVENT      NAME    READY   STATUS    RESTARTS   AGE',
      'ADDED      web-1   1/1     Running   0          60m',
    ];
    expect(lines(on(51).events([event('ADDED', pod('web-1'))])).slice(0, 2)).toEqual(words);
    expect(lines(on(50).events([event('ADDED', pod('web-1'))])).slice(0, 2)).toEqual([
      '  NAME   READY  STATUS   RESTARTS  AGE',
      '+ web-1  1/1    Running  0         60m',
    ]);
  });

  test('has signs from the first line on that does not fit with words, with a new heading, also for what left', () => {
    const stream = on(52, { painter: markingPainter, noHeaders: false });
    stream.events([event('ADDED', pod('web-1'))]);
    const left = event('DELETED', pod('a'));
    expect(
      lines(
        stream.events([event('MODIFIED', pod('a-longer-name'))]) +
          stream.events([
            event('DELETED', pod('web-1')),
            { ...left, event: { ...left.event, cause: 'filter' } },
            event('ADDED', pod('a')),
          ]),
      ).map((line) => line.replaceAll(/<\/?(?:good)?>|\*/g, '')),
    ).toEqual([
      '',
      '  NAME           READY  STATUS   RESTARTS  AGE',
      '<MODIFIED>~ a-longer-name  1/1    Running  0         60m',
      '<DELETED>- web-1          1/1    Running  0         60m',
      '<LEFT>< a              1/1    Running  0         60m',
      '<ADDED>+ a              1/1    Running  0         60m',
      '',
    ]);
  });

  test('never lets one long cell push later rows out of the terminal; that row closes up, and names stay whole', () => {
    const stream = on(63);
    const [, first, long, after] = lines(
      stream.events([event('ADDED', pod('a-name-of-twenty-four-c-1'))]) +
        stream.events([event('MODIFIED', pod('a-name-of-twenty-four-c-2', 'Init:CrashLoopBackOff'))]) +
        stream.events([event('MODIFIED', pod('a-name-of-twenty-four-c-3'))]),
    );
    expect(first).toBe('+ a-name-of-twenty-four-c-1  1/1    Running  0         60m');
    expect(long).toBe('~ a-name-of-twenty-four-c-2  1/1  Init:CrashLoopBackOff  0  60m');
    expect(after).toBe('~ a-name-of-twenty-four-c-3  1/1    Running  0         60m');
  });

  test('fits 80 columns with names of 25 characters, all namespaces and every state of a pod', () => {
    const stream = on(80, { withNamespace: true, room: 80 });
    const states = ['Pending', 'ContainerCreating', 'Running', 'CrashLoopBackOff', 'Terminating'];
    const text = states.map((state) => stream.events([event('MODIFIED', pod('checkout-8956f7b4c-2xq4l', state))]));
    for (const line of lines(text)) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines(text).filter((line) => line.startsWith('~'))).toHaveLength(5);
  });

  test('keeps columns apart as far as possible where long names leave no room for all', () => {
    const stream = on(56);
    const names = ['a-name-of-twenty-two-c1', 'short', 'b-name-of-twenty-two-c1'];
    expect(lines(stream.events(names.map((name) => event('ADDED', pod(name, 'Completed')))))).toEqual([
      '  NAME                     READY  STATUS  RESTARTS  AGE',
      '+ a-name-of-twenty-two-c1  1/1    Completed  0      60m',
      '+ short                    1/1    Completed  0      60m',
      '+ b-name-of-twenty-two-c1  1/1    Completed  0      60m',
      '',
    ]);
  });

  test('lays out lines that cannot fit as kubectl does', () => {
    const stream = on(40, { wide: true });
    expect(lines(stream.events([event('ADDED', pod('web-1')), event('ADDED', pod('a-longer-name'))]))).toEqual([
      '  NAME            READY   STATUS    RESTARTS   AGE   IP         NODE   NOMINATED NODE   READINESS GATES',
      '+ web-1           1/1     Running   0          60m   10.0.0.1   n1     <none>           <none>',
      '+ a-longer-name   1/1     Running   0          60m   10.0.0.1   n1     <none>           <none>',
      '',
    ]);
  });

  test('has signs for every type once one needs them, and times behind them', () => {
    const stream = on(75, { showKind: true, timestamps: 'rfc3339' });
    const text = stream.events([event('ADDED', deployment('web')), event('ADDED', pod('web-1'))]);
    expect(lines(text).map((line) => line.slice(0, 35))).toEqual([
      '  TIME                      NAME   ',
      '+ 2026-01-01T12:00:00.000Z  deploym',
      '',
      '  TIME                      NAME   ',
      '+ 2026-01-01T12:00:00.000Z  pod/web',
      '',
    ]);
  });

  test('has signs where only the heading does not fit with words', () => {
    const young = pod('web-1', 'Running', { metadata: { name: 'web-1', creationTimestamp: '2026-01-01T11:59:55Z' } });
    expect(lines(on(50).events([event('ADDED', young)]))[0]).toMatch(/^ {2}NAME/);
    expect(on(50, { noHeaders: true }).events([event('ADDED', young)])).toMatch(/^ADDED/);
  });

  test('follows the width that the terminal has now', () => {
    let width = 60;
    const stream = printer({ width: () => width, noHeaders: true });
    expect(stream.events([event('ADDED', pod('web-1'))])).toMatch(/^ADDED /);
    width = 40;
    expect(stream.events([event('MODIFIED', pod('web-1'))])).toMatch(/^~ web-1 /);
  });
});
