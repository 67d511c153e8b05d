import type { ControllerSnapshot } from '../controller/controller-snapshot.ts';
import type { KeyExplanation } from '../controller/explanation.ts';
import { checkResults, type ManagerCheck } from '../controller/manager/checks.ts';
import { shardingOf } from '../informer/watch/sharded-source.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, isInformerError, messageOf } from '../kit/error.ts';
import type { ServerRequest } from '../kit/http-listener.ts';
import type { ObjectKey } from '../model/key.ts';
import { healthText, type InspectedInformer, readinessChecks } from './health.ts';
import { type InspectedProgram, nearKeys } from './inspected.ts';
import { changeKeys } from './key-changes.ts';

export interface PageRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly accept?: string | undefined;
  readonly body?: string | undefined;
}

export interface PageAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Who may ask for a page: everyone who reaches the server, only this machine, only the user of the private socket. */
export type PageAccess = 'all' | 'local' | 'private';

interface Page {
  readonly method: 'GET' | 'POST';
  readonly access: PageAccess;
  answer(program: InspectedProgram, request: PageRequest, query: URLSearchParams): PageAnswer | Promise<PageAnswer>;
}

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';

const PAGES: Readonly<Record<string, Page>> = {
  '/metrics': { method: 'GET', access: 'all', answer: metricsPage },
  '/healthz': { method: 'GET', access: 'all', answer: (program, ...rest) => healthPage('healthz', program, ...rest) },
  '/livez': { method: 'GET', access: 'all', answer: (program, ...rest) => healthPage('livez', program, ...rest) },
  '/readyz': { method: 'GET', access: 'all', answer: (program, ...rest) => healthPage('readyz', program, ...rest) },
  '/debug/queue': { method: 'GET', access: 'local', answer: queuePage },
  '/debug/informers': {
    method: 'GET',
    access: 'local',
    answer: ({ informers, clock }) => json(informersOf(informers, clock)),
  },
  '/debug/explain': { method: 'GET', access: 'local', answer: explainPage },
  '/queue/retry': {
    method: 'POST',
    access: 'private',
    answer: (program, { body = '' }) => json({ results: changeKeys(body, program, 'retry') }),
  },
  '/queue/drop': {
    method: 'POST',
    access: 'private',
    answer: (program, { body = '' }) => json({ results: changeKeys(body, program, 'drop') }),
  },
};

const ACCESS_LEVELS: readonly PageAccess[] = ['all', 'local', 'private'];

/** The answer to a request for a page, with its body. */
export async function answerPage(
  program: InspectedProgram,
  { method, url, headers, text }: ServerRequest,
  access: PageAccess,
): Promise<PageAnswer> {
  const body = await text();
  if (body === undefined) return { status: 413, type: TEXT, body: 'the body is too large\n' };
  return pageAnswer(program, { method, url, accept: headers.accept, body }, access);
}

/** Answers a request for a page. `access` is that of the asker. Never rejects. */
async function pageAnswer(program: InspectedProgram, request: PageRequest, access: PageAccess): Promise<PageAnswer> {
  const url = URL.parse(request.url, 'http://local');
  if (!url) return text(400, `${printable(request.url)} is no address of a page\n`);
  const { pathname, searchParams } = url;
  const page = Object.hasOwn(PAGES, pathname) ? PAGES[pathname] : undefined;
  const isSeen = page && (page.access !== 'private' || access === 'private');
  if (!isSeen) return text(404, `there is no ${printable(pathname)}; there are ${pagesFor(access).join(' ')}\n`);
  if (ACCESS_LEVELS.indexOf(page.access) > ACCESS_LEVELS.indexOf(access))
    return text(403, `${pathname} answers only to this machine\n`);
  if (request.method !== page.method && !(request.method === 'HEAD' && page.method === 'GET'))
    return text(405, `${pathname} takes ${page.method} only\n`);
  try {
    return await page.answer(program, request, searchParams);
  } catch (error) {
    return text(isInformerError(error, 'argument') ? 400 : 500, `${messageOf(error)}\n`);
  }
}

const pagesFor = (access: PageAccess) =>
  Object.entries(PAGES).flatMap(([path, page]) =>
    ACCESS_LEVELS.indexOf(page.access) <= ACCESS_LEVELS.indexOf(access) ? [path] : [],
  );

const text = (status: number, body: string): PageAnswer => ({ status, type: TEXT, body });
const json = (value: unknown, status = 200): PageAnswer => ({
  status,
  type: JSON_TYPE,
  body: `${JSON.stringify(value, null, 2)}\n`,
});
const printable = (words: string) => JSON.stringify(words.slice(0, 100));

async function metricsPage({ metrics }: InspectedProgram): Promise<PageAnswer> {
  if (!metrics) return text(404, 'there are no metrics: the program was started without a provider of metrics\n');
  return { status: 200, type: metrics.contentType, body: await metrics.text() };
}

