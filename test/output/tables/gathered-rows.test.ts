import { expect, test } from 'vitest';
import { withCells } from '../../../src/model/cells.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import { TablePrinter, type TablePrinterOptions } from '../../../src/output/tables/table-printer.ts';
import { clock, deployment, event, lines, markingPainter, POD_COLUMNS, pod } from '../fixtures.ts';

const printer = (options: Partial<TablePrinterOptions> = {}) => new TablePrinter({ clock, ...options });

function gatheredText(options: Partial<TablePrinterOptions>, events: readonly PrintedEvent[]): string {
  const gathered = printer(options).gathered();
  if (!gathered) throw new Error('the events themselves have to be kept');
  for (const each of events) gathered.add(each);
  return [...gathered.text()].join('');
}

const unborn = (name: string) => {
  const { metadata, ...rest } = pod(name);
  const { creationTimestamp: _, ...known } = metadata;
  return withCells(
    { ...rest, metadata: known },
    { columns: POD_COLUMNS, cells: [name, '1/1', 'Running', 0, '<long ago>'] },
  );
};

test('gathered rows have the text of the events printed together', () => {
  const events = [
    event('ADDED', pod('web-1')),
    event('ADDED', pod('a-much-longer-name', 'CrashLoopBackOff')),
    event('ADDED', unborn('of-no-age')),
    event('ADDED', deployment('web')),
    event('ADDED', deployment('web-2')),
    event('ADDED', pod('web-2')),
  ];
  for (const options of [{}, { noHeaders: true }, { wide: true, withNamespace: true, showLabels: true }])
    expect(gatheredText(options, events)).toBe(printer(options).events(events));
});

test.each([999, 1000, 1001, 2500])('%i rows, of letters of any script, have the text of the events', (count) => {
  const events = Array.from({ length: count }, (_, i) =>
    event('ADDED', pod(`web-${i}`, ['Running', '', 'wartet auf Prüfung', '実行中', 'two\nlines\0'][i % 5])),
  );
  expect(gatheredText({}, events)).toBe(printer().events(events));
});

test('the text comes in pieces, and ages are those of its time', () => {
  let now = clock.now();
  const gathered = printer({ clock: { now: () => now } }).gathered();
  const one = event('ADDED', pod('web'));
  for (let i = 0; i < 1500; i++) gathered?.add(one);
  now += 100_000 * 3_600_000;
  const pieces = [...(gathered?.text() ?? [])];
  expect(pieces.map((piece) => lines(piece).length - 1)).toEqual([1001, 500]);
  expect(lines(pieces[0] ?? '').slice(0, 2)).toEqual([
    'EVENT      NAME   READY   STATUS    RESTARTS   AGE',
    'ADDED      web    1/1     Running   0          11y',
  ]);
});

test('rows that were cleared are not printed', () => {
  const gathered = printer().gathered();
  gathered?.add(event('ADDED', pod('web')));
  expect(gathered?.clear()).toBe(1);
  expect(gathered?.clear()).toBe(0);
  expect([...(gathered?.text() ?? [])]).toEqual([]);
});

test('with colours, times or a terminal to fit into, and in streams that continue, events are kept themselves', () => {
  const all = [{ painter: markingPainter }, { timestamps: 'relative' }, { width: () => 80 }, { room: 100 }] as const;
  for (const options of all) expect(printer(options).gathered()).toBeUndefined();
  expect(printer({ width: () => undefined }).gathered()).toBeDefined();
});
