import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scope } from '../../kit/abort.ts';
import { builtin } from '../../kit/builtin.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { foreignCaller, wrongToken } from './guard.ts';
import { UiHub } from './hub.ts';
import { indexValues } from './index-values.ts';
import { COMMON_HEADERS, pageOf, type UiPage } from './page-text.ts';
import { programAt } from './past.ts';
import { isUiQuery, readView, Tab, type TabOutlet } from './tab.ts';
import type { UiProgram } from './ui-program.ts';
import type { UiMessage, UiRefusal } from './wire.ts';

/** Options of {@link startUi}. */
export interface UiServerOptions {
  readonly program: UiProgram;
  /** The page, as the build made it: one file with its script and its style. */
  readonly page: string;
  /** The port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number | undefined;
  /** Without it, a new random one. */
  readonly token?: string | undefined;
}

/** A page that is served. Disposal ends all connections at once. */
export interface UiServer extends AsyncDisposable {
  /** `http://127.0.0.1:8001/ui/`. */
  readonly address: string;
  /** The address with the token in its fragment, which browsers never send. */
  readonly url: string;
  /** How long no page has been open, ms. */
  readonly idleMs: number;
}

const LARGEST_BODY = 256 * 1024;
const MOST_TABS = 32;
const MOST_CONNECTIONS = 256;
const REQUEST_MS = 10_000;
/** A page that does not read for this long is cut off; it comes back by itself when it is looked at again, ms. */
const UNREAD_MS = 60_000;

/**
 * Serves one page on loopback that shows the caches of a program: GET `/ui/` is the page, which has no data in it;
 * everything else needs the token in the Authorization header. `POST /ui/stream` streams messages as server-sent
 * events, `/ui/view` chooses what they are about, `/ui/values` counts the values of an index, and where there is a
 * recording, `/ui/timeline` is the history of a type or an object. It listens on 127.0.0.1
 * only, and changes nothing. Rejects with `config` if the port cannot be used.
 */
export async function startUi({ program, page, port = 0, token }: UiServerOptions): Promise<UiServer> {
  const secret = token ?? builtin.crypto().randomBytes(24).toString('base64url');
  const ending = new AbortController();
  const hub = new UiHub(program);
  const site = new UiSite({
    program,
    hub,
    page: pageOf(page, program.past !== undefined),
    token: secret,
    ending: ending.signal,
  });
  const server = builtin
    .http()
    .createServer(
      { maxHeaderSize: 16 * 1024, headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 5000 },
      (request, response) => void site.answer(request, response).catch(() => response.destroy()),
    );
  server.maxConnections = MOST_CONNECTIONS;
  try {
    site.port = await listening(server, port);
  } catch (error) {
    hub[Symbol.dispose]();
    throw error;
  }
  const address = `http://127.0.0.1:${site.port}/ui/`;
  return {
    address,
    url: `${address}#token=${secret}`,
    get idleMs() {
      return site.idleMs;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      hub[Symbol.dispose]();
      await closed;
    },
  };
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Once it listens, an error is one of a connection, which it ends.
    server.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new InformerError('config', `cannot listen on 127.0.0.1:${port}: ${error.code ?? error.message}`, {
          hint: 'choose another --ui-port, or none for a free one',
        }),
      ),
    );
    server.listen({ host: '127.0.0.1', port }, () => resolve((server.address() as AddressInfo).port));
  });
}

interface Site {
  readonly program: UiProgram;
  readonly hub: UiHub;
  readonly page: UiPage;
  readonly token: string;
  readonly ending: AbortSignal;
}

class UiSite {
  port = 0;
  readonly #site: Site;
  readonly #tabs = new Map<string, Tab>();

  #lastOpen: number;

  constructor(site: Site) {
    this.#site = site;
    this.#lastOpen = site.program.clock.monotonic();
  }

