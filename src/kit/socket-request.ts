import { builtin } from './builtin.ts';
import type { Clock } from './clock.ts';
import { InformerError, messageOf } from './error.ts';
import { afterOwnTime } from './own-time.ts';

/** A request to a program that listens on a socket of the file system. */
export interface SocketRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | undefined;
  readonly body?: string | undefined;
}

export interface SocketAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface SocketPeer {
  /** The program, as errors name it. */
  readonly who: string;
  /** The next step when it does not answer. */
  readonly hint: string;
  readonly clock: Clock;
}

/** The longest time for an answer, ms. A program that was stopped (SIGSTOP) accepts a connection and never answers. */
const ANSWER_MS = 5_000;

const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Sends one request. Rejects with `transport` if the program ends meanwhile, or does not answer within 5 s. */
export function askSocket(
  socket: string,
  { path, method = 'GET', body = '' }: SocketRequest,
  { who, hint, clock }: SocketPeer,
): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const silent = new InformerError('transport', `${who} has not answered within ${ANSWER_MS / 1000}s`, { hint });
    const timer = afterOwnTime(clock, ANSWER_MS, () => request.destroy(silent));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { socketPath: socket, path, method, headers, agent: false } as const;
    const request = builtin.http().request(options, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > LARGEST_ANSWER) request.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      response.on('error', failed);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    const failed = (error: Error) =>
      reject(
        error === silent
          ? error
          : new InformerError('transport', `${who} has ended: ${messageOf(error)}`, { cause: error }),
      );
    request.on('close', () => timer.cancel());
    request.on('error', failed);
    request.end(body);
  });
}
