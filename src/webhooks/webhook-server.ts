import type { Client } from '../client/client.ts';
import { aborted, scope } from '../kit/abort.ts';
import type { Certificate } from '../kit/certificate.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { isJsonMap, jsonText, parseJson } from '../kit/exact-json.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import { inheriting } from '../kit/surroundings.ts';
import { checkGvr, formatGvr, type GroupVersionResource } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import { mutated, validated } from './admission-response.ts';
import { type BundleTargets, keepBundles } from './ca-bundles.ts';
import {
  type CertificateFiles,
  type CertificateSecret,
  type CertificateSource,
  fromFiles,
  fromSecret,
} from './certificates.ts';
import { type ConversionRequest, converted, eachConverted } from './conversion.ts';
import type { AdmissionRequest, ConvertAllFn, ConvertFn, MutateFn, ValidateFn } from './review.ts';
import { type TlsAnswer, type TlsRequest, TlsServer } from './tls-server.ts';

/** Options of {@link createWebhookServer}. */
export interface WebhookServerOptions {
  /** For the Secret and for `caBundle`. Its clock and logger are the defaults. */
  readonly client?: Client | undefined;
  /** Default 9443; 0 picks a free one. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: all. */
  readonly host?: string | undefined;
  /**
   * The certificate: `{ secret }` for one of an authority of its own that all replicas share and renew, `{ certFile,
   * keyFile }` for files that someone else renews, such as cert-manager, or a pair of texts.
   */
  readonly certificate: { readonly secret: CertificateSecret } | CertificateFiles | Certificate;
  /** Names and addresses by which API servers reach it, for the certificate of a Secret: `hooks.infra.svc`. */
  readonly hosts?: readonly string[] | undefined;
  /** The configurations and definitions whose `caBundle` is kept. */
  readonly caBundles?: BundleTargets | undefined;
  /** How often certificate and `caBundle` are looked at, ms. Default 10,000. */
  readonly checkMs?: number | undefined;
  /** How long open requests may go on at the end, ms. Default 10,000. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** The part of an informer that a decision waits for. A SharedInformer fits. */
export interface DecisionCache {
  readonly name: string;
  readonly hasSynced: boolean;
  confirm(signal: AbortSignal): Promise<readonly { readonly differing: number }[]>;
  whenProven(signal: AbortSignal): Promise<void>;
}

/** Options of one webhook. */
export interface WebhookOptions {
  /** The path of its URL. Default: `/validate/apps/v1/deployments`, `/mutate/v1/pods`, by its type. */
  readonly path?: string | undefined;
  /** The caches that the decision reads. Before they have synced the webhook fails, and the server is not ready. */
  readonly caches?: readonly DecisionCache[] | undefined;
  /**
   * How fresh the caches must be. `synced`, the default: as they are. `proven`: the server gave a sign of each after the
   * request came. `confirmed`: each was compared with the server after the request came, which is a list of metadata.
   */
  readonly fresh?: 'synced' | 'proven' | 'confirmed' | undefined;
}

const KNOWN_OPTIONS = {
  client: true,
  port: 'number',
  host: 'text',
  certificate: true,
  hosts: 'list',
  caBundles: { validating: 'list', mutating: 'list', definitions: 'list' },
  checkMs: 'number',
  graceMs: 'number',
  clock: 'clock',
  logger: 'logger',
} satisfies KnownOptionsOf<WebhookServerOptions>;
const KNOWN_WEBHOOK = {
  path: 'text',
  caches: 'list',
  fresh: ['synced', 'proven', 'confirmed'],
} satisfies KnownOptionsOf<WebhookOptions>;

/** The `timeoutSeconds` of a request that names none. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** The part of the time of a request in which it is decided. The rest is for the way back. */
const DECIDED_IN = 0.9;
const DEFAULTS = { port: 9443, checkMs: 10_000, graceMs: 10_000 };

interface Route extends Pick<WebhookOptions, 'caches' | 'fresh'> {
  readonly name: string;
  answer(review: Record<string, unknown>, signal: AbortSignal): Promise<object>;
}

/**
 * Creates a server for webhooks of admission and of conversion. It does nothing until {@link WebhookServer.run}. Throws
 * `argument` for invalid options.
 * @example
 * const server = createWebhookServer({
 *   client,
 *   certificate: { secret: { namespace: 'infra', name: 'hooks-tls' } },
 *   hosts: ['hooks.infra.svc'],
 *   caBundles: { validating: ['hooks'] },
 * });
 * server.validate(parseGvr('v1/configmaps'), ({ object }) => {
 *   if (!object?.metadata.labels?.team) return deny('a label team is needed');
 * });
 * await server.run(signal);
 */
export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  checkOptions('createWebhookServer', options, KNOWN_OPTIONS);
  return new WebhookServer(options);
}

