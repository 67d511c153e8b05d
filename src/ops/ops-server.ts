import type { Client } from '../client/client.ts';
import { isLoopback } from '../client/http/connection-text.ts';
import type { ManagerCheck } from '../controller/manager/checks.ts';
import { aborted } from '../kit/abort.ts';
import { type Certificate, makeCertificate } from '../kit/certificate.ts';
import { type Clock, systemClock, type Timer } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { type HttpListener, type ListenAddress, listen, type Peer, type ServerRequest } from '../kit/http-listener.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger } from '../kit/logger.ts';
import { inheriting, surroundingsOf } from '../kit/surroundings.ts';
import { type CertificateFiles, fromFiles } from '../webhooks/certificates.ts';
import { ClusterAccess } from './cluster-access.ts';
import type { InspectedInformer } from './health.ts';
import type { InspectedController, InspectedProgram } from './inspected.ts';
import { answerPage } from './pages.ts';
import type { PrometheusMetrics } from './prometheus.ts';

/** Options of {@link createOpsServer}. */
export interface OpsServerOptions {
  /**
   * Where it listens: `HOST:PORT`, or `:PORT` and `PORT`, which mean loopback (127.0.0.1). The port 0 means a free one.
   * For probes and scrapes from outside of a Pod name a host: `0.0.0.0:8080`.
   */
  address: string;
  /** The metrics of `/metrics`. Without it that page is not found. */
  metrics?: Pick<PrometheusMetrics, 'text' | 'contentType'> | undefined;
  /** The controllers of `/debug/queue` and `/debug/explain`. `/readyz` waits for the initial sync of their sources. */
  controllers?: readonly InspectedController[] | undefined;
  /** The informers of `/debug/informers`. `/readyz` waits for their initial sync and their connections. */
  informers?: readonly InspectedInformer[] | undefined;
  /** Further conditions of `/healthz` and `/livez`. */
  liveChecks?: readonly ManagerCheck[] | undefined;
  /** Further conditions of `/readyz`. */
  readyChecks?: readonly ManagerCheck[] | undefined;
  /** Not ready any more when an informer has had no connection for this long, ms. Default 60,000. */
  staleAfterMs?: number | undefined;
  /**
   * Serves HTTPS: with a certificate, with files, which are read again every minute (cert-manager renews them), or with
   * `self-signed`, a certificate that no client can check, as controller-runtime's default. Default: HTTP.
   */
  tls?: Certificate | Pick<CertificateFiles, 'certFile' | 'keyFile'> | 'self-signed' | undefined;
  /**
   * Gives `/metrics` only to those whose bearer token the cluster knows, and who may `get` the nonResourceURL
   * `/metrics` there. The client asks it, with TokenReviews and SubjectAccessReviews (the ClusterRole
   * `system:auth-delegator` allows both); answers are kept for 60 s, allowed paths for 5 min, others for 30 s. Needs
   * `tls` on an address that others reach. Default: everyone who reaches the server may read it.
   */
  access?: Client | undefined;
  /** Aborts when the program begins to end: it is not ready from then on, while the pages still answer. */
  ending?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  address: 'text',
  metrics: true,
  controllers: 'list',
  informers: 'list',
  liveChecks: 'list',
  readyChecks: 'list',
  staleAfterMs: 'number',
  tls: true, // checked by certificateOf
  access: 'object',
  ending: 'signal',
  clock: true,
} satisfies KnownOptionsOf<OpsServerOptions>;

/**
 * Creates an HTTP server for probes, Prometheus and people. It listens from {@link OpsServer.start} on. Pages:
 *
 * - `/metrics`: the metrics, in the text format of Prometheus.
 * - `/healthz`, `/livez`: 200 while the process answers and all `liveChecks` are met, else 503.
 * - `/readyz`: 200 when all informers have synced and are connected, all `readyChecks` are met and the program is not
 *   ending; else 503 with the reasons. `?verbose` lists all conditions, `?format=json` gives JSON.
 * - `/debug/queue`, `/debug/informers`, `/debug/explain?key=NAMESPACE/NAME`: JSON, only for requests from this machine
 *   that name it localhost, 127.0.0.1 or [::1].
 *
 * It only answers GET and HEAD, and changes nothing. Without `tls` and `access`, others who reach its address see metrics
 * and readiness; with them, they see readiness only. Throws `argument` for options that are not valid.
 * @example
 * const server = createOpsServer({ address: ':8080', metrics, controllers: [controller], informers: [informer] });
 * await server.start();
 */
export function createOpsServer(options: OpsServerOptions): OpsServer {
  return new OpsServer(options);
}

/** See {@link createOpsServer}. */
export class OpsServer implements AsyncDisposable {
  readonly #at: Extract<ListenAddress, { port: number }>;
  readonly #program: InspectedProgram;
  readonly #certificate: (() => Promise<Certificate>) | undefined;
  readonly #access: ClusterAccess | undefined;
  readonly #options: OpsServerOptions;
  #listener: HttpListener | undefined;
  #renewal: Timer | undefined;

