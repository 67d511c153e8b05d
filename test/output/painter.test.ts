import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseOutputFormat } from '../../src/output/formats.ts';
import { LiveTable } from '../../src/output/live/live-table.ts';
import { loadPainter, plainPainter } from '../../src/output/painter.ts';
import type { PrintedEvent } from '../../src/output/printer.ts';
import { clock, createPrinter, deployment, event, pod } from './fixtures.ts';

const before = pod('web-1', 'Pending', { spec: { a: 1, gone: true, text: 'x\ny', nested: { list: [1, 2] } } });
const after = pod('web-1', 'CrashLoopBackOff', {
  spec: { a: 2, come: { b: 1 }, text: 'x\nz', nested: { list: [1, 3] } },
});
const modified = event('MODIFIED', after);
const EVENTS: PrintedEvent[] = [
  event('ADDED', before),
  event('ADDED', deployment('web')),
  { ...modified, event: { ...modified.event, oldObject: before } },
  event('DELETED', pod('web-2', 'Completed')),
];

describe('colours change no character and no width', () => {
  it.each(['', 'wide', 'diff', 'changes'])('with -o %s', async (format) => {
    const print = async (level: 0 | 1 | 3) => {
      const options = { clock, showKind: true, timestamps: 'rfc3339' as const, painter: await loadPainter(level) };
      return (await createPrinter(parseOutputFormat(format), options)).events(EVENTS);
    };
    const plain = await print(0);
    for (const level of [1, 3] as const) {
      const colored = await print(level);
      expect(colored).not.toBe(plain);
      expect(stripVTControlCharacters(colored)).toBe(plain);
    }
  });

  it.each([80, 40, 20])('in a live table of %i columns', async (columns) => {
    const frames = async (level: 0 | 1) => {
      const live = new LiveTable({ showKind: true, painter: await loadPainter(level) });
      const frame = (now: number) => stripVTControlCharacters(live.frame({ columns, rows: 20 }, now));
      live.update(event('ADDED', before));
      const first = frame(0);
      for (const each of EVENTS) live.update(each);
      live.update(event('DELETED', after));
      return [first, frame(1000)];
    };
    expect(await frames(1)).toEqual(await frames(0));
  });
});

it('has no colours at level 0', async () => {
  expect(await loadPainter(0)).toBe(plainPainter);
});

it('gives a type the same colour wherever it comes', async () => {
  const [one, other] = [await loadPainter(1), await loadPainter(1)];
  for (const name of ['pod', 'deployment.apps', 'node', 'ingress.networking.k8s.io'])
    expect(one.type(name, 'x')).toBe(other.type(name, 'x'));
  expect(new Set(['pod', 'deployment.apps', 'node'].map((name) => one.type(name, 'x'))).size).toBeGreaterThan(1);
});

it('colours events, headings and states', async () => {
  const colored = (await createPrinter(parseOutputFormat(''), { clock, painter: await loadPainter(1) })).events(
    EVENTS.slice(0, 3),
  );
  expect(colored).toContain('\u001b[32mADDED');
  expect(colored).toContain('\u001b[1mEVENT');
  expect(colored).toContain('\u001b[33mPending');
  expect(colored).toContain('\u001b[31mCrashLoopBackOff');
});