  get idleMs(): number {
    return this.#tabs.size > 0 ? 0 : this.#site.program.clock.monotonic() - this.#lastOpen;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin, authorization, 'sec-fetch-site': fetchSite } = request.headers;
    const caller = { host, origin, authorization, site: typeof fetchSite === 'string' ? fetchSite : undefined };
    const { method = 'GET', url = '/' } = request;
    const path = url.split('?')[0] ?? '/';
    const isPage = (method === 'GET' || method === 'HEAD') && (path === '/ui/' || path === '/ui' || path === '/');
    // a link from elsewhere may lead to the page, which has no data in it
    const refusal =
      foreignCaller(isPage ? { host } : caller, this.port) ??
      (isPage ? undefined : wrongToken(caller, this.#site.token));
    if (refusal) {
      const { status, error, hint } = refusal;
      if (isPage) send(response, status, `${error}: ${hint}\n`, 'text/plain; charset=utf-8');
      else sendJson(response, status, { error, hint });
      return;
    }
    if (isPage) {
      if (path === '/ui/') this.#sendPage(response, method);
      else response.writeHead(308, { ...COMMON_HEADERS, location: '/ui/' }).end();
      return;
    }
    if (method !== 'POST') return sendJson(response, 405, { error: `${path} takes POST only` });
    const body = await bodyOf(request);
    if (body === undefined) return sendJson(response, 413, { error: 'the request is too large' }, true);
    switch (path) {
      case '/ui/stream':
        return this.#stream(response);
      case '/ui/view':
        return answered(response, () => this.#view(body));
      case '/ui/values':
        return answered(response, () => this.#values(body));
      case '/ui/timeline':
        return answered(response, () => this.#timeline(body, response));
      default:
        return sendJson(response, 404, { error: 'there is no such page; there is /ui/' });
    }
  }

  #sendPage(response: ServerResponse, method: string): void {
    const { html, headers } = this.#site.page;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(html),
    });
    response.end(method === 'HEAD' ? undefined : html);
  }

  async #stream(response: ServerResponse): Promise<void> {
    if (this.#tabs.size >= MOST_TABS)
      return sendJson(response, 503, {
        error: `${MOST_TABS} pages are open already`,
        hint: 'close some of them',
      });
    const { program, hub, ending } = this.#site;
    const session = builtin.crypto().randomBytes(12).toString('base64url');
    const tab = new Tab(session, program, hub);
    this.#tabs.set(session, tab);
    using open = scope(ending);
    response.on('close', () => open.abort(new InformerError('closed', 'the page has gone')));
    response.on('error', () => {});
    response.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
    try {
      await tab.run(outletOf(response, program.clock), open.signal);
    } finally {
      this.#tabs.delete(session);
      this.#lastOpen = program.clock.monotonic();
    }
  }

  async #view(body: string): Promise<object> {
    const view = readView(JSON.parse(body));
    const tab = this.#tabs.get(view.session);
    if (!tab)
      throw new InformerError('closed', 'this page has no stream any more', { hint: 'it opens another one by itself' });
    await tab.show(view);
    return {};
  }

  async #values(body: string): Promise<object> {
    const { question, name, at } = Object(JSON.parse(body)) as { question: unknown; name: string; at?: number };
    if (!isUiQuery(question)) throw new InformerError('argument', 'the request has no question');
    const { program, hub } = this.#site;
    const asked = at === undefined ? program : await programAt(program, at, question);
    return await indexValues(asked, { question, name }, hub.redactor);
  }

  async #timeline(body: string, response: ServerResponse): Promise<object> {
    const query: unknown = JSON.parse(body);
    const { program, ending } = this.#site;
    if (!program.past || !isUiQuery(query)) throw new InformerError('argument', 'there is no recording to ask');
    using open = scope(ending);
    response.on('close', () => open.abort(new InformerError('closed', 'the page has gone')));
    return (await program.past.timeline(query, open.signal)) ?? {};
  }
}

function outletOf(response: ServerResponse, clock: UiProgram['clock']): TabOutlet {
  return {
    write: ({ event, data }: UiMessage) => response.write(`event: ${event}\ndata: ${jsonText(data)}\n\n`),
    async drained(signal) {
      if (!response.writableNeedDrain) return;
      using waiting = scope(signal);
      const drained = new Promise<void>((resolve) => response.once('drain', resolve));
      const late = clock.sleep(UNREAD_MS, { signal: waiting.signal }).then(() => {
        throw new InformerError('closed', 'the page does not read');
      });
      await Promise.race([drained, late]);
    },
  };
}

/** Answers with what `make` gives, or with why it was refused. */
async function answered(response: ServerResponse, make: () => Promise<object>): Promise<void> {
  let answer: object;
  try {
    answer = await make();
  } catch (error) {
    const status = isInformerError(error, 'argument') ? 400 : isInformerError(error, 'closed') ? 410 : 500;
    return sendJson(response, error instanceof SyntaxError ? 400 : status, refusalFrom(error));
  }
  sendJson(response, 200, answer);
}

function sendJson(response: ServerResponse, status: number, body: object, isLast = false): void {
  send(response, status, jsonText(body), 'application/json', isLast);
}

function send(response: ServerResponse, status: number, text: string, type: string, isLast = false): void {
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    ...(isLast ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/** An error as the page shows it: its text without the flag and the picture, the box it belongs to, and the place. */
export function refusalFrom(error: unknown): UiRefusal {
  const hint = isInformerError(error) ? error.hint : undefined;
  const [first = '', source, mark] = messageOf(error).split('\n');
  const [, flag, text = first] = /^--(where|filter|selector|index): ([\s\S]*)$/.exec(first) ?? [];
  const field = flag as UiRefusal['field'];
  const caret = mark === undefined ? -1 : mark.indexOf('^') - 2;
  const unknown = /^there is no column (\S+) in (.*)$/.exec(text);
  const position = caret >= 0 ? caret : unknown ? (unknown[2] as string).indexOf(unknown[1] as string) : -1;
  return {
    error: unknown ? `there is no column ${unknown[1]}` : text + (caret < 0 && source ? ` ${source.trim()}` : ''),
    ...(hint === undefined ? {} : { hint }),
    ...(field ? { field } : {}),
    ...(position >= 0 ? { position } : {}),
  };
}

/** The body as text; undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > LARGEST_BODY) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
