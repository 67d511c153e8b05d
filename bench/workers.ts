// node bench/workers.ts [PODS]: a list that one thread splits and parses, beside one that a worker splits and trims so
// that the main thread only parses: CPU of the main thread and of the process (docs/decisions/workers.md).
import { on } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { parserOf } from '../src/client/decode/huge-numbers.ts';
import { ItemsSplitter } from '../src/client/decode/items-splitter.ts';
import { findManagedFields, OF_OBJECT, splice } from '../src/client/decode/managed-fields.ts';
import { median } from './results.ts';
import { listBody, PODS } from './stages/bodies.ts';

/** The texts of some items, one behind the other, and where each ends. */
interface Texts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
}

interface Spent {
  readonly main: number;
  readonly process: number;
}

const ROUNDS = 5;
const CHUNK = 128 * 1024;
const HEAD = '{"kind":"Pod","apiVersion":"v1",';

if (isMainThread) await compare(Number(process.argv[2] ?? 10_000));
else splitInWorker(workerData as number);

async function compare(count: number): Promise<void> {
  const body = listBody(count, {});
  const alone: Spent[] = [];
  const split: Spent[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(parsedAlone(body, count));
    split.push(await parsedBehindWorker(count));
  }
  const middle = (samples: readonly Spent[], of: keyof Spent) =>
    ((median(samples.map((sample) => sample[of])) ?? 0) / count).toFixed(1);
  for (const [name, samples] of Object.entries({ 'one thread': alone, 'split in a worker': split }))
    console.log(
      `${name}: ${middle(samples, 'main')} µs of the main thread an object, ${middle(samples, 'process')} of the process`,
    );
}

function parsedAlone(body: Buffer, count: number): Spent {
  const parse = parserOf(PODS);
  const spent = stopwatch();
  const splitter = new ItemsSplitter<unknown>({
    decode: (bytes) => {
      const cut = findManagedFields(bytes, OF_OBJECT);
      return parse(bytes, splice(bytes, { head: HEAD, from: 1, cut }).text, cut);
    },
  });
  const objects = [...chunksOf(body)].flatMap((chunk) => splitter.push(chunk));
  objects.push(...splitter.finish());
  return checked(objects, count, spent());
}

async function parsedBehindWorker(count: number): Promise<Spent> {
  const parse = parserOf(PODS);
  const worker = new Worker(new URL(import.meta.url), { workerData: count });
  const objects: unknown[] = [];
  let spent = stopwatch();
  for await (const message of messagesOf(worker)) {
    if (message === 'ready') {
      spent = stopwatch();
      worker.postMessage('begin');
      continue;
    }
    const bytes = Buffer.from(message.bytes.buffer);
    let from = 0;
    for (const end of message.ends) {
      objects.push(parse(bytes.subarray(from, end), bytes.toString('utf8', from, end)));
      from = end;
    }
  }
  const found = spent();
  await worker.terminate();
  return checked(objects, count, found);
}

/** The messages of a worker until it says that it has ended. */
async function* messagesOf(worker: Worker): AsyncGenerator<Texts | 'ready'> {
  for await (const [message] of on(worker, 'message') as AsyncIterable<[Texts | 'ready' | 'end']>) {
    if (message === 'end') return;
    yield message;
  }
}

function splitInWorker(count: number): void {
  const body = listBody(count, {});
  const splitter = new ItemsSplitter<Buffer>({
    decode: (bytes) => {
      const { bytes: text } = splice(bytes, { head: HEAD, from: 1, cut: findManagedFields(bytes, OF_OBJECT) });
      return Buffer.from(text as Buffer);
    },
  });
  parentPort?.once('message', () => {
    const post = (items: readonly Buffer[]) => {
      const texts = joined(items);
      parentPort?.postMessage(texts, [texts.bytes.buffer, texts.ends.buffer]);
    };
    for (const chunk of chunksOf(body)) post(splitter.push(chunk));
    post(splitter.finish());
    parentPort?.postMessage('end');
  });
  parentPort?.postMessage('ready');
}

function joined(items: readonly Buffer[]): Texts {
  const bytes = new Uint8Array(items.reduce((sum, { length }) => sum + length, 0));
  const ends = new Uint32Array(items.length);
  let end = 0;
  for (const [i, item] of items.entries()) {
    bytes.set(item, end);
    ends[i] = end += item.length;
  }
  return { bytes, ends };
}

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK);
}

/** Starts to count; the result gives the CPU time since then, µs. */
function stopwatch(): () => Spent {
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const sum = ({ user, system }: NodeJS.CpuUsage) => user + system;
  return () => ({ main: sum(process.threadCpuUsage(thread)), process: sum(process.cpuUsage(all)) });
}

function checked(objects: readonly unknown[], count: number, spent: Spent): Spent {
  if (objects.length !== count) throw new Error(`${objects.length} of ${count} objects were parsed`);
  return spent;
}
