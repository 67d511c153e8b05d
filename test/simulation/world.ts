import { type Client, createClient } from '../../src/client/client.ts';
import type { QueuePolicy } from '../../src/informer/handlers/listener.ts';
import type { InformerNotification } from '../../src/informer/handlers/notification.ts';
import { type Registration, SharedInformer, type SharedInformerOptions } from '../../src/informer/shared-informer.ts';
import type { ContinuityEvent } from '../../src/informer/watch/ledger.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox, type SandboxSnapshot } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { APPLES, CONFIG_MAPS, type Collection, INGRESS_CLASSES } from './collections.ts';
import { Epochs, type Position } from './epochs.ts';
import { NAMESPACES } from './operations.ts';
import { pick, type Random } from './random.ts';
import { Tap } from './tap.ts';

/** What a seed stands for. */
export interface Plan {
  readonly collection: Collection;
  /** One lane for each; [''] = all namespaces. */
  readonly scopes: readonly string[];
  readonly selector: string | undefined;
  readonly historySize: number;
  readonly bookmarkIntervalMs: number;
  readonly options: SharedInformerOptions<UnknownObject>;
}

export function planOf(random: Random): Plan {
  const collection = pick(random, [CONFIG_MAPS, CONFIG_MAPS, CONFIG_MAPS, INGRESS_CLASSES, APPLES]);
  const isScoped = collection.isNamespaced && random() < 0.3;
  return {
    collection,
    scopes: isScoped ? NAMESPACES : [''],
    selector: random() < 0.3 ? 'app=web' : undefined,
    historySize: pick(random, [5, 50, 10_000]),
    bookmarkIntervalMs: pick(random, [10_000, 60_000]),
    options: {
      sync: pick(random, ['stream', 'stream', 'list', 'pages', 'auto'] as const),
      pageSize: pick(random, [0, 2, 3]),
      resyncMs: pick(random, [0, 0, 0, 45_000]),
      maxInternalErrorRetryMs: pick(random, [0, 10_000]),
      verifyEveryMs: pick(random, [0, 0, 0, 50_000]),
    },
  };
}

/** A change the server made: which key, at which revision, when, and whether the informer's selector concerned it. */
export interface Change {
  readonly key: string;
  readonly position: Position;
  /** On the monotonic clock. */
  readonly at: number;
  readonly isSelected: boolean;
}

/** What a handler was told, and in which epoch of the server. */
export type Told = InformerNotification<UnknownObject> & { readonly epoch: number };

/** What was reported of continuity, and how things were at that moment. */
export type Reported = ContinuityEvent & {
  readonly epoch: number;
  /** Up to where the source was known to be right. */
  readonly reached: Position;
  /** Of a source that goes on at a version: whether the server's history has all that the source knows. */
  readonly isContinued: boolean;
  /** How many changes had been sent to the source. */
  readonly sent: number;
};

/** Streams that went dead without a sign, and what they must be noticed by. */
export interface HalfOpen {
  /** On the monotonic clock. */
  readonly since: number;
  /** Until when no new connection was answered either. */
  readonly deafUntil: number;
  /** The namespaces whose streams went dead, and have not been noticed. */
  readonly scopes: Set<string>;
  /** How much had been changed and reported. */
  readonly changes: number;
  readonly reported: number;
}

/** A handler that came late, and what it was told. */
export interface Guest {
  readonly registration: Registration;
  readonly told: InformerNotification<UnknownObject>[];
  readonly known: Map<string, string>;
}