/**
 * A server for webhooks. It answers every request in time: a webhook that fails, or that has not decided when nine tenths
 * of `timeoutSeconds` are over, is answered with an HTTP error that says so, and the API server follows the
 * `failurePolicy`. `/healthz` says that it runs, `/readyz` that every cache has synced and every `caBundle` is written.
 *
 * As a part of a manager it belongs to the group `server`.
 */
export class WebhookServer implements AsyncDisposable {
  readonly name = 'webhooks';
  readonly #options: WebhookServerOptions & typeof DEFAULTS;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #source: CertificateSource;
  readonly #routes = new Map<string, Route>();
  readonly #converters = new Map<string, ConvertFn>();
  readonly #end = new AbortController();
  #server: TlsServer | undefined;
  #running: Promise<void> | undefined;
  #served = '';
  #authorities: string | undefined;
  /** The reason why the certificate or a `caBundle` is not in place. */
  #lack: string | undefined = 'it has not begun';

  constructor(options: WebhookServerOptions) {
    const { client, certificate, hosts = [] } = options;
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...DEFAULTS, ...given, certificate };
    const { clock, logger } = inheriting({ clock: options.clock, logger: options.logger }, client);
    this.#clock = clock ?? systemClock;
    this.#logger = (logger ?? defaultLogger).child({ server: this.name });
    this.#source = sourceOf(certificate, client, hosts, this.#clock);
    if (options.caBundles && !client) refuseOption('caBundles needs a client');
  }

  /** Where it listens; undefined before and after. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    return this.#server?.address;
  }

  /** The certificates by which clients trust it, for `caBundle`; undefined before it listens, and where files lack them. */
  get authorities(): string | undefined {
    return this.#authorities;
  }

  /** Why it is not ready; undefined if it is. */
  get unready(): string | undefined {
    if (this.#end.signal.aborted) return 'it is ending';
    const waiting = [...this.#routes.values()].flatMap(({ caches = [] }) => caches).find((cache) => !cache.hasSynced);
    return waiting ? `the cache of ${waiting.name} has not synced` : this.#lack;
  }

  /** A webhook that decides about writes of a type. */
  validate<T extends object = UnknownObject>(
    gvr: GroupVersionResource,
    decide: ValidateFn<T>,
    options: WebhookOptions = {},
  ): this {
    return this.#add('validate', gvr, options, decide, (request, signal) =>
      validated(request, decide as unknown as ValidateFn, signal),
    );
  }

  /** A webhook that changes the objects of a type before they are written. */
  mutate<T extends object = UnknownObject>(
    gvr: GroupVersionResource,
    change: MutateFn<T>,
    options: WebhookOptions = {},
  ): this {
    return this.#add('mutate', gvr, options, change, (request, signal) =>
      mutated(request, change as unknown as MutateFn, signal),
    );
  }

  /** Converts the objects of a kind between its versions, at the path `/convert`. */
  convert(kind: { readonly group: string; readonly kind: string }, convert: ConvertFn): this {
    checkArgument('convert', 'convert', convert, 'function');
    this.#converters.set(`${kind.kind}.${kind.group}`, convert);
    this.#routes.delete('/convert');
    return this.convertAll(
      '/convert',
      eachConverted((name, group) => this.#converters.get(`${name}.${group}`)),
    );
  }

  /**
   * Converts all objects of a request at once, at a path of its own. The results are sent as they are: an API server
   * refuses one with another name, namespace or uid.
   */
  convertAll(path: string, convert: ConvertAllFn): this {
    checkArgument('convertAll', 'convert', convert, 'function');
    if (this.#routes.has(path)) refuseOption(`another webhook has the path ${path}`);
    this.#routes.set(path, {
      name: path,
      answer: (review, signal) => converted(review.request as unknown as ConversionRequest, convert, signal),
    });
    return this;
  }

  /**
   * Listens until the signal aborts, and resolves when the open requests have their answers. Rejects if it cannot get a
   * certificate or listen.
   */
  run(signal?: AbortSignal): Promise<void> {
    this.#running ??= this.#run(signal);
    return this.#running;
  }

  /** Ends {@link run}, and waits for it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    using ending = scope(this.#end.signal);
    using _linked = linked(signal, () => this.#end.abort());
    const certificate = await this.#source.current(ending.signal).catch(unlessAborted(ending.signal));
    if (!certificate) return;
    this.#served = certificate.cert;
    this.#authorities = certificate.authorities;
    const { host, port, graceMs } = this.#options;
    this.#server = await TlsServer.listen({ host, port }, certificate, (request) => this.#answer(request));
    this.#logger.info('webhooks are served', { port: this.#server.address.port });
    const keeping = this.#keep(ending.signal);
    await aborted(ending.signal);
    await keeping;
    await this.#server.close(this.#clock, graceMs);
    this.#server = undefined;
  }

  /** Looks after the certificate and every `caBundle`. A failure is reported once, and tried again at the next look. */
  async #keep(signal: AbortSignal): Promise<void> {
    let reported: string | undefined;
    while (!signal.aborted) {
      try {
        this.#lack = await this.#look(signal);
      } catch (error) {
        this.#lack = messageOf(error);
      }
      if (signal.aborted) return;
      if (this.#lack !== reported && this.#lack !== undefined)
        this.#logger.warn('webhooks are not ready', { why: this.#lack });
      reported = this.#lack;
      await this.#clock.sleep(this.#options.checkMs, { signal }).catch(() => {});
    }
  }

  async #look(signal: AbortSignal): Promise<string | undefined> {
    const { client, caBundles } = this.#options;
    const { cert, key, authorities } = await this.#source.current(signal);
    this.#authorities = authorities;
    let absent: string[] = [];
    if (client && caBundles && authorities !== undefined)
      absent = await keepBundles(client, caBundles, authorities, signal);
    if (cert !== this.#served) {
      this.#server?.replace({ cert, key });
      this.#served = cert;
      this.#logger.info('the certificate was replaced');
    }
    return absent.length > 0 ? `${absent.join(', ')} does not exist` : undefined;
  }

  #add(
    sort: 'validate' | 'mutate',
    gvr: GroupVersionResource,
    options: WebhookOptions,
    decide: unknown,
    respond: (request: AdmissionRequest, signal: AbortSignal) => Promise<object>,
  ): this {
    checkGvr(sort, gvr);
    checkOptions(sort, options, KNOWN_WEBHOOK);
    checkArgument(sort, sort, decide, 'function');
    const { path = `/${sort}/${formatGvr(gvr)}`, caches, fresh } = options;
    if (this.#routes.has(path)) refuseOption(`another webhook has the path ${path}`);
    const answer = (review: Record<string, unknown>, signal: AbortSignal) =>
      respond(review.request as unknown as AdmissionRequest, signal);
    this.#routes.set(path, { name: path, caches, fresh, answer });
    return this;
  }

  async #answer(request: TlsRequest): Promise<TlsAnswer> {
    if (request.method !== 'POST') return this.#health(request.path);
    const route = this.#routes.get(request.path);
    if (!route) return told(404, `there is no webhook at ${request.path}`);
    const { body } = request;
    if (body === undefined) return told(413, 'the body is too large');
    const review = reviewIn(body);
    if (!review) return told(400, 'the body is no review');
    return await this.#decided(route, review, request);
  }

  #health(path: string): TlsAnswer {
    if (path === '/healthz') return told(200, 'ok');
    if (path !== '/readyz') return told(404, 'webhooks are asked by POST');
    const { unready } = this;
    return unready === undefined ? told(200, 'ok') : told(503, unready);
  }

  /** Decides in time, or says that there was not enough. */
  async #decided(route: Route, review: Record<string, unknown>, request: TlsRequest): Promise<TlsAnswer> {
    const ms = timeoutOf(request) * DECIDED_IN;
    using deciding = scope(this.#end.signal.aborted ? undefined : request.signal);
    const late = new InformerError('stale', `the webhook ${route.name} did not decide within ${ms / 1000} s`);
    using _timer = this.#clock.after(ms, () => deciding.abort(late));
    try {
      const { signal } = deciding;
      const response = await Promise.race([this.#response(route, review, signal), rejectedBy(signal)]);
      const { apiVersion, kind } = review;
      return { status: 200, type: 'application/json', body: jsonText({ kind, apiVersion, response }) ?? '' };
    } catch (error) {
      const message = messageOf(error);
      this.#logger.warn('a webhook failed', { webhook: route.name, why: message });
      return told(500, message); // of other codes, API servers do not show the text
    }
  }

  async #response(route: Route, review: Record<string, unknown>, signal: AbortSignal): Promise<object> {
    const { caches = [], fresh = 'synced' } = route;
    const waiting = caches.find((cache) => !cache.hasSynced);
    if (waiting) throw new InformerError('sync', `the cache of ${waiting.name} has not synced`);
    await Promise.all(caches.map((cache) => made(cache, fresh, signal)));
    return await route.answer(review, signal);
  }
}

