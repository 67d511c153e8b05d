import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { load } from 'js-yaml';
import { seededRandom } from '../../src/kit/random.ts';
import type { ProxyTarget } from './fault-proxy.ts';
import { type Answer, LABEL, type Order } from './protocol.ts';
import { TypeTruth } from './truth.ts';
import { linesOf } from './watchers.ts';

/** How to reach a cluster, and as whom. */
interface Access {
  readonly url: URL;
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;
  readonly token: string | undefined;
}

interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: { readonly mark?: string };
  };
}

const TYPES = [
  { gvr: 'v1/configmaps', resource: 'configmaps', kind: 'ConfigMap' },
  { gvr: 'v1/secrets', resource: 'secrets', kind: 'Secret' },
] as const;
const NAMESPACES = ['n0', 'n1', 'n2'];
const NAMES = 20;
const DELETED = 0.12;
const SELECTOR = `labelSelector=${encodeURIComponent(LABEL.join('='))}`;
/** How long the record may lag behind the writes, ms. */
const LAG_MS = 20_000;

/**
 * A cluster of the user's. What it did is read from watches of its own, with nothing of what is judged, over a
 * connection that no fault strikes.
 *
 * It makes the namespaces n0, n1, n2 and ops, and leaves them there; its objects and Leases are deleted at the end.
 */
export class RealServer {
  readonly truths = new Map<string, TypeTruth>(TYPES.map(({ gvr }) => [gvr, new TypeTruth(gvr)]));
  readonly #access: Access;
  readonly #agent: Agent;
  readonly #random;
  readonly #there = new Set<string>();
  readonly #watches = new Set<IncomingMessage>();
  #perSecond = 0;
  #marks = 0;
  #written = 0;
  #isOver = false;
  #failure: unknown;
  #writing: Promise<void> = Promise.resolve();
  changes = 0;

  private constructor(access: Access, seed: number) {
    this.#access = access;
    this.#agent = new Agent({ keepAlive: true, ...access.tls });
    this.#random = seededRandom(seed);
  }

  static async start(kubeconfig: string, seed: number): Promise<RealServer> {
    const server = new RealServer(accessOf(kubeconfig), seed);
    await server.#begin();
    return server;
  }

  /** Where the networks of the programs end. */
  get target(): ProxyTarget {
    const { url, tls } = this.#access;
    const servername = servernameOf(url);
    return { host: url.hostname, port: Number(url.port || 443), tls: { servername, host: url.hostname, ...tls } };
  }

