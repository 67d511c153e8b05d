import { type Client, createClient } from '../../client/client.ts';
import { urgentTransport } from '../../client/http/urgent-transport.ts';
import { InformerError } from '../../kit/error.ts';
import { surroundingsOf } from '../../kit/surroundings.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import type { KubeObject } from '../../model/object.ts';
import { type Lease, type LeaseRecord, leaseSpecOf, recordOf } from './lease-record.ts';

export const LEASES: GroupVersionResource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** The signal that ends a request of a {@link LeaseResource}. */
export type LeaseCall = { signal?: AbortSignal | undefined };

/** The part of a client that an election needs. A `Client` fits. */
export interface LeaseClient {
  resource(gvr: GroupVersionResource, options: { namespace: string }): LeaseResource;
}

/** The part of a client for Leases that an election needs. */
export interface LeaseResource {
  get(name: string, options?: LeaseCall): Promise<object>;
  create(object: object, options?: LeaseCall): Promise<object>;
  update(object: object, options?: LeaseCall): Promise<object>;
}

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Set on the Lease when it is created, and merged into its labels when it is updated. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether an update removes the managedFields, which the server then does not write again: they are more than half of a
   * Lease, and each renewal goes to all who watch it. Those of a server-side apply stay. Default false.
   */
  readonly isUntracked?: boolean | undefined;
}

/**
 * One Lease as a lock. Each write is a PUT of the Lease that was read last, with its resourceVersion: the server
 * refuses it with 409 if anybody else has written in between. Source: client-go resourcelock LeaseLock.
 */
export class LeaseLock {
  readonly #resource: LeaseResource;
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#resource = urgent(options.client).resource(LEASES, { namespace: options.namespace });
  }

  /** `namespace/name`. */
  get description(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  /** The Lease as the subject of an event: its type and its metadata. */
  get subject(): KubeObject {
    const { namespace, name } = this.#options;
    const metadata = this.#lease?.metadata ?? { namespace, name };
    return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
  }

  /** Reads the Lease. Rejects with the server's 404 if there is none. */
  async get(signal: AbortSignal): Promise<LeaseRecord> {
    return this.#kept(await this.#resource.get(this.#options.name, { signal }));
  }

  async create(record: LeaseRecord, signal: AbortSignal): Promise<LeaseRecord> {
    const { namespace, name, labels } = this.#options;
    const metadata = { namespace, name, ...(labels === undefined ? {} : { labels: { ...labels } }) };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: leaseSpecOf(record) };
    return this.#kept(await this.#resource.create(lease, { signal }));
  }

  /** Writes the record into the Lease that was read or written last. Of its labels only the listed ones change. */
  async update(record: LeaseRecord, signal: AbortSignal): Promise<LeaseRecord> {
    const lease = this.#lease;
    if (!lease) throw new InformerError('closed', 'lease not initialized, call get or create first');
    const { labels, isUntracked } = this.#options;
    const labelled = labels === undefined ? lease.metadata : withLabels(lease.metadata, labels);
    const metadata = isUntracked ? withoutManagers(labelled) : labelled;
    return this.#kept(await this.#resource.update({ ...lease, metadata, spec: leaseSpecOf(record) }, { signal }));
  }

  #kept(answer: object): LeaseRecord {
    const lease = answer as Lease;
    this.#lease = lease;
    return recordOf(lease);
  }
}

/** A renewal that waits for the rate limit behind the writes of the work comes too late. */
function urgent(client: LeaseClient | Client): LeaseClient {
  return 'transport' in client ? createClient(urgentTransport(client.transport), surroundingsOf(client)) : client;
}

/** An empty entry removes all of them. Source: Kubernetes docs, Server-Side Apply, Clearing managedFields. */
function withoutManagers(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const { managedFields = [] } = metadata;
  if (managedFields.length === 0 || managedFields.some(({ operation }) => operation === 'Apply')) return metadata;
  return { ...metadata, managedFields: [{}] };
}

function withLabels(metadata: KubeObject['metadata'], labels: Readonly<Record<string, string>>) {
  return { ...metadata, labels: { ...metadata.labels, ...labels } };
}
