import { setTimeout as pause } from 'node:timers/promises';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import type { RandomSource } from '../../src/kit/random.ts';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { isAlreadyExists, isNotFound } from '../../src/model/status.ts';
import { eventually, type TestCluster } from '../../src/testing/index.ts';
import type { PostgresReplicas } from './postgres-replicas.ts';

const SETS = parseGvr('apps/v1/statefulsets');
const SERVICES = parseGvr('v1/services');
const SECRETS = parseGvr('v1/secrets');
const BACKUPS = parseGvr('v1/configmaps');

export interface PostgresTypes {
  readonly clusters: GroupVersionResource;
  readonly old: GroupVersionResource;
  readonly users: GroupVersionResource;
}

interface Wanted {
  readonly uid: string;
  replicas: number;
  version: number;
  readonly users: Set<string>;
}

/** What the operator has to have made, or what there is. Texts, so that a difference can be read. */
export interface PostgresState {
  readonly clusters: readonly string[];
  readonly children: readonly string[];
  readonly backups: readonly string[];
}

/** The users of an operator: what they ask for, what others break, and what there has to be in the end. */
export class PostgresTrial {
  /** How often each child was made, by its type, its name and the uid of its cluster. */
  readonly made = new Map<string, Set<string>>();
  /** How often a child was deleted by someone else, by the same names. */
  readonly broken = new Map<string, number>();
  readonly #cluster: TestCluster;
  readonly #namespace: string;
  readonly #types: PostgresTypes;
  readonly #random: RandomSource;
  readonly #wanted = new Map<string, Wanted>();
  readonly #backups: string[] = [];

