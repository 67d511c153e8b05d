import { type Client, createClient } from '../../src/client/client.ts';
import type { QueuePolicy } from '../../src/informer/handlers/listener.ts';
import type { InformerNotification } from '../../src/informer/handlers/notification.ts';
import type { Registration } from '../../src/informer/handlers/registration.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { ContinuityEvent } from '../../src/informer/watch/continuity-ledger.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox, type SandboxSnapshot } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { APPLES, CONFIG_MAPS, type Collection, INGRESS_CLASSES, NAMESPACES } from './collections.ts';
import { Epochs, type Position } from './epochs.ts';
import { pick, type RandomSource } from './random.ts';
import { Tap } from './tap.ts';

/** The plan that a seed determines. */
export interface Plan {
  readonly collection: Collection;
  /** One lane for each namespace; ['']: all namespaces in one. */
  readonly scopes: readonly string[];
  readonly selector: string | undefined;
  readonly historySize: number;
  readonly bookmarkIntervalMs: number;
  readonly options: SharedInformerOptions<UnknownObject>;
}

export function planOf(random: RandomSource): Plan {
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

/** A change on the server: its key, version and time, and whether it matches the informer's selector. */
export interface Change {
  readonly key: string;
  readonly position: Position;
  /** On the monotonic clock. */
  readonly at: number;
  readonly isSelected: boolean;
}

/** A notification of a handler, and the epoch of the server at that moment. */
export type EpochNotification = InformerNotification<UnknownObject> & { readonly epoch: number };

/** A continuity event, and the state of things at that moment. */
export type Reported = ContinuityEvent & {
  readonly epoch: number;
  /** The position up to which the source was known to be right. */
  readonly reached: Position;
  /** For a source that resumes at a version: whether the server's history contains everything the source knows. */
  readonly isContinued: boolean;
  /** The number of changes that had been sent to the source. */
  readonly sent: number;
};

/** Streams that died without a sign, and the deadline for noticing it. */
export interface HalfOpen {
  /** On the monotonic clock. */
  readonly since: number;
  /** The time until which new connections were not answered either. */
  readonly deafUntil: number;
  /** The namespaces whose streams died and have not been noticed. */
  readonly scopes: Set<string>;
  /** The number of changes and of reports at that moment. */
  readonly changes: number;
  readonly reported: number;
}

/** A handler that was added late, and its notifications. */
export interface Guest {
  readonly registration: Registration;
  readonly notifications: InformerNotification<UnknownObject>[];
  readonly known: Map<string, string>;
}

/** One server, one client, one informer and one clock, and a record of everything that happened between them. */
export class World {
  readonly plan: Plan;
  readonly clock = new FakeClock();
  readonly sandbox: Sandbox;
  readonly tap: Tap;
  readonly client: Client;
  readonly informer: SharedInformer<UnknownObject>;
  /** Records every notification at once. */
  readonly notifications: EpochNotification[] = [];
  /** A slow handler that gets only the latest state of each object. */
  readonly coalesced: InformerNotification<UnknownObject>[] = [];
  readonly continuity: Reported[] = [];
  readonly epochs = new Epochs();
  /** The position up to which each source is known to be right. */
  readonly #reached = new Map<string, Position>();
  /** Undefined when another disturbance came since, or when all was noticed. */
  halfOpen: HalfOpen | undefined;
  readonly #snapshots: { readonly snapshot: SandboxSnapshot; readonly position: Position }[] = [];
  /** The namespaces whose informer has not asked the server since its history was replaced. No client writes before. */
  readonly #unaware = new Set<string>();
  readonly history: Change[] = [];
  readonly trace: string[] = [];
  readonly controller = new AbortController();
  readonly running: Promise<void>;
  readonly slow: Registration;
  /** Handlers that were added while the informer ran. */
  readonly guests: Guest[] = [];
  #restarting: Promise<void> | undefined;

  static async create(seed: number, overrides: Partial<SharedInformerOptions<UnknownObject>> = {}): Promise<World> {
    const clock = new FakeClock();
    const plan = planOf(seededRandom(seed));
    const { historySize, bookmarkIntervalMs } = plan;
    const sandbox = await Sandbox.start({
      socket: false,
      seed,
      token: 'simulated',
      clock,
      historySize,
      bookmarkIntervalMs,
    });
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
        this.#note(
          `${event.kind} ${'why' in event ? event.why : 'fault' in event ? event.fault : ''} ${event.scope ?? ''}`,
        );
      },
      ...overrides,
    });
    const note = (how: string, n: InformerNotification<UnknownObject>) =>
      this.#note(`${how}${n.kind} ${n.key}@${versionOf(n.object)} ${n.cause}`);
    this.informer.addHandler(
      handlerOf((n) => {
        this.notifications.push({ ...n, epoch: this.epochs.current });
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
    const isContinued =
      'since' in event && this.#isContinued(scope, { epoch: reached.epoch, version: Number(event.since) });
    this.continuity.push({ ...event, epoch, reached, isContinued, sent: this.tap.delivered(scope).length });
    const at =
      'resourceVersion' in event
        ? event.resourceVersion
        : isContinued && event.kind !== 'connected'
          ? event.since
          : undefined;
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

  /** Whether the server serves the type now. */
  get isServed(): boolean {
    const { definition } = this.collection;
    if (!definition) return true;
    const crd = this.sandbox.get(CRD, definition.metadata.name ?? '');
    return crd !== undefined && crd.metadata.deletionTimestamp === undefined;
  }

  /** The position of the server. */
  get position(): Position {
    return { epoch: this.epochs.current, version: Number(this.sandbox.resourceVersion) };
  }

  object(key: string): UnknownObject | undefined {
    return this.isServed ? this.sandbox.get(this.collection.gvr, key) : undefined;
  }

  /** The final content of the cache: keys with versions, sorted. */
  get serverState(): string[] {
    if (!this.isServed) return [];
    const all = this.sandbox.list(this.collection.gvr).filter((o) => this.#isSelected(o));
    return all.map((o) => `${keyIn(o)}@${versionOf(o)}`).sort();
  }

  /** Makes a write, and records its effect on the server. */
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

  /** Deletes the type, or creates it again. */
  toggleDefinition(): string | undefined {
    const { definition } = this.collection;
    if (!definition) return undefined;
    if (this.isServed) this.sandbox.delete(CRD, definition.metadata.name ?? '');
    else if (this.sandbox.get(CRD, definition.metadata.name ?? '') === undefined) this.sandbox.apply(definition);
    return this.isServed ? 'the type is back' : 'the type goes away';
  }

  /** False while an earlier restart is running. */
  restart(how: { keepHistory: boolean; downMs: number }): boolean {
    if (this.#restarting) return false;
    this.#restart(this.sandbox.restart(how));
    return true;
  }

  /** Takes a snapshot of the server for {@link replaceHistory}. */
  takeSnapshot(): void {
    if (this.isDown) return;
    this.#snapshots.push({ snapshot: this.sandbox.snapshot(), position: this.position });
    if (this.#snapshots.length > 3) this.#snapshots.shift();
  }

  /** Makes the server return with another history at the same address: a random snapshot, or nothing. */
  replaceHistory(how: 'restore' | 'wipe', random: RandomSource, downMs: number): string | undefined {
    const taken = how === 'restore' ? pick(random, this.#snapshots) : undefined;
    if (this.#restarting || (how === 'restore' && !taken)) return undefined;
    const passed = Number(this.sandbox.resourceVersion);
    this.epochs.begin(taken?.position);
    for (const scope of this.plan.scopes) this.#unaware.add(scope);
    this.#restart(
      (taken ? this.sandbox.restore(taken.snapshot, { downMs }) : this.sandbox.wipe({ downMs })).then(() => {
        if (!taken) this.#prepare();
        else if (passed % 2 === 0) this.#pass(passed);
      }),
    );
    return `${how} ${taken?.position.version ?? ''} of ${this.sandbox.resourceVersion}, down for ${downMs} ms`;
  }

  /** Other types change on the server, until it has passed a version. No source sees these changes. */
  #pass(version: number): void {
    for (let i = 0; Number(this.sandbox.resourceVersion) <= version; i++)
      this.sandbox.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `s${i}`, namespace: 'default' } });
  }

  /**
   * Makes connections die without a sign, `idle` unused ones too. For `deafMs` new connections get no answer either.
   * Removes prepared faults: until this is noticed, everything the informer does is its own decision.
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
      this.halfOpen = {
        since,
        deafUntil: since + deafMs,
        scopes,
        changes: this.history.length,
        reported: this.continuity.length,
      };
    return `connections go dead, ${idle} unused ones, nothing answers for ${deafMs} ms; following ${JSON.stringify([...scopes])}`;
  }

  #restart(restarting: Promise<void>): void {
    this.#restarting = restarting.then(() => {
      this.#restarting = undefined;
    });
  }

  /** Adds a handler, or removes the first one when there are three. */
  receive(policy: QueuePolicy): string {
    if (this.guests.length === 3) {
      this.guests.shift()?.registration.remove();
      return 'a handler is removed';
    }
    const notifications: InformerNotification<UnknownObject>[] = [];
    const registration = this.informer.addHandler(
      handlerOf((n) => void notifications.push(n)),
      { policy },
    );
    this.guests.push({ registration, notifications, known: new Map() });
    return `a handler is added: ${policy}`;
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
    await this.clock.advance(60_000); // a restart or a delayed answer that no one waits for
  }

  #isSelected(object: UnknownObject): boolean {
    return this.plan.selector === undefined || object.metadata.labels?.app === 'web';
  }

  #note(line: string): void {
    this.trace.push(`${(this.clock.monotonic() / 1000).toFixed(3)} ${line}`);
  }
}

/** The events by which a source shows that it has noticed what happened to the server. */
const FINDS: ReadonlySet<string> = new Set<ContinuityEvent['kind']>(['gap', 'synced', 'relisted']);

/** The lane of an informer to which a key belongs. */
export const laneOf = (key: string, scopes: readonly string[]): string =>
  scopes.length === 1 ? (scopes[0] ?? '') : key.slice(0, key.indexOf('/'));

const CRD = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

export const versionOf = (o: { metadata: { readonly resourceVersion?: string } } | undefined): string =>
  o?.metadata.resourceVersion ?? '';

export const keyIn = ({
  metadata: { namespace, name },
}: {
  metadata: { readonly namespace?: string; readonly name?: string };
}): string => (namespace ? `${namespace}/${name}` : `${name}`);

function handlerOf(take: (notification: InformerNotification<UnknownObject>) => void | Promise<void>) {
  return {
    added: (object, details) => take({ ...details, kind: 'added', object }),
    updated: (oldObject, object, details) => take({ ...details, kind: 'updated', oldObject, object }),
    deleted: (object, details) => take({ ...details, kind: 'deleted', object }),
  } satisfies Parameters<SharedInformer<UnknownObject>['addHandler']>[0];
}
