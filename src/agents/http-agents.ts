import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Clock } from '../kit/clock.ts';
import type { ServerRequest, StreamedAnswer, WholeAnswer } from '../kit/http-listener.ts';
import { PROTOCOL } from '../serve/api/routes.ts';
import type { AgentDoor } from './agent-door.ts';
import type { McpHttpTransport, McpSdk, McpServer } from './mcp-sdk.ts';

/** Agents with a session at a time. A new one takes the place of the one that has been silent longest. */
const MOST_AGENTS = 200;
/** A session without a stream and without a request for this time is over, ms. */
const IDLE_MS = 30 * 60_000;

/** One agent, from its `initialize` on. */
interface HttpSession {
  readonly transport: McpHttpTransport;
  readonly server: McpServer;
  /** Streams that bring it notifications. */
  streams: number;
  /** On the monotonic clock. */
  usedAt: number;
}

/**
 * Answers agents over streamable HTTP. `initialize` begins a session, and its GET brings notifications of what the agent
 * subscribes to; a request without a session is answered by itself.
 */
export class HttpAgents {
  readonly #door: AgentDoor;
  readonly #sdk: McpSdk;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(door: AgentDoor, sdk: McpSdk, clock: Clock) {
    this.#door = door;
    this.#sdk = sdk;
    this.#clock = clock;
  }

  async answer(request: ServerRequest): Promise<WholeAnswer | StreamedAnswer> {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return await this.#ofNone(request);
    const session = this.#sessions.get(id);
    if (!session) return refusal(404, 'the session is over: initialize again');
    session.usedAt = this.#clock.monotonic();
    const response = await session.transport.handleRequest(await webRequest(request));
    if (request.method !== 'GET' || !response.body) return await wholeAnswer(response);
    return this.#streamed(response, session);
  }

  /** Answers a request without a session. */
  async #ofNone(request: ServerRequest): Promise<WholeAnswer> {
    if (request.method !== 'POST')
      return refusal(400, 'the header mcp-session-id is missing: initialize begins a session');
    const asked = await webRequest(request);
    const begins = isInitialize(await asked.clone().text());
    const transport = this.#sdk.http(begins ? (id) => this.#begin(id, session) : undefined);
    const server = this.#door.open('agent over HTTP', { subscribes: begins });
    const session: HttpSession = { transport, server, streams: 0, usedAt: this.#clock.monotonic() };
    await server.connect(transport);
    try {
      return await wholeAnswer(await transport.handleRequest(asked));
    } finally {
      if (![...this.#sessions.values()].includes(session)) await server.close();
    }
  }

  #begin(id: string, session: HttpSession): void {
    const now = this.#clock.monotonic();
    const silent = [...this.#sessions].filter(([, { streams }]) => streams === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt); // biome-ignore format: one line
    const over = silent.filter(([, { usedAt }], i) => now - usedAt > IDLE_MS || this.#sessions.size - i >= MOST_AGENTS);
    for (const [old, { server }] of over) {
      this.#sessions.delete(old);
      void server.close();
    }
    this.#sessions.set(id, session);
    const { onclose } = session.server;
    session.server.onclose = () => {
      onclose?.();
      this.#sessions.delete(id);
    };
  }

  #streamed(response: Response, session: HttpSession): StreamedAnswer {
    const { status, type, headers } = headOf(response);
    return {
      status,
      type,
      headers,
      stream: async (body) => {
        session.streams++;
        try {
          await pipeline(Readable.fromWeb(response.body as ReadableStream), body);
        } finally {
          session.streams--;
          session.usedAt = this.#clock.monotonic();
        }
      },
    };
  }
}

async function webRequest({ method, url, headers, signal, text }: ServerRequest): Promise<Request> {
  const texts = Object.entries(headers).filter((each): each is [string, string] => typeof each[1] === 'string');
  const body = method === 'POST' ? { body: (await text()) ?? '' } : {};
  return new Request(new URL(url, 'http://serve'), { method, headers: texts, signal, ...body });
}

/** Whether a body begins a session. */
function isInitialize(text: string): boolean {
  try {
    return [JSON.parse(text)].flat().some((message) => message?.method === 'initialize');
  } catch {
    return false; // the transport says what is wrong
  }
}

function headOf({ status, headers }: Response) {
  const id = headers.get('mcp-session-id');
  return {
    status,
    type: headers.get('content-type') ?? 'application/json',
    headers: { ...PROTOCOL, ...(id === null ? {} : { 'mcp-session-id': id }) },
  };
}

const wholeAnswer = async (response: Response): Promise<WholeAnswer> => ({
  ...headOf(response),
  body: await response.text(),
});

const refusal = (status: number, message: string): WholeAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }),
  headers: PROTOCOL,
});