  constructor(cluster: TestCluster, namespace: string, types: PostgresTypes, random: RandomSource) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#types = types;
    this.#random = random;
  }

  /** One random thing that a user does, or that someone breaks. */
  async act(): Promise<void> {
    const name = `c${this.#below(8)}`;
    const known = this.#wanted.get(name);
    if (!known) return this.#create(name);
    const acts = [
      this.#scale,
      this.#scale,
      this.#upgrade,
      this.#addUser,
      this.#removeUser,
      this.#breakSize,
      this.#breakChild,
    ];
    if (this.#random() < 0.12) return this.#delete(name, known);
    await acts[this.#below(acts.length)]?.call(this, name, known);
  }

  /** Asks for a first cluster, and resolves when it is made, with how long that took, ms. */
  async begin(): Promise<number> {
    const from = performance.now();
    await this.#create('c0');
    const isMade = () =>
      this.#of(SETS)
        .get('c0')
        .then(() => true, ignoringNotFound);
    await eventually(isMade, { timeoutMs: 180_000, everyMs: 50 });
    return performance.now() - from;
  }

  /** Deletes all clusters. Resolves when they are gone. */
  async end(): Promise<void> {
    for (const { metadata } of (await this.#of(this.#types.clusters).list()).items)
      await this.#surely(() => this.#of(this.#types.clusters).delete(metadata.name ?? ''), isNotFound);
    const isEmpty = async () => (await this.#of(this.#types.clusters).list()).items.length === 0;
    await eventually(isEmpty, { timeoutMs: 180_000, everyMs: 200 });
  }

  get expected(): PostgresState {
    const all = [...this.#wanted].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      clusters: all.map(([name, of]) => `${name} ${of.uid} users ${[...of.users].sort()} current`),
      children: all
        .flatMap(([name, { uid, replicas, version }]) => [
          `secrets ${name} of ${uid}`,
          `services ${name} of ${uid}`,
          `statefulsets ${name} of ${uid} ${replicas} postgres:${version}`,
        ])
        .sort(),
      backups: [...this.#backups].sort(),
    };
  }

  async state(): Promise<PostgresState> {
    const clusters = (await this.#of(this.#types.clusters).list()).items;
    const children = [];
    for (const gvr of [SETS, SERVICES, SECRETS]) {
      for (const { metadata, spec } of (await this.#of(gvr).list()).items) {
        const { replicas, template } = (spec ?? {}) as {
          replicas?: number;
          template?: { spec: { containers: { image: string }[] } };
        };
        const of = template ? ` ${replicas} ${template.spec.containers[0]?.image}` : '';
        children.push(`${gvr.resource} ${metadata.name} of ${metadata.ownerReferences?.[0]?.uid}${of}`);
      }
    }
    const backups = (await this.#of(BACKUPS).list()).items.map(({ metadata: { name = '' } }) => name);
    return {
      clusters: clusters.map(statusOf).sort(),
      children: children.sort(),
      backups: backups.filter((name) => name.includes('-backup-')).sort(),
    };
  }

  /** Children that were made more often than someone deleted them. */
  get doubled(): string[] {
    return [...this.made]
      .filter(([name, uids]) => uids.size > 1 + (this.broken.get(name) ?? 0))
      .map(([name, uids]) => `${name}: ${uids.size}`);
  }

  /** Counts each child that is made, until the signal aborts. Resolves when it sees all there is. */
  async count(signal: AbortSignal): Promise<void> {
    const factory = dynamicInformerFactory(this.#cluster.client, { namespaces: [this.#namespace] });
    for (const gvr of [SETS, SERVICES, SECRETS])
      factory.forResource(gvr).informer.addHandler({
        added: ({ metadata }) => {
          const child = `${gvr.resource} ${metadata.name} of ${metadata.ownerReferences?.[0]?.uid}`;
          this.made.set(child, (this.made.get(child) ?? new Set()).add(metadata.uid ?? ''));
        },
      });
    factory.start(signal);
    const error = (await factory.waitForSync(signal)).asError();
    if (error) throw error;
  }

  async #create(name: string): Promise<void> {
    const [replicas, version] = [1 + this.#below(9), 16 + this.#below(2)];
    const isOld = this.#random() < 0.5;
    const spec = isOld ? { size: replicas, image: `postgres:${version}` } : { replicas, version: String(version) };
    const [type, at] = isOld ? [this.#types.old, 'v1alpha1'] : [this.#types.clusters, 'v1'];
    const object = { apiVersion: `pg.example.com/${at}`, kind: 'PostgresCluster', metadata: { name }, spec };
    await this.#surely(() => this.#of(type).create(object), isAlreadyExists);
    const { uid = '' } = (await this.#of(this.#types.clusters).get(name)).metadata;
    this.#wanted.set(name, { uid, replicas, version, users: new Set() });
  }

  async #delete(name: string, { uid, users }: Wanted): Promise<void> {
    // one that has no finalizer yet goes without a backup
    const isHeld = async () => (await this.#of(this.#types.clusters).get(name)).metadata.finalizers !== undefined;
    await eventually(isHeld, { timeoutMs: 180_000, everyMs: 100 });
    for (const user of users) await this.#surely(() => this.#of(this.#types.users).delete(user), isNotFound);
    await this.#surely(() => this.#of(this.#types.clusters).delete(name), isNotFound);
    const isGone = () =>
      this.#of(this.#types.clusters)
        .get(name)
        .then(({ metadata }) => metadata.uid !== uid, isNotFound);
    await eventually(isGone, { timeoutMs: 180_000, everyMs: 100 });
    this.#backups.push(`${name}-backup-${uid.slice(0, 8)}`);
    this.#wanted.delete(name);
  }

  async #scale(name: string, known: Wanted): Promise<void> {
    known.replicas = 1 + this.#below(9);
    const isOld = this.#random() < 0.5;
    const [type, spec] = isOld
      ? [this.#types.old, { size: known.replicas }]
      : [this.#types.clusters, { replicas: known.replicas }];
    await this.#surely(() => this.#of(type).patch(name, { spec }, { type: 'merge' }));
  }

  async #upgrade(name: string, known: Wanted): Promise<void> {
    known.version = Math.min(18, known.version + 1);
    const spec = { version: String(known.version) };
    await this.#surely(() => this.#of(this.#types.clusters).patch(name, { spec }, { type: 'merge' }));
  }

  async #addUser(name: string, { users }: Wanted): Promise<void> {
    const user = `${name}-${'abcdef'[this.#below(6)]}`;
    if (users.has(user)) return;
    const object = {
      apiVersion: 'pg.example.com/v1',
      kind: 'PostgresUser',
      metadata: { name: user },
      spec: { cluster: name },
    };
    await this.#surely(() => this.#of(this.#types.users).create(object), isAlreadyExists);
    users.add(user);
  }

  async #removeUser(_: string, { users }: Wanted): Promise<void> {
    const [user] = users;
    if (user === undefined) return;
    await this.#surely(() => this.#of(this.#types.users).delete(user), isNotFound);
    users.delete(user);
  }

  /** Someone scales the StatefulSet itself. */
  async #breakSize(name: string): Promise<void> {
    await this.#of(SETS)
      .patch(name, { spec: { replicas: 30 } }, { type: 'merge' })
      .catch(ignoringNotFound);
  }

  async #breakChild(name: string, { uid }: Wanted): Promise<void> {
    const gvr = this.#random() < 0.5 ? SETS : SERVICES;
    const child = `${gvr.resource} ${name} of ${uid}`;
    this.broken.set(child, (this.broken.get(child) ?? 0) + 1);
    await this.#of(gvr).delete(name).catch(ignoringNotFound);
  }

  #of(gvr: GroupVersionResource) {
    return this.#cluster.client.resource(gvr, { namespace: this.#namespace });
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** Repeats a request until it is done: the webhooks are away while no replica lives. */
  async #surely(send: () => Promise<unknown>, isDone: (error: unknown) => boolean = () => false): Promise<void> {
    await eventually(() => send().then(() => true, isDone), { timeoutMs: 180_000, everyMs: 200 });
  }
}

/** Kills and freezes replicas at random moments. */
export class Disturbance {
  /** What was done: `kill 0`, `freeze 1 for 812 ms`. */
  readonly done: string[] = [];
  readonly #replicas: PostgresReplicas;
  readonly #random: RandomSource;

  constructor(replicas: PostgresReplicas, random: RandomSource) {
    this.#replicas = replicas;
    this.#random = random;
  }

  /**
   * Goes on until the signal aborts. On average the replicas are left alone for `calmMs`: as long as a start and a change
   * of the leader take, so that there is work to disturb, also on a busy machine.
   */
  async run(calmMs: number, signal: AbortSignal): Promise<void> {
    const random = this.#random;
    while (!signal.aborted) {
      await pause(random() * 2 * calmMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const at = random() < 0.5 ? 0 : 1;
      if (random() < 0.5) {
        this.#replicas.kill(at);
        this.done.push(`kill ${at}`);
        continue;
      }
      const thaw = this.#replicas.freeze(at);
      const ms = 200 + Math.floor(random() * 5_000);
      this.done.push(`freeze ${at} for ${ms} ms`);
      await pause(ms);
      thaw();
    }
  }
}

function statusOf({ metadata, status }: UnknownObject): string {
  const { users = [], conditions = [] } = (status ?? {}) as {
    users?: string[];
    conditions?: { observedGeneration?: number }[];
  };
  const seen = conditions[0]?.observedGeneration;
  const isCurrent = seen === metadata.generation && metadata.deletionTimestamp === undefined;
  return `${metadata.name} ${metadata.uid} users ${users} ${isCurrent ? 'current' : `at ${seen} of ${metadata.generation}`}`;
}

function ignoringNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
