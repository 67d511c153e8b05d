import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import path from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import type { RuntimeEnvironment } from '../../src/kit/runtime-folder.ts';
import type { ServeAbout } from '../../src/serve/about.ts';
import { HttpAnswer } from '../../src/serve/api/http-answer.ts';
import type { ServeIdentity } from '../../src/serve/folder-key.ts';
import { openServeSocket, type ServeSocket } from '../../src/serve/place.ts';
import { type AnswerEnd, PROTOCOL_HEADER, PROTOCOL_VERSION, type QueryRequest } from '../../src/serve/protocol.ts';
import type { WatchCaches } from '../../src/serve/watch-cache/watch-caches.ts';

export const IDENTITY: ServeIdentity = {
  key: '0123456789abcdef',
  server: 'https://10.0.0.1:6443',
  context: 'prod',
  user: 'ann',
};

export const about = (more: Partial<ServeAbout> = {}): ServeAbout => ({
  protocol: PROTOCOL_VERSION,
  version: '0.1.0',
  pid: process.pid,
  started: '2026-01-01T00:00:00.000Z',
  server: IDENTITY.server,
  ...more,
});

export interface FakeServeOptions {
  readonly identity?: ServeIdentity;
  readonly about?: Partial<ServeAbout>;
  /** The header of its answers; undefined: none. */
  readonly protocol?: string | undefined;
  answer(question: QueryRequest, outlet: HttpAnswer, response: ServerResponse): Promise<AnswerEnd> | AnswerEnd;
  /** Called for each request that asks whether it lives. */
  onProbe?(): void;
  /** Answer lists and watches. */
  readonly caches?: WatchCaches;
  /** Gets every response to a list or watch. */
  readonly onRead?: ((response: ServerResponse) => void) | undefined;
}

/** Something that listens at a serve's place with a real socket, and answers as a test says. */
export function fakeServe(env: RuntimeEnvironment, options: FakeServeOptions): Promise<ServeSocket> {
  const { identity = IDENTITY, protocol = String(PROTOCOL_VERSION), answer } = options;
  const server = createServer(async (request, response) => {
    if (options.caches?.takes(request.url ?? '')) {
      options.onRead?.(response);
      return answerRead(options.caches, request, response);
    }
    if (request.method === 'HEAD') {
      options.onProbe?.();
      return response.end();
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const question = JSON.parse(await bodyOf(request)) as QueryRequest;
    const outlet = new HttpAnswer({
      clock: systemClock,
      type: 'text/plain',
      statusOf: () => 500,
      isForCommand: true,
      signal: gone.signal,
    });
    const given = await outlet.response((async () => answer(question, outlet, response))());
    if (!('stream' in given)) throw new Error('an answer for a command is streamed');
    const { [PROTOCOL_HEADER]: _, ...others } = given.headers ?? {};
    response.writeHead(given.status, { ...others, ...(protocol === '' ? {} : { [PROTOCOL_HEADER]: protocol }) });
    response.flushHeaders();
    await given.stream(response).catch(() => response.destroy());
  });
  return openServeSocket({
    identity,
    about: about(options.about),
    env,
    clock: systemClock,
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, () =>
          resolve({
            async [Symbol.asyncDispose]() {
              server.closeAllConnections();
              await new Promise((closed) => server.close(closed));
            },
          }),
        );
      }),
  });
}

async function answerRead(caches: WatchCaches, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const answer = await caches.answer({ method, url, headers });
  response.setHeader(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
  response.writeHead(typeof answer === 'function' ? 200 : (answer.code ?? 500), { 'content-type': 'application/json' });
  response.flushHeaders();
  if (typeof answer === 'function') await answer(response);
  else response.end(JSON.stringify(answer));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A socket that accepts connections and never answers, as that of a stopped process. */
export async function silentSocket(file: string): Promise<AsyncDisposable & { readonly connected: Promise<unknown> }> {
  const server = createNetServer((connection) => connection.resume());
  const connected = once(server, 'connection');
  await new Promise<void>((resolve) => void server.listen(file, resolve));
  return { connected, [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())) };
}

/** The folder of a serve whose process was killed. */
export async function leaveStale(serves: string, key = IDENTITY.key): Promise<void> {
  const place = path.join(serves, key);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await Promise.all([path.dirname(serves), serves].map((each) => chmod(each, 0o700)));
  const code = `
    require('node:fs').writeFileSync(process.argv[2], process.argv[3], { mode: 0o600 });
    require('node:net').createServer().listen(process.argv[1], () => console.log('listening'));`;
  const files = [path.join(place, 'socket'), path.join(place, 'about.json')];
  const child = spawn(process.execPath, ['-e', code, ...files, JSON.stringify(about({ pid: 1 }))]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Something that listens at a path and answers every connection with these bytes, whatever is asked. */
export async function bytesSocket(socket: string, chunks: readonly Buffer[]): Promise<AsyncDisposable> {
  const server = createNetServer((connection) => {
    connection.on('error', () => {}).resume();
    for (const chunk of chunks) connection.write(chunk);
    connection.end();
  });
  server.listen(socket);
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())) };
}
