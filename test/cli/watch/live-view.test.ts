import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Io, TextSink } from '../../../src/cli/terminal/io.ts';
import { LiveView, type LiveViewOptions } from '../../../src/cli/watch/live-view.ts';
import type { LiveTable } from '../../../src/output/live/live-table.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import type { EventEnvelope } from '../../../src/stream/envelope.ts';
import type { StreamTarget } from '../../../src/stream/event-stream.ts';
import { StreamSummary } from '../../../src/stream/summary.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const TARGET = { type: {} } as StreamTarget;
const event = { type: 'ADDED', key: 'a' } as EventEnvelope;

/**
 * A view whose table says what is asked of it; what goes to either stream is gathered as one text, as on a terminal.
 */
function viewing(options: Partial<LiveViewOptions> = {}) {
  let text = '';
  const stream = () =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk, _, done) {
          text += chunk;
          done();
        },
      }),
      { isTTY: true, columns: 100, rows: 10 },
    );
  const [out, err] = [stream(), stream()];
  const io: Io = { stdout: new TextSink(out), stderr: new TextSink(err), env: {} };
  const clock = new FakeClock();
  const summary = new StreamSummary();
  let rows = 0;
  const table = {
    update: (_: PrintedEvent) => rows++,
    frame: ({ columns }: { columns: number }) => `<${rows} in ${columns}>`,
    disconnected: () => {},
    clear: () => '<clear>',
    end: () => '<end>',
    finish: () => {},
  } as unknown as LiveTable;
  const view = new LiveView({ table, io, clock, summary, outages: () => [], ...options });
  const since = () => {
    const now = text;
    text = '';
    return now;
  };
  return { view, io, clock, summary, out, since };
}

describe('a live view', () => {
  it('draws a tenth of a second after the first change, however many come, and every second for the ages', () => {
    const { view, clock, since } = viewing();
    clock.tick(900);
    expect(since()).toBe('');
    view.print(event, TARGET);
    view.print(event, TARGET);
    clock.tick(99);
    expect(since()).toBe('');
    clock.tick(1);
    expect(since()).toBe('<2 in 100>');
    clock.tick(2000);
    expect(since()).toBe('<2 in 100><2 in 100>');
  });

  it('draws at once when the terminal has another size', () => {
    const { out, since } = viewing();
    out.columns = 60;
    out.emit('resize');
    expect(since()).toBe('<0 in 60>');
  });

  it('makes room for what else is printed, and comes back below it', () => {
    const { io, clock, since } = viewing();
    io.stderr.writeNow('a notice\n');
    expect(since()).toBe('<clear>a notice\n');
    clock.tick(100);
    expect(since()).toBe('<0 in 100>');
  });

  it('draws the last state once more when it is done, and nothing after it, however often it is disposed', () => {
    const { view, io, clock, out, since } = viewing();
    view.print(event, TARGET);
    view[Symbol.dispose]();
    view[Symbol.dispose]();
    expect(since()).toBe('<clear><1 in 100><end>');
    out.emit('resize');
    clock.tick(5000);
    io.stderr.writeNow('the summary\n');
    expect(since()).toBe('the summary\n');
    expect(out.listenerCount('resize')).toBe(0);
  });

  it('counts what it shows, up to the limit', () => {
    let reached = 0;
    const { view, summary } = viewing({ limit: 2, onLimit: () => reached++ });
    for (let i = 0; i < 4; i++) view.print(event, TARGET);
    expect([summary.total, reached]).toEqual([2, 1]);
  });
});