  constructor(options: OpsServerOptions) {
    checkOptions('createOpsServer', options, KNOWN_OPTIONS);
    const {
      controllers = [],
      informers = [],
      liveChecks = [],
      readyChecks = [],
      metrics,
      ending,
      staleAfterMs,
    } = options;
    const { clock = systemClock } = inheriting({ clock: options.clock }, ...informers, ...controllers);
    this.#at = parseListenAddress(options.address);
    this.#options = options;
    this.#certificate = options.tls === undefined ? undefined : certificateOf(options.tls, this.#at.host, clock);
    this.#access = options.access && new ClusterAccess(options.access);
    if (this.#access && !this.#certificate && !isLoopback(this.#at.host))
      throw new InformerError('argument', 'createOpsServer: access without tls would send tokens readable by others', {
        hint: "add tls: 'self-signed', or a certificate",
      });
    this.#program = {
      controllers,
      objects: [],
      informers,
      liveChecks,
      readyChecks,
      metrics,
      ending,
      staleAfterMs,
      clock,
    };
  }

  /** Listens. Resolves with the address, as `127.0.0.1:8080`. Rejects with `config` if it cannot be used. */
  async start(): Promise<string> {
    if (this.#listener) throw new InformerError('argument', 'the server listens already');
    const certificate = await this.#certificate?.();
    const answer = async (request: ServerRequest, peer: Peer) => {
      const refusal = this.#refusal(peer) ?? (await this.#denied(request));
      return refusal ?? answerPage(this.#program, request, isLocal(peer) ? 'local' : 'all');
    };
    this.#listener = await listen(this.#at, { answer }, { certificate });
    if (certificate) this.#renewLater();
    return this.#listener.address;
  }

  /** The answer to someone whom the cluster does not give the page. Probes have no token, and debug pages are local. */
  async #denied(request: ServerRequest) {
    const path = URL.parse(request.url, 'http://local')?.pathname;
    return path === GUARDED ? this.#access?.refusal(request, path) : undefined;
  }

  /** Takes the certificate again every minute, because its files may have new ones. */
  #renewLater(): void {
    const { clock } = this.#program;
    this.#renewal = clock.after(RENEW_MS, async () => {
      const { logger = defaultLogger } = surroundingsOf(this.#options.access);
      const next = await this.#certificate?.().catch((error) => logger.warn('the certificate stays', { error }));
      if (!this.#listener) return;
      if (next) this.#listener.replace(next);
      this.#renewLater();
    });
  }

  /** Listens until the signal aborts: to be run beside controllers. Rejects as {@link start}. */
  async run(signal: AbortSignal): Promise<void> {
    await this.start();
    await aborted(signal);
    await this.close();
  }

  /** Ends the server and all its connections at once. `await using` calls it. */
  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#renewal?.cancel();
    await listener?.[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * On loopback only this machine may ask, and a page of a browser that was led here by a name of its own is not this
   * machine.
   */
  #refusal({ host }: Peer) {
    if (!isLoopback(this.#at.host) || host === undefined) return undefined;
    const name = nameIn(host);
    if (name === this.#at.host || isLoopback(name)) return undefined;
    return { status: 403, type: 'text/plain; charset=utf-8', body: 'this server answers to localhost only\n' };
  }
}

/** The page that `access` guards. */
const GUARDED = '/metrics';
const RENEW_MS = 60_000;

/** Throws `argument` for what is no certificate. */
function certificateOf(
  tls: NonNullable<OpsServerOptions['tls']>,
  host: string,
  clock: Clock,
): () => Promise<Certificate> {
  if (tls === 'self-signed') {
    let made: Promise<Certificate> | undefined;
    return () => (made ??= makeCertificate(host, clock.now()));
  }
  const given: object = Object(tls);
  if ('certFile' in given && 'keyFile' in given) {
    const files = fromFiles(tls as CertificateFiles);
    return () => files.current();
  }
  if ('cert' in given && 'key' in given) return async () => tls as Certificate;
  throw new InformerError('argument', 'createOpsServer: tls needs { cert, key }, { certFile, keyFile } or self-signed');
}

/** The name in a Host header, without its port. */
const nameIn = (host: string) => /^(.*?)(:\d+)?$/.exec(host)?.[1] ?? '';

/**
 * Whether a program of this machine asks, by a name of this machine: a page of a browser that was led here by another
 * name is not one, whatever address the server listens on.
 */
const isLocal = ({ address, host }: Peer) => isOwnAddress(address) && host !== undefined && isLoopback(nameIn(host));

/** Whether an address is of this machine, also one of IPv4 that IPv6 shows. */
const isOwnAddress = (address: string | undefined) => isLoopback(address?.replace(/^::ffff:/, '') ?? '');

/** Reads `HOST:PORT`, `:PORT` or `PORT`. Throws `argument` for any other text. */
export function parseListenAddress(text: string): { host: string; port: number } {
  const [, bracketed, named, port] = /^(?:\[([0-9a-fA-F:.%]+)\]:|([^\s:/[\]]*):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new InformerError('argument', `${JSON.stringify(text)} is no address to listen on`, {
      hint: ':8080 listens on this machine only, 0.0.0.0:8080 on all its addresses',
    });
  }
  return { host: bracketed ?? (named || '127.0.0.1'), port: Number(port) };
}
