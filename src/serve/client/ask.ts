import { connect, type Socket } from 'node:net';
import { onAbort } from '../../kit/abort.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { afterOwnTime } from '../../kit/own-time.ts';
import type { FoundServe } from '../find.ts';
import {
  type AnswerTrailer,
  END_TRAILER,
  isThisProtocol,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  protocolError,
  QUERY_PATH,
  type QueryRequest,
} from '../protocol.ts';
import { isNotListening } from './listening.ts';

/** The outcome of a query. `gone`: no process listens there any more. */
export type Asked =
  | { readonly kind: 'answered'; readonly end: AnswerTrailer }
  | { readonly kind: 'unserved'; readonly reason: string }
  | { readonly kind: 'gone' };

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Gets the text of the answer, in pieces. The socket is read on when it resolves. */
  take(text: string): void | Promise<void>;
}

/**
 * How long a serve may be silent while this process runs, ms. One that works on an answer is silent too, but answers a
 * second request, which is sent after `PROBE_MS`, or refuses it; one that was stopped (SIGSTOP) does neither.
 */
export const SILENCE_MS = 5_000;
const PROBE_MS = 3_000;

const LARGEST_HEAD = 16 * 1024;
const LARGEST_SIZE = 8;
/** The largest trailer, 16 MiB: it has a line for each name that does not exist. */
const LARGEST_END = 16_777_216;

/**
 * Asks a serve a question and hands on the text of its answer, as fast as `take` resolves. Never waits without a limit:
 * rejects with `transport` for a serve that is silent for 5 s or ends in the middle of its answer, with `config` for one
 * of another protocol version, and with the signal's reason if that aborts.
 */
export async function askServe(serve: FoundServe, question: QueryRequest, options: AskOptions): Promise<Asked> {
  const who = `the serve with pid ${serve.about.pid}`;
  if (!isThisProtocol(serve.about.protocol)) throw protocolError(String(serve.about.protocol), who);
  const { signal, clock } = options;
  signal.throwIfAborted();
  const socket = connect(serve.socket);
  using _cut = onAbort(signal, () => socket.destroy(signal.reason as Error));
  const silent = () =>
    socket.destroy(
      new InformerError('transport', `${who} has not answered for ${SILENCE_MS / 1000}s`, {
        hint: `was it stopped? kill -CONT ${serve.about.pid} continues it, kill -KILL ${serve.about.pid} ends it`,
      }),
    );
  const bytes = new ReadBytes(socket, {
    waiting: () => heardOf(serve.socket, clock, silent),
    ended: () => cutOff(who),
  });
  try {
    socket.write(requestText(JSON.stringify(question)));
    checkHead((await bytes.until('\r\n\r\n', LARGEST_HEAD, 'its head')).toString('latin1'), who);
    const end = await readBody(bytes, options.take);
    return end.unserved === undefined ? { kind: 'answered', end } : { kind: 'unserved', reason: end.unserved };
  } catch (error) {
    if (isNotListening(error as Error) && !bytes.hasBegun) return { kind: 'gone' };
    if (signal.aborted) throw signal.reason;
    throw error instanceof InformerError ? error : cutOff(who, error);
  } finally {
    dismiss(socket);
  }
}

function dismiss(socket: Socket): void {
  socket.on('error', () => {}); // of what is not read any more
  socket.destroy();
}