/** One server, one client, one informer, one clock, and everything that was said between them. */
export class World {
  readonly plan: Plan;
  readonly clock = new FakeClock();
  readonly sandbox: Sandbox;
  readonly tap: Tap;
  readonly client: Client;
  readonly informer: SharedInformer<UnknownObject>;
  /** Keeps every notification, at once. */
  readonly told: Told[] = [];
  /** A handler that is slow and keeps only the latest of each object. */
  readonly coalesced: InformerNotification<UnknownObject>[] = [];
  readonly continuity: Reported[] = [];
  readonly epochs = new Epochs();
  /** Up to where each source is known to be right. */
  readonly #reached = new Map<string, Position>();
  /** Undefined when nothing else was done to the server since, or all was noticed. */
  halfOpen: HalfOpen | undefined;
  readonly #snapshots: { readonly snapshot: SandboxSnapshot; readonly position: Position }[] = [];
  /** Namespaces whose informer has not asked the server since its history was replaced: no client writes before. */
  readonly #unaware = new Set<string>();
  readonly history: Change[] = [];
  readonly trace: string[] = [];
  readonly controller = new AbortController();
  readonly running: Promise<void>;
  readonly slow: Registration;
  /** Handlers that came while the informer ran. */
  readonly guests: Guest[] = [];
  #restarting: Promise<void> | undefined;

  static async create(seed: number, overrides: Partial<SharedInformerOptions<UnknownObject>> = {}): Promise<World> {
    const clock = new FakeClock();
    const plan = planOf(seededRandom(seed));
    const { historySize, bookmarkIntervalMs } = plan;
    const sandbox = await Sandbox.start({ socket: false, seed, token: 'simulated', clock, historySize, bookmarkIntervalMs });
    return new World(seed, plan, sandbox, clock, overrides);
  }

  private constructor(
    seed: number,
    plan: Plan,
    sandbox: Sandbox,
    clock: FakeClock,
    overrides: Partial<SharedInformerOptions<UnknownObject>>,
  ) {
    this.plan = plan;
    this.clock = clock;
    this.sandbox = sandbox;
    const { collection, scopes, selector, options } = plan;
    this.#prepare();
    if (collection.definition && seed % 2 === 0) sandbox.apply(collection.definition);
    this.tap = new Tap(
      (init) => sandbox.handle(init),
      seededRandom(seed + 1),
      clock,
      (line) => this.#note(line),
    );
    this.client = createClient(this.tap, { clock, random: seededRandom(seed + 4) });
    const sources = scopes.map((namespace) => ({
      namespace: namespace || undefined,
      source: this.client.resource(collection.gvr, { namespace: namespace || undefined }),
    }));
    this.informer = new SharedInformer<UnknownObject>(sources, {
      ...options,
      name: collection.gvr.resource,
      selectors: { labelSelector: selector },
      clock,
      random: seededRandom(seed + 2),
      freeze: true,
      logger: silentLogger,
      indexers: { node: (o) => [o.metadata.annotations?.node ?? ''] },
      onContinuity: (event) => {
        this.#report(event);
        this.#note(`${event.kind} ${'why' in event ? event.why : 'fault' in event ? event.fault : ''} ${event.scope ?? ''}`);
      },
      ...overrides,
    });
    const note = (how: string, n: InformerNotification<UnknownObject>) =>
      this.#note(`${how}${n.kind} ${n.key}@${versionOf(n.object)} ${n.cause}`);
    this.informer.addHandler(
      handlerOf((n) => {
        this.told.push({ ...n, epoch: this.epochs.current });
        note('', n);
      }),
    );
    this.slow = this.informer.addHandler(
      handlerOf((n) => {
        this.coalesced.push(n);
        note('slow ', n);
        return clock.sleep(300);
      }),
      { policy: 'coalesce' },
    );
    this.running = this.informer.run(this.controller.signal);
  }