/** Waits until a cache is as fresh as a decision needs it. */
async function made(cache: DecisionCache, fresh: WebhookOptions['fresh'], signal: AbortSignal): Promise<void> {
  if (fresh === 'proven') return await cache.whenProven(signal);
  if (fresh !== 'confirmed') return;
  for (;;) {
    const lists = await cache.confirm(signal);
    if (lists.every(({ differing }) => differing === 0)) return;
    await cache.whenProven(signal); // it is behind: what it lacks is on its way
  }
}

function sourceOf(
  certificate: WebhookServerOptions['certificate'],
  client: Client | undefined,
  hosts: readonly string[],
  clock: Clock,
): CertificateSource {
  if ('certFile' in certificate) return fromFiles(certificate);
  if (!('secret' in certificate)) return { current: async () => ({ ...certificate, authorities: certificate.cert }) };
  if (!client) return refuseOption('a certificate in a Secret needs a client');
  if (hosts.length === 0) refuseOption('a certificate in a Secret needs hosts, such as hooks.infra.svc');
  return fromSecret(client, certificate.secret, hosts, clock);
}

function refuseOption(why: string): never {
  throw new InformerError('argument', `createWebhookServer: ${why}`);
}

function linked(signal: AbortSignal | undefined, abort: () => void): Disposable {
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', abort) };
}

function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return aborted(signal).then(() => {
    throw signal.reason;
  });
}

/** The `timeoutSeconds` that the API server puts into the query. */
function timeoutOf({ query }: TlsRequest): number {
  const seconds = /^(\d+)s$/.exec(query.get('timeout') ?? '')?.[1];
  return seconds === undefined ? DEFAULT_TIMEOUT_MS : Number(seconds) * 1000;
}

function reviewIn(body: string): Record<string, unknown> | undefined {
  try {
    const review = parseJson(body);
    return isJsonMap(review) && isJsonMap(review.request) ? review : undefined;
  } catch {
    return undefined;
  }
}

const told = (status: number, body: string): TlsAnswer => ({ status, type: 'text/plain; charset=utf-8', body });