function requestText(body: string): string {
  return [
    `POST ${QUERY_PATH} HTTP/1.1`,
    'host: serve',
    'connection: close',
    `${PROTOCOL_HEADER}: ${PROTOCOL_VERSION}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** Calls `silent` once a serve has answered neither what waits nor a second request for {@link SILENCE_MS}. */
function heardOf(address: string, clock: Clock, silent: () => void): Disposable {
  let timer: Timer;
  let probe: Socket | undefined;
  const end = () => {
    timer.cancel();
    probe?.removeAllListeners('close').destroy();
  };
  const heard = () => {
    end();
    begin();
  };
  const begin = () => {
    timer = afterOwnTime(clock, PROBE_MS, () => {
      timer = afterOwnTime(clock, SILENCE_MS - PROBE_MS, silent);
      const asking = connect(address, () => {
        asking.once('data', heard);
        asking.once('close', heard); // by a serve that has no connection free, so it runs
        asking.write('HEAD /healthz HTTP/1.1\r\nhost: serve\r\n\r\n');
      });
      asking.on('error', () => {}); // before it is connected: then the connection that waits breaks too
      probe = asking;
    });
  };
  begin();
  return { [Symbol.dispose]: end };
}

interface Reading {
  /** Called while bytes are waited for. Its result is disposed of when they are there. */
  waiting(): Disposable;
  /** The error for a connection that has ended. */
  ended(): Error;
}

/** The bytes of a connection, read as they are asked for. */
class ReadBytes {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #reading: Reading;
  #bytes: Buffer = Buffer.alloc(0);
  hasBegun = false;

  constructor(source: AsyncIterable<Uint8Array>, reading: Reading) {
    this.#source = source[Symbol.asyncIterator]();
    this.#reading = reading;
  }

  /** The bytes before `end`, which is taken too. Throws if they are more than `most`: `what` is too long. */
  async until(end: string, most: number, what: string): Promise<Buffer> {
    for (let from = 0; ; ) {
      const at = this.#bytes.indexOf(end, from);
      if (at !== -1) return this.#take(at, end.length);
      if (this.#bytes.length > most) throw new Error(`${what} is too long`);
      from = Math.max(0, this.#bytes.length - end.length);
      await this.#read();
    }
  }

  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; ) {
      if (this.#bytes.length === 0) await this.#read();
      const part = this.#take(Math.min(left, this.#bytes.length));
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  #take(length: number, skipped = 0): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length + skipped);
    return taken;
  }

  async #read(): Promise<void> {
    using _ = this.#reading.waiting();
    const { done, value } = await this.#source.next();
    if (done) throw this.#reading.ended();
    this.hasBegun = true;
    this.#bytes = Buffer.concat([this.#bytes, value]);
  }
}

function checkHead(head: string, who: string): void {
  const [first = '', ...headers] = head.split('\r\n');
  const version = valueIn(headers, PROTOCOL_HEADER);
  if (!isThisProtocol(version)) throw protocolError(version, who);
  if (/^HTTP\/1\.1 200 /.test(first)) return;
  throw new InformerError('transport', `${who} answered ${JSON.stringify(first)}`, {
    hint: '--no-serve asks the cluster',
  });
}

function valueIn(lines: readonly string[], name: string): string | undefined {
  const line = lines.find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** Hands on a body in chunks (RFC 9112, 7.1), each whole as the serve wrote it, and returns its end. */
async function readBody(bytes: ReadBytes, take: AskOptions['take']): Promise<AnswerTrailer> {
  for (;;) {
    const size = (await bytes.until('\r\n', LARGEST_SIZE, 'the size of a chunk')).toString('latin1');
    if (!/^[0-9a-f]+$/i.test(size)) throw new Error('it is not in chunks');
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    await take((await bytes.exactly(length)).toString('utf8'));
    if ((await bytes.exactly(2)).toString('latin1') !== '\r\n') throw new Error('a chunk of it has another length');
  }
  const trailers = (await bytes.until('\r\n\r\n', LARGEST_END, 'its end')).toString('latin1');
  return trailerOf(valueIn(trailers.split('\r\n'), END_TRAILER));
}

function trailerOf(text = ''): AnswerTrailer {
  const trailer = JSON.parse(text) as Partial<AnswerTrailer> | null;
  const { exitCode, notices, errors = [], unserved = '' } = trailer ?? {};
  const areErrors = Array.isArray(errors) && errors.every((error) => typeof error?.exitCode === 'number');
  if (typeof exitCode === 'number' && Array.isArray(notices) && areErrors && typeof unserved === 'string')
    return trailer as AnswerTrailer;
  throw new Error('its end cannot be read');
}

function cutOff(who: string, cause?: unknown): InformerError {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  return new InformerError('transport', `${who} ended before its answer was whole${why}`, {
    cause,
    hint: 'run the command again; --no-serve asks the cluster',
  });
}
