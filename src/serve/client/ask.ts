import { connect, type Socket } from 'node:net';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { afterOwnTime } from '../../kit/own-time.ts';
import type { FoundServe } from '../find.ts';
import {
  type AnswerFrame,
  type EndFrame,
  isThisProtocol,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  protocolError,
  QUERY_PATH,
  type QueryRequest,
} from '../protocol.ts';
import { Lines } from './lines.ts';
import { isNotListening } from './listening.ts';

/** The outcome of a query. `gone`: no process listens there any more. */
export type Asked =
  | { readonly kind: 'answered'; readonly end: EndFrame }
  | { readonly kind: 'unserved'; readonly reason: string }
  | { readonly kind: 'gone' };

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Gets each frame of the answer, in order. The socket is read on when it resolves. */
  take(frame: AnswerFrame): void | Promise<void>;
}

/**
 * How long a serve may be silent while this process runs, ms. It sends something every second; one that was stopped
 * (SIGSTOP) does not.
 */
export const SILENCE_MS = 5_000;

/** The largest frame that is read, in UTF-16 units. */
const LARGEST_FRAME = 1024 * 1024;
const LARGEST_HEAD = 16 * 1024;

/**
 * Asks a serve a question and hands on the frames of its answer, as fast as `take` resolves. Never waits without a
 * limit: rejects with `transport` for a serve that is silent for 5 s or ends in the middle of its answer, with `config`
 * for one of another protocol version, and with the signal's reason if that aborts.
 */
export async function askServe(serve: FoundServe, question: QueryRequest, options: AskOptions): Promise<Asked> {
  const who = `the serve with pid ${serve.about.pid}`;
  if (!isThisProtocol(serve.about.protocol)) throw protocolError(String(serve.about.protocol), who);
  const { signal, clock } = options;
  const socket = connect(serve.socket);
  const cut = () => socket.destroy(signal.reason as Error);
  const silent = () =>
    socket.destroy(
      new InformerError('transport', `${who} has not answered for ${SILENCE_MS / 1000}s`, {
        hint: `was it stopped? kill -CONT ${serve.about.pid} continues it, kill -KILL ${serve.about.pid} ends it`,
      }),
    );
  signal.addEventListener('abort', cut, { once: true });
  const answer = new AnswerReader(who);
  let timer = afterOwnTime(clock, SILENCE_MS, silent);
  try {
    signal.throwIfAborted();
    socket.write(requestText(JSON.stringify(question)));
    for await (const bytes of socket as AsyncIterable<Uint8Array>) {
      timer.cancel(); // a reader of stdout that is slow is no fault of the serve
      for (const frame of answer.add(bytes)) {
        const end = endOf(frame);
        if (end) return end;
        await options.take(frame);
      }
      timer = afterOwnTime(clock, SILENCE_MS, silent);
    }
    throw answer.cutOff();
  } catch (error) {
    if (isNotListening(error as Error) && !answer.hasBegun) return { kind: 'gone' };
    if (signal.aborted) throw signal.reason;
    throw error instanceof InformerError ? error : answer.cutOff(error);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', cut);
    dismiss(socket);
  }
}

function dismiss(socket: Socket): void {
  socket.on('error', () => {}); // of what is not read any more
  socket.destroy();
}

function endOf(frame: AnswerFrame): Asked | undefined {
  if ('end' in frame) return { kind: 'answered', end: frame.end };
  return 'unserved' in frame ? { kind: 'unserved', reason: frame.unserved } : undefined;
}

/** HTTP/1.0: the answer ends with the connection, and has no chunks that would need to be decoded. */
function requestText(body: string): string {
  return [
    `POST ${QUERY_PATH} HTTP/1.0`,
    'host: serve',
    `${PROTOCOL_HEADER}: ${PROTOCOL_VERSION}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** Reads the head of an HTTP response, then frames. */
class AnswerReader {
  readonly #who: string;
  readonly #lines = new Lines(LARGEST_FRAME);
  #head: Buffer | undefined = Buffer.alloc(0);
  hasBegun = false;

  constructor(who: string) {
    this.#who = who;
  }

  add(bytes: Uint8Array): AnswerFrame[] {
    this.hasBegun = true;
    if (this.#head === undefined) return this.#lines.add(bytes).map(frameOf);
    this.#head = Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) {
      if (this.#head.length > LARGEST_HEAD) throw new Error('its head is too long');
      return [];
    }
    const head = this.#head.toString('latin1', 0, end);
    const rest = this.#head.subarray(end + 4);
    this.#head = undefined;
    this.#check(head);
    return this.#lines.add(rest).map(frameOf);
  }

  cutOff(cause?: unknown): InformerError {
    const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
    return new InformerError('transport', `${this.#who} ended before its answer was whole${why}`, {
      cause,
      hint: 'run the command again; --no-serve asks the cluster',
    });
  }

  #check(head: string): void {
    const [first = '', ...headers] = head.split('\r\n');
    const named = headers.find((line) => line.toLowerCase().startsWith(`${PROTOCOL_HEADER}:`));
    const version = named?.slice(PROTOCOL_HEADER.length + 1).trim();
    if (!isThisProtocol(version)) throw protocolError(version, this.#who);
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
    if (status === '200') return;
    throw new InformerError('transport', `${this.#who} answered ${JSON.stringify(first)}`, {
      hint: '--no-serve asks the cluster',
    });
  }
}

/** The frame that a line is. Throws for any other line: what follows it cannot be trusted. */
function frameOf(line: string): AnswerFrame {
  const frame = JSON.parse(line) as unknown;
  if (isFrame(frame)) return frame;
  throw new Error('a line of it is no frame');
}

function isFrame(value: unknown): value is AnswerFrame {
  if (typeof value !== 'object' || value === null) return false;
  const { out, notice, unserved, alive, error, end } = value as Partial<Record<string, unknown>>;
  if ([out, notice, unserved].some((text) => typeof text === 'string') || alive === true) return true;
  const { exitCode } = (error ?? end ?? {}) as { exitCode?: unknown };
  return typeof exitCode === 'number';
}
