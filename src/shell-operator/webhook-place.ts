import { existsSync } from 'node:fs';
import type { Client } from '../client/client.ts';
import { makeCertificate } from '../kit/certificate.ts';
import type { Clock } from '../kit/clock.ts';
import type { Logger } from '../kit/logger.ts';
import { createWebhookServer, type WebhookServer, type WebhookServerOptions } from '../webhooks/webhook-server.ts';

/** The defaults of one of the two servers that shell-operator has. */
export interface PlaceDefaults {
  /** The beginning of the names of its variables. */
  readonly prefix: string;
  readonly service: string;
  /** The folder of the certificate. */
  readonly folder: string;
  readonly port: number;
}

/** The address of webhooks, by the variables of a Pod of shell-operator. */
export interface ServerPlace {
  /** Undefined outside of a cluster: then this machine is called. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
  readonly options: Pick<WebhookServerOptions, 'port' | 'host' | 'certificate' | 'hosts'>;
  /** Whether this program renews the certificate, so that `caBundle` must be kept. */
  readonly isRenewed: boolean;
}

export async function serverPlaceOf(
  env: Readonly<Record<string, string | undefined>>,
  { prefix, service, folder, port }: PlaceDefaults,
  clock: Clock,
): Promise<ServerPlace> {
  const of = (name: string, otherwise: string) => env[`${prefix}${name}`] ?? otherwise;
  const namespace = env.SHELL_OPERATOR_NAMESPACE;
  if (!namespace) {
    const certificate = await makeCertificate('localhost', clock.now());
    return { service: undefined, options: { port: 0, host: '127.0.0.1', certificate }, isRenewed: false };
  }
  const name = of('SERVICE_NAME', service);
  const listen = { port: Number(of('LISTEN_PORT', `${port}`)), host: of('LISTEN_ADDRESS', '0.0.0.0') };
  const certFile = of('SERVER_CERT', `${folder}/tls.crt`);
  const own = { secret: { namespace, name: `${name}-tls` } };
  const isRenewed = !existsSync(certFile);
  const files = { certFile, keyFile: of('SERVER_KEY', `${folder}/tls.key`), caFile: of('CA', `${folder}/ca.crt`) };
  return {
    service: { namespace, name },
    options: isRenewed
      ? { ...listen, certificate: own, hosts: [`${name}.${namespace}.svc`] }
      : { ...listen, certificate: files },
    isRenewed,
  };
}

/** A running server at a place. */
export class PlacedServer implements AsyncDisposable {
  readonly #place: ServerPlace;
  readonly #server: WebhookServer;
  readonly #running: Promise<void>;

  private constructor(place: ServerPlace, server: WebhookServer) {
    this.#place = place;
    this.#server = server;
    this.#running = server.run();
  }

  /** Resolves when it listens. `bundles` are the objects whose `caBundle` follows the certificate. Rejects if it cannot. */
  static async start(
    place: ServerPlace,
    { client, clock, logger, mayWrite }: { client: Client; clock: Clock; logger: Logger; mayWrite: boolean },
    bundles: WebhookServerOptions['caBundles'],
    add: (server: WebhookServer) => void,
  ): Promise<PlacedServer> {
    const caBundles = mayWrite && place.isRenewed ? bundles : undefined;
    const server = createWebhookServer({ ...place.options, client, clock, logger, caBundles });
    add(server);
    const placed = new PlacedServer(place, server);
    const listening = async () => {
      while (!server.address) await clock.sleep(LISTEN_LOOK_MS);
    };
    await Promise.race([placed.#running, listening()]).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    return placed;
  }

  /** How API servers call a path of it. */
  clientConfig(path: string): Readonly<Record<string, unknown>> {
    const { service } = this.#place;
    const { address, authorities } = this.#server;
    return {
      ...(service
        ? { service: { ...service, path, port: 443 } }
        : { url: `https://127.0.0.1:${address?.port}${path}` }),
      ...(authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.#running.catch(() => {});
  }
}

const LISTEN_LOOK_MS = 10;