  #report(event: ContinuityEvent): void {
    const scope = event.scope ?? '';
    const epoch = this.epochs.current;
    const reached = this.#reached.get(scope) ?? { epoch: 0, version: 0 };
    const isContinued = 'since' in event && this.#isContinued(scope, { epoch: reached.epoch, version: Number(event.since) });
    this.continuity.push({ ...event, epoch, reached, isContinued, sent: this.tap.delivered(scope).length });
    const at = 'resourceVersion' in event ? event.resourceVersion : isContinued && event.kind !== 'connected' ? event.since : undefined;
    if (at !== undefined) this.#reached.set(scope, { epoch, version: Number(at) });
    if (!this.isDown && (isContinued || FINDS.has(event.kind))) this.#unaware.delete(scope);
  }

  /** Whether the server's history has every change of a source's objects up to a position, and no other. */
  #isContinued(scope: string, { epoch, version }: Position): boolean {
    if (this.epochs.includes(this.epochs.current, { epoch, version })) return true;
    const isOther = ({ position, key, isSelected }: Change) =>
      isSelected &&
      laneOf(key, this.plan.scopes) === scope &&
      position.version <= version &&
      this.epochs.includes(this.epochs.current, position) !== this.epochs.includes(epoch, position);
    return !this.history.some(isOther);
  }

  #prepare(): void {
    this.sandbox.apply(NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  }

  get collection(): Collection {
    return this.plan.collection;
  }

  get isDown(): boolean {
    return this.#restarting !== undefined;
  }

  /** Whether the server serves the type at present. */
  get isServed(): boolean {
    const { definition } = this.collection;
    if (!definition) return true;
    const crd = this.sandbox.get(CRD, definition.metadata.name ?? '');
    return crd !== undefined && crd.metadata.deletionTimestamp === undefined;
  }

  /** Where the server is. */
  get position(): Position {
    return { epoch: this.epochs.current, version: Number(this.sandbox.resourceVersion) };
  }

  object(key: string): UnknownObject | undefined {
    return this.isServed ? this.sandbox.get(this.collection.gvr, key) : undefined;
  }

  /** What the cache must show once all is quiet: keys with versions, sorted. */
  get serverState(): string[] {
    if (!this.isServed) return [];
    const all = this.sandbox.list(this.collection.gvr).filter((o) => this.#isSelected(o));
    return all.map((o) => `${keyIn(o)}@${versionOf(o)}`).sort();
  }

  /** Does a write, and notes what the server made of it. */
  async change(key: string, write: () => Promise<number>): Promise<number | string> {
    if (this.isDown || !this.isServed || this.#unaware.size > 0) return 'not now';
    const before = this.object(key);
    const status = await write();
    const after = this.object(key);
    if (versionOf(before) === versionOf(after)) return status;
    const isSelected = [before, after].some((object) => object !== undefined && this.#isSelected(object));
    this.history.push({ key, position: this.position, at: this.clock.monotonic(), isSelected });
    return status;
  }

  /** Takes the type away, or brings it back. */
  toggleDefinition(): string | undefined {
    const { definition } = this.collection;
    if (!definition) return undefined;
    if (this.isServed) this.sandbox.delete(CRD, definition.metadata.name ?? '');
    else if (this.sandbox.get(CRD, definition.metadata.name ?? '') === undefined) this.sandbox.apply(definition);
    return this.isServed ? 'the type is back' : 'the type goes away';
  }

  /** False while an earlier restart is under way. */
  restart(how: { keepHistory: boolean; downMs: number }): boolean {
    if (this.#restarting) return false;
    this.#restart(this.sandbox.restart(how));
    return true;
  }

  /** Keeps what the server has now for {@link replaceHistory}. */
  takeSnapshot(): void {
    if (this.isDown) return;
    this.#snapshots.push({ snapshot: this.sandbox.snapshot(), position: this.position });
    if (this.#snapshots.length > 3) this.#snapshots.shift();
  }

  /** The server comes back with another history behind the same address: an earlier one, drawn from the snapshots, or none at all. */
  replaceHistory(how: 'restore' | 'wipe', random: Random, downMs: number): string | undefined {
    const taken = how === 'restore' ? pick(random, this.#snapshots) : undefined;
    if (this.#restarting || (how === 'restore' && !taken)) return undefined;
    this.epochs.begin(taken?.position);
    for (const scope of this.plan.scopes) this.#unaware.add(scope);
    this.#restart(
      (taken ? this.sandbox.restore(taken.snapshot, { downMs }) : this.sandbox.wipe({ downMs })).then(() => {
        if (!taken) this.#prepare();
      }),
    );
    return `${how} ${taken?.position.version ?? ''} of ${this.sandbox.resourceVersion}, down for ${downMs} ms`;
  }

  /**
   * Connections go dead without a sign, `idle` unused ones too, and for `deafMs` nothing else gets through either. What was armed is taken
   * back: whatever is done until this is noticed, the informer does by itself.
   */
  breakSilently(idle: number, deafMs: number): string {
    const since = this.clock.monotonic();
    this.sandbox.faults.clear();
    this.tap.toSpoil = 0;
    this.tap.breakSilently(idle, since + deafMs);
    const isConnected = (i: number) => this.informer.continuity[i]?.connection.state === 'connected';
    const scopes = new Set(this.plan.scopes.filter((scope, i) => this.tap.isFollowing(scope) && isConnected(i)));
    const isAlone = !this.isDown && this.isServed && this.#unaware.size === 0;
    if (isAlone)
      this.halfOpen = { since, deafUntil: since + deafMs, scopes, changes: this.history.length, reported: this.continuity.length };
    return `connections go dead, ${idle} unused ones, nothing answers for ${deafMs} ms; following ${JSON.stringify([...scopes])}`;
  }

  #restart(restarting: Promise<void>): void {
    this.#restarting = restarting.then(() => {
      this.#restarting = undefined;
    });
  }

  /** A handler comes, or, when there are three, the first of them goes. */
  receive(policy: QueuePolicy): string {
    if (this.guests.length === 3) {
      this.guests.shift()?.registration.remove();
      return 'a handler goes';
    }
    const told: InformerNotification<UnknownObject>[] = [];
    const registration = this.informer.addHandler(
      handlerOf((n) => void told.push(n)),
      { policy },
    );
    this.guests.push({ registration, told, known: new Map() });
    return `a handler comes: ${policy}`;
  }

  note(line: string): void {
    this.#note(line);
  }

  /** Ends the informer, then the server. */
  async stop(): Promise<void> {
    this.controller.abort();
    await this.clock.advance(1000); // the slow handler's last sleep
    await this.running;
    await this.sandbox.stop();
    await this.clock.advance(60_000); // a restart, or a delayed answer, that nobody waits for
  }

  #isSelected(object: UnknownObject): boolean {
    return this.plan.selector === undefined || object.metadata.labels?.app === 'web';
  }

  #note(line: string): void {
    this.trace.push(`${(this.clock.monotonic() / 1000).toFixed(3)} ${line}`);
  }
}

/** What a source reports once it has found out what became of the server. */
const FINDS: ReadonlySet<string> = new Set<ContinuityEvent['kind']>(['gap', 'synced', 'relisted']);

/** The part of an informer that a key belongs to. */
export const laneOf = (key: string, scopes: readonly string[]): string =>
  scopes.length === 1 ? (scopes[0] ?? '') : key.slice(0, key.indexOf('/'));

const CRD = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

export const versionOf = (o: { metadata: { readonly resourceVersion?: string } } | undefined): string => o?.metadata.resourceVersion ?? '';

export const keyIn = ({ metadata: { namespace, name } }: { metadata: { readonly namespace?: string; readonly name?: string } }): string =>
  namespace ? `${namespace}/${name}` : `${name}`;

function handlerOf(take: (notification: InformerNotification<UnknownObject>) => void | Promise<void>) {
  return {
    added: (object, details) => take({ ...details, kind: 'added', object }),
    updated: (oldObject, object, details) => take({ ...details, kind: 'updated', oldObject, object }),
    deleted: (object, details) => take({ ...details, kind: 'deleted', object }),
  } satisfies Parameters<SharedInformer<UnknownObject>['addHandler']>[0];
}