function healthPage(
  page: 'healthz' | 'livez' | 'readyz',
  program: InspectedProgram,
  { accept = '' }: PageRequest,
  query: URLSearchParams,
): PageAnswer {
  const checks =
    page === 'readyz' ? [...readinessChecks(program), ...program.readyChecks] : [PING, ...program.liveChecks];
  const results = checkResults(checks);
  const isMet = results.every(({ reason }) => reason === undefined);
  const status = isMet ? 200 : 503;
  if (query.get('format') === 'json' || accept.includes(JSON_TYPE))
    return json(
      { status: isMet ? 'ok' : 'failed', checks: results.map((each) => ({ ...each, ok: !each.reason })) },
      status,
    );
  return text(status, isMet && !query.has('verbose') ? 'ok' : healthText(page, results));
}

const PING: ManagerCheck = { name: 'ping', reason: () => undefined };

/** The most keys that a page lists of each state; `?limit=` lowers or raises it. */
const LISTED_KEYS = 1000;
const MOST_LISTED_KEYS = 20_000;

/** The queue of one controller on the page `/debug/queue`. Lists are cut at the limit; `counts` are complete. */
export type QueuePage = ControllerSnapshot & { readonly isCut: boolean };

function queuePage({ controllers }: InspectedProgram, _: PageRequest, query: URLSearchParams): PageAnswer {
  const asked = Number(query.get('limit') ?? LISTED_KEYS);
  if (!Number.isInteger(asked) || asked < 0) throw new InformerError('argument', 'limit must be a whole number');
  const limit = Math.min(asked, MOST_LISTED_KEYS);
  const pages = controllers.map((controller): QueuePage => {
    const { queued, processing, delayed, parked, ...rest } = controller.snapshot();
    return {
      ...rest,
      processing: processing.slice(0, limit),
      queued: queued.slice(0, limit),
      delayed: delayed.toSorted((a, b) => a.dueInMs - b.dueInMs).slice(0, limit),
      parked: parked.slice(0, limit),
      isCut: [queued, processing, delayed, parked].some(({ length }) => length > limit),
    };
  });
  return json({ controllers: pages });
}

function shardsOf(sources: InspectedInformer['sources']): object {
  const sharding = shardingOf({ sources });
  return sharding.length === 0 ? {} : { sharding };
}

function informersOf(informers: readonly InspectedInformer[], clock: Clock) {
  return {
    informers: informers.map(({ name, hasSynced, lastError, lister, continuity, sources, memory }) => ({
      name,
      hasSynced,
      objects: lister.size,
      memory: memory && memoryOf(memory),
      ...shardsOf(sources),
      lastError: lastError === undefined ? undefined : messageOf(lastError),
      sources: continuity.map((each) => ({
        connection: connectionOf(each.connection, clock.now()),
        ageMs: each.ageMs,
        relists: each.relists,
        resumes: each.resumes,
        gaps: each.gapCount,
        storeErrors: each.storeErrors,
      })),
    })),
  };
}

/** The memory of a cache that keeps objects as text. */
function memoryOf(memory: NonNullable<InspectedInformer['memory']>) {
  const { packed, storedBytes, textBytes, hotReads, coldReads } = memory;
  if (packed === 0) return { packed };
  const reads = hotReads + coldReads;
  return {
    ...memory,
    bytesPerObject: Math.round(storedBytes / packed),
    ratio: Number((textBytes / Math.max(1, storedBytes)).toFixed(2)),
    hotShare: reads === 0 ? undefined : Number((hotReads / reads).toFixed(3)),
  };
}

function connectionOf(connection: InspectedInformer['continuity'][number]['connection'], now: number) {
  const { state, since } = connection;
  const error = state === 'connected' || connection.error === undefined ? undefined : messageOf(connection.error);
  return { state, since: new Date(since).toISOString(), forMs: now - since, error };
}

/** The explanation of a key by one controller, on the page `/debug/explain`. */
export interface ExplainedKey extends KeyExplanation {
  /** Whether the object is in the cache. Undefined if the cache is not known. */
  readonly isCached: boolean | undefined;
  /** Keys that may have been meant. Empty if the key is known. */
  readonly nearest: readonly ObjectKey[];
}

function explainPage(program: InspectedProgram, _: PageRequest, query: URLSearchParams): PageAnswer {
  const key = query.get('key') ?? '';
  if (key === '') throw new InformerError('argument', 'which key? ask for /debug/explain?key=NAMESPACE/NAME');
  const controllers = program.controllers.map((controller, i): ExplainedKey => {
    const objects = program.objects[i];
    const explanation = controller.explain(key);
    const isCached = objects && objects.get(key) !== undefined;
    const isKnown = isCached || explanation.state !== 'unknown';
    return { ...explanation, isCached, nearest: isKnown ? [] : nearKeys(key, controller, objects) };
  });
  return json({ controllers });
}
