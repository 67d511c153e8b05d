import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/client/http/transport.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { surroundingsOf, withSurroundings } from '../../src/kit/surroundings.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

/** A sandbox in this process, a client of it, the one clock of both, and all that the client sent. */
export interface InProcess extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly client: Client;
  readonly transport: Transport;
  readonly sent: TransportRequest[];
}

export interface InProcessSetup extends Omit<SandboxOptions, 'socket' | 'clock' | 'token'> {
  readonly objects?: readonly object[];
  readonly client?: ClientOptions;
  /** Whose requests they are; the administrator's unless said. */
  readonly token?: (sandbox: Sandbox) => string;
}

export async function inProcess({ objects = [], client, token, ...options }: InProcessSetup = {}): Promise<InProcess> {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ seed: 1, ...options, socket: false, clock });
  sandbox.apply(objects);
  const sent: TransportRequest[] = [];
  const transport = noting(sandbox.transport(token ? { token: token(sandbox) } : {}), sent);
  return {
    sandbox,
    clock,
    transport,
    client: createClient(transport, { clock, random: seededRandom(options.seed ?? 1), ...client }),
    sent,
    [Symbol.asyncDispose]: () => sandbox.stop(),
  };
}

type Pass = (request: TransportRequest, send: Transport['request']) => Promise<TransportResponse>;

/** A transport with an eye, or a hand, on what goes through it. It has no answers of its own. */
export function through(transport: Transport, pass: Pass): Transport {
  const send = (request: TransportRequest) => transport.request(request);
  const other: Transport = { request: (request) => pass(request, send), close: () => transport.close() };
  return withSurroundings(other, { server: surroundingsOf(transport).server });
}

/** A transport that writes down, in `sent`, what goes through it. */
export function noting(transport: Transport, sent: TransportRequest[]): Transport {
  return through(transport, (request, send) => {
    sent.push(request);
    return send(request);
  });
}

export const CONFIG_MAPS: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** Config maps of a sandbox by their keys: objects that only the test changes. */
export class ConfigMaps {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Creates or changes one; gives its version. */
  put(key: string, node = 'n1', labels: Record<string, string> = {}): string {
    const [namespace, name] = key.split('/') as [string, string];
    const [made] = this.#sandbox.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name, labels },
      data: { node },
    });
    return made?.metadata.resourceVersion ?? '';
  }

  delete(key: string): void {
    this.#sandbox.delete(CONFIG_MAPS, key);
  }

  has(key: string): boolean {
    return this.#sandbox.get(CONFIG_MAPS, key) !== undefined;
  }

  get keys(): string[] {
    return this.#all.map((o) => `${o.metadata.namespace}/${o.metadata.name}`).sort();
  }

  /** Key and version of each. */
  get state(): string[] {
    return this.#all.map((o) => `${o.metadata.namespace}/${o.metadata.name}@${o.metadata.resourceVersion}`).sort();
  }

  get #all() {
    return this.#sandbox.list(CONFIG_MAPS);
  }
}

/** The requests for a type so far, as a reflector names them: `list`, `watch 10`, `stream`. */
export function readsOf(sandbox: Sandbox, resource = 'configmaps'): string[] {
  return sandbox.requests.matching(new RegExp(`/${resource}(\\?|$)`)).map(({ path }) => {
    const query = new URL(path, 'http://x').searchParams;
    const verb = query.has('sendInitialEvents') ? 'stream' : query.has('watch') ? 'watch' : 'list';
    return `${verb} ${query.get('resourceVersion') ?? ''}`.trim();
  });
}

/**
 * A server that knows nothing of aggregated discovery: the same one, with no word of it in any request. Source:
 * KEP-3352.
 */
export function withoutAggregatedDiscovery(transport: Transport): Transport {
  return through(transport, (request, send) =>
    send({ ...request, headers: { ...request.headers, accept: 'application/json' } }),
  );
}

/** A definition of `PLURAL.GROUP`, served in these versions, the first of them stored. */
export function definition(name: string, versions: readonly string[] = ['v1'], names: object = {}) {
  const [plural = '', ...group] = name.split('.');
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const singular = plural.slice(0, -1);
  const kind = singular.charAt(0).toUpperCase() + singular.slice(1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { plural, singular, kind, ...names },
      versions: versions.map((version, i) => ({ name: version, served: true, storage: i === 0, schema })),
    },
  };
}
