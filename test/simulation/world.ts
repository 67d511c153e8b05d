import { type Client, createClient } from '../../src/client/client.ts';
import type { ContinuityEvent } from '../../src/informer/ledger.ts';
import type { QueuePolicy } from '../../src/informer/listener.ts';
import type { Notification } from '../../src/informer/notification.ts';
import { type Registration, SharedInformer, type SharedInformerOptions } from '../../src/informer/shared-informer.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { APPLES, CONFIG_MAPS, type Collection, INGRESS_CLASSES } from './collections.ts';
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

/** A change the server made: which key, at which revision, and whether the informer's selector concerned it. */
export interface Change {
  readonly key: string;
  readonly revision: number;
  readonly isSelected: boolean;
}

/** A handler that came late, and what it was told. */
export interface Guest {
  readonly registration: Registration;
  readonly told: Notification<UnknownObject>[];
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
  readonly told: Notification<UnknownObject>[] = [];
  /** A handler that is slow and keeps only the latest of each object. */
  readonly coalesced: Notification<UnknownObject>[] = [];
  readonly continuity: ContinuityEvent[] = [];
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
    sandbox.apply(NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
    if (collection.definition && seed % 2 === 0) sandbox.apply(collection.definition);
    this.tap = new Tap(
      (init) => sandbox.handle(init),
      seededRandom(seed + 1),
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
        this.continuity.push(event);
        this.#note(`${event.kind} ${'why' in event ? event.why : 'fault' in event ? event.fault : ''} ${event.scope ?? ''}`);
      },
      ...overrides,
    });
    const record = (into: Notification<UnknownObject>[]) => (n: Notification<UnknownObject>) => {
      into.push(n);
      this.#note(`${into === this.told ? '' : 'slow '}${n.kind} ${n.key}@${versionOf(n.object)} ${n.cause}`);
    };
    this.informer.addHandler(handlerOf(record(this.told)));
    const late = record(this.coalesced);
    this.slow = this.informer.addHandler(
      handlerOf((n) => {
        late(n);
        return clock.sleep(300);
      }),
      { policy: 'coalesce' },
    );
    this.running = this.informer.run(this.controller.signal);
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
    if (this.isDown || !this.isServed) return 'not now';
    const before = this.object(key);
    const status = await write();
    const after = this.object(key);
    if (versionOf(before) === versionOf(after)) return status;
    const isSelected = [before, after].some((object) => object !== undefined && this.#isSelected(object));
    this.history.push({ key, revision: Number(this.sandbox.resourceVersion), isSelected });
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
    this.#restarting = this.sandbox.restart(how).then(() => {
      this.#restarting = undefined;
    });
    return true;
  }

  /** A handler comes, or, when there are three, the first of them goes. */
  receive(policy: QueuePolicy): string {
    if (this.guests.length === 3) {
      this.guests.shift()?.registration.remove();
      return 'a handler goes';
    }
    const told: Notification<UnknownObject>[] = [];
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

const CRD = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

export const versionOf = (o: { metadata: { readonly resourceVersion?: string } } | undefined): string => o?.metadata.resourceVersion ?? '';

export const keyIn = ({ metadata: { namespace, name } }: { metadata: { readonly namespace?: string; readonly name?: string } }): string =>
  namespace ? `${namespace}/${name}` : `${name}`;

function handlerOf(take: (notification: Notification<UnknownObject>) => void | Promise<void>) {
  return {
    added: (object, details) => take({ ...details, kind: 'added', object }),
    updated: (oldObject, object, details) => take({ ...details, kind: 'updated', oldObject, object }),
    deleted: (object, details) => take({ ...details, kind: 'deleted', object }),
  } satisfies Parameters<SharedInformer<UnknownObject>['addHandler']>[0];
}