  async ask(order: Order): Promise<Answer> {
    if (order.do === 'write') this.#perSecond = order.perSecond;
    else if (order.do === 'report') await this.#caughtUp();
    else if (!['snapshot', 'clear faults', 'skew'].includes(order.do))
      throw new Error(`a cluster of the user's cannot be asked to ${order.do}`);
    if (this.#failure) throw this.#failure;
    const token = this.#access.token ?? 'of-the-certificate';
    const port = Number(this.#access.url.port || 443);
    return { tokens: { administrator: token, reader: token }, port, version: 0 };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
    for (const watch of this.#watches) watch.destroy();
    await this.#clear();
    await this.#request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/ops/leases').catch(() => {});
    this.#agent.destroy();
  }

  async #begin(): Promise<void> {
    for (const name of [...NAMESPACES, 'ops'])
      await this.#request('POST', '/api/v1/namespaces', { metadata: { name } }).catch((error) => {
        if (!String(error).includes(' 409 ')) throw error;
      });
    await this.#clear();
    for (const { gvr, resource } of TYPES) {
      const { items, metadata } = (await this.#request('GET', `/api/v1/${resource}?${SELECTOR}`)) as {
        items: Thing[];
        metadata: { resourceVersion: string };
      };
      if (items.length > 0)
        throw new Error(`${resource} with the label ${LABEL.join('=')} are there, and are not deleted`);
      this.truths.get(gvr)?.begin({ epoch: 0, gvr, states: new Map() });
      void this.#record(gvr, resource, metadata.resourceVersion).catch((error) => {
        if (!this.#isOver) this.#failure ??= error;
      });
    }
    this.#writing = this.#write().catch((error) => {
      this.#failure ??= error;
    });
  }

  async #clear(): Promise<void> {
    for (const namespace of NAMESPACES)
      for (const { resource } of TYPES)
        await this.#request('DELETE', `/api/v1/namespaces/${namespace}/${resource}?${SELECTOR}`);
  }

  /** Reads one watch after the other, each from where the one before ended. */
  async #record(gvr: string, resource: string, from: string): Promise<void> {
    let version = from;
    const truth = this.truths.get(gvr) as TypeTruth;
    while (!this.#isOver) {
      const answer = await this.#open('GET', `/api/v1/${resource}?${SELECTOR}&watch=1&resourceVersion=${version}`);
      this.#watches.add(answer);
      let failure: string | undefined;
      const take = linesOf((line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: Thing };
        if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
          failure = line;
          return;
        }
        const { namespace, name, uid, resourceVersion, annotations } = object.metadata;
        version = resourceVersion;
        const mark = type === 'DELETED' ? undefined : annotations?.mark;
        truth.add({ epoch: 0, gvr, key: `${namespace}/${name}`, uid, version: Number(version), type, mark });
        this.changes++;
      });
      for await (const chunk of answer.setEncoding('utf8')) take(chunk);
      this.#watches.delete(answer);
      if (failure) throw new Error(`the record of ${resource} has a hole: ${failure}`);
    }
  }

  async #write(): Promise<void> {
    let last = performance.now();
    let due = 0;
    while (!this.#isOver) {
      await sleep(20);
      const now = performance.now();
      due = Math.min(due + ((now - last) * this.#perSecond) / 1000, this.#perSecond);
      last = now;
      for (; due >= 1 && !this.#isOver && this.#perSecond > 0; due--) await this.#change();
    }
  }

  async #change(): Promise<void> {
    const { gvr, resource, kind } = TYPES[Math.floor(this.#random() * TYPES.length)] ?? TYPES[0];
    const namespace = NAMESPACES[Math.floor(this.#random() * NAMESPACES.length)] as string;
    const name = `thing-${Math.floor(this.#random() * NAMES)}`;
    const collection = `/api/v1/namespaces/${namespace}/${resource}`;
    const key = `${gvr} ${namespace}/${name}`;
    if (this.#there.has(key) && this.#random() < DELETED) {
      await this.#request('DELETE', `${collection}/${name}`);
      this.#there.delete(key);
    } else {
      const mark = String(++this.#marks);
      const text = `${mark} ${'x'.repeat(Math.floor(this.#random() * 300))}`;
      const metadata = { name, namespace, annotations: { mark }, labels: { [LABEL[0]]: LABEL[1] } };
      const object = { apiVersion: 'v1', kind, metadata, data: { value: Buffer.from(text).toString('base64') } };
      if (this.#there.has(key)) await this.#request('PUT', `${collection}/${name}`, object);
      else await this.#request('POST', collection, object);
      this.#there.add(key);
    }
    this.#written++;
  }

  /** Each write is in the record. */
  async #caughtUp(): Promise<void> {
    for (const from = performance.now(); this.changes < this.#written; await sleep(20)) {
      if (this.#failure) throw this.#failure;
      if (performance.now() - from > LAG_MS)
        throw new Error(`the record has ${this.changes} of ${this.#written} changes`);
    }
  }

  async #request(method: string, url: string, body?: object): Promise<unknown> {
    const answer = await this.#open(method, url, body);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    return JSON.parse(text);
  }

  async #open(method: string, url: string, body?: object): Promise<IncomingMessage> {
    const { token, url: server } = this.#access;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const sent = request(new URL(url, server), { method, headers, agent: this.#agent }, resolve);
    sent.once('error', reject).end(body && JSON.stringify(body));
    const answer = await promise;
    if ((answer.statusCode ?? 0) < 300) return answer;
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    throw new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 300)}`);
  }
}

/** Server names are names: addresses have none. */
const servernameOf = ({ hostname }: URL) => (/^[\d.]+$|:/.test(hostname) ? '' : hostname);

/** Reads what the current context says. Knows certificates and tokens, which is what test clusters have. */
function accessOf(file: string): Access {
  const config = load(readFileSync(file, 'utf8')) as Record<string, { name: string }[]> & { 'current-context': string };
  const named = (list: string, name: string | undefined) =>
    (config[list]?.find((each) => each.name === name) ?? {}) as Record<string, Record<string, string>>;
  const context = named('contexts', config['current-context']).context ?? {};
  const cluster = named('clusters', context.cluster).cluster ?? {};
  const user = named('users', context.user).user ?? {};
  const pem = (from: Record<string, string>, name: string) => {
    const data = from[`${name}-data`];
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    return from[name] === undefined ? undefined : readFileSync(path.resolve(path.dirname(file), from[name]), 'utf8');
  };
  const tls = {
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
  if (tls.cert === undefined && user.token === undefined)
    throw new Error(`the soak needs a client certificate or a token in the current context of ${file}`);
  if (!cluster.server?.startsWith('https://'))
    throw new Error(`the soak needs an https:// server in the current context of ${file}`);
  return { url: new URL(cluster.server), tls, token: user.token };
}
