import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { EventWriter, type EventWriterOptions } from '../../../src/cli/watch/event-writer.ts';
import type { GatheredEvents, PrintedEvent, Printer } from '../../../src/output/printer.ts';
import type { EventEnvelope, EventType } from '../../../src/stream/envelope.ts';
import type { StreamTarget } from '../../../src/stream/event-stream.ts';
import { StreamSummary } from '../../../src/stream/summary.ts';

const target = (resource: string) =>
  ({ type: { gvr: { group: '', version: 'v1', resource }, kind: resource } }) as unknown as StreamTarget;
const [PODS, NODES] = [target('pods'), target('nodes')];
const event = (type: EventType, name: string) =>
  ({ type, key: name, object: { metadata: { name } } }) as unknown as EventEnvelope;

/** Prints what it is given together in brackets. */
const printer: Printer = {
  events(batch: readonly PrintedEvent[]) {
    if (batch.some(({ event: { key } }) => key === 'bad')) throw new Error('cannot print bad');
    return `[${batch.map(({ event: { type, key } }) => `${type[0]} ${key}`).join(', ')}]`;
  },
  marker: () => '',
  objects: () => [],
};

function writing(options: Partial<EventWriterOptions> = {}) {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const sink = new TextSink(stream);
  const summary = new StreamSummary();
  const failures: string[] = [];
  const onFailure = (error: unknown, { event: { key } }: PrintedEvent) =>
    void failures.push(`${key}: ${(error as Error).message}`);
  const writer = new EventWriter({ printer, sink, summary, gatherInitial: true, onFailure, ...options });
  return {
    writer,
    summary,
    failures,
    text: async () => {
      await sink.drained();
      return text;
    },
  };
}

it('buffers the initial list of a type until it is complete, with its changes before that, and no other type', async () => {
  const { writer, text } = writing();
  writer.print(event('ADDED', 'a'), PODS);
  writer.print(event('MODIFIED', 'a'), PODS);
  writer.print(event('ADDED', 'n'), NODES);
  expect(await text()).toBe('');
  writer.initialDone(PODS);
  writer.print(event('DELETED', 'a'), PODS);
  expect(await text()).toBe('[A a, M a][D a]');
  writer.initialDone(NODES);
  expect(await text()).toBe('[A a, M a][D a][A n]');
});

it('prints at once what need not be laid out together', async () => {
  const { writer, text } = writing({ gatherInitial: false });
  writer.print(event('ADDED', 'a'), PODS);
  writer.print(event('ADDED', 'b'), PODS);
  writer.initialDone(PODS);
  expect(await text()).toBe('[A a][A b]');
});

it('ends at the limit with all that counts towards it printed, and nothing more', async () => {
  let reached = 0;
  const { writer, text, summary } = writing({ limit: 2, onLimit: () => reached++ });
  for (const name of ['a', 'b', 'c']) writer.print(event('ADDED', name), PODS);
  writer.initialDone(PODS);
  expect(await text()).toBe('[A a, A b]');
  expect([reached, summary.total]).toEqual([1, 2]);
});

it('leaves out an event that cannot be printed, reports it, and counts it as an expression error', async () => {
  const { writer, text, summary, failures } = writing();
  for (const name of ['a', 'b', 'bad', 'c']) writer.print(event('ADDED', name), PODS);
  writer.initialDone(PODS);
  writer.print(event('MODIFIED', 'bad'), PODS);
  writer.print(event('MODIFIED', 'c'), PODS);
  expect(await text()).toBe('[A a, A b][A c][M c]');
  expect(failures).toEqual(['bad: cannot print bad', 'bad: cannot print bad']);
  expect([summary.total, summary.losses.expressionErrors]).toEqual([4, 2]);
});

it('does not count an event that cannot be printed towards the limit', async () => {
  let reached = 0;
  const { writer, text } = writing({ gatherInitial: false, limit: 2, onLimit: () => reached++ });
  for (const name of ['a', 'bad']) writer.print(event('ADDED', name), PODS);
  expect(reached).toBe(0);
  writer.print(event('ADDED', 'b'), PODS);
  expect([reached, await text()]).toEqual([1, '[A a][A b]']);
});

it('prints at the end what it still holds back, for it was counted', async () => {
  const { writer, text, summary } = writing();
  writer.print(event('ADDED', 'a'), PODS);
  writer.print(event('ADDED', 'n'), NODES);
  writer.end();
  writer.end();
  expect(await text()).toBe('[A a, A n]');
  expect(summary.total).toBe(2);
});

it('makes its caller wait while the reader has no room', async () => {
  let release = () => {};
  const stream = new Writable({
    highWaterMark: 1,
    write(_chunk, _, done) {
      release = done;
    },
  });
  const sink = new TextSink(stream);
  const writer = new EventWriter({
    printer,
    sink,
    summary: new StreamSummary(),
    gatherInitial: false,
    onFailure: () => {},
  });
  writer.print(event('ADDED', 'a'), PODS);
  await new Promise(setImmediate);
  const second = writer.print(event('ADDED', 'b'), PODS);
  expect(second).toBeInstanceOf(Promise);
  release();
  await new Promise(setImmediate);
  release();
  await second;
});

it('prints a gathered list when it is complete, without those that cannot be printed', async () => {
  const words: string[] = [];
  const gathered: GatheredEvents = {
    add({ event: { key } }) {
      if (key === 'bad') throw new Error('cannot print bad');
      words.push(key);
    },
    *text() {
      yield* words.map((word) => `<${word}>`);
    },
    clear: () => words.splice(0).length,
  };
  const { writer, summary, failures, text } = writing({ gathered });
  for (const name of ['old', 'older']) writer.print(event('ADDED', name), PODS);
  expect(writer.forget(PODS)).toBe(true);
  expect(summary.total).toBe(0);
  for (const name of ['a', 'bad', 'b']) writer.print(event('ADDED', name), PODS);
  expect(await text()).toBe('');
  writer.initialDone(PODS);
  await writer.gatheredDone(new AbortController().signal);
  expect(await text()).toBe('<a><b>');
  expect(failures).toEqual(['bad: cannot print bad']);
  expect(summary.total).toBe(2);
});

it('does not wait for a reader of the gathered list who reads no more, once the command is to end', async () => {
  const pieces = ['a', 'b', 'c'];
  const gathered: GatheredEvents = { add: () => {}, clear: () => 0, text: () => pieces };
  const written: string[] = [];
  const sink = {
    write: (text: string) => {
      written.push(text);
      return false;
    },
    ready: () => new Promise<void>(() => {}),
  } as unknown as TextSink;
  const { writer } = writing({ gathered, sink });
  const ending = new AbortController();
  const done = writer.gatheredDone(ending.signal);
  ending.abort(new Error('SIGINT'));
  await done;
  expect(written).toEqual(['a']);
});
