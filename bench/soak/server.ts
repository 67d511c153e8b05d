// The server of a soak, in a process of its own: SANDBOX SEED NAMES DELETED. It writes objects by itself and says what it wrote, so
// that nothing that is judged takes part in the record; and it breaks as its parent orders.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../src/kit/random.ts';
import type { Sandbox, SandboxSnapshot } from '../../src/sandbox/sandbox.ts';
import { type Answer, LABEL, type Order } from './protocol.ts';
import type { ObjectState, Transition } from './truth.ts';

const [library = '', seed = '1', names = '20', deleted = '0.12'] = process.argv.slice(2);
const { Sandbox: Server } = (await import(pathToFileURL(path.resolve(library)).href)) as {
  Sandbox: typeof Sandbox;
};

const TYPES = [
  { gvr: 'v1/configmaps', apiVersion: 'v1', kind: 'ConfigMap' },
  { gvr: 'v1/secrets', apiVersion: 'v1', kind: 'Secret' },
] as const;
const NAMESPACES = ['n0', 'n1', 'n2'];
const NAMES = Number(names);
/** The part of the changes that delete an object. */
const DELETED = Number(deleted);
/** Changes are sent in batches, ms. */
const TELL_MS = 20;

const READER = 'reader';
const RIGHTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list', 'watch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: READER }],
  },
];

type Objects = Map<string, Map<string, ObjectState>>;

/** Writes objects, one change after the other, and knows what there must be. */
class Writer {
  readonly #server: Sandbox;
  readonly #random = seededRandom(Number(seed));
  #objects: Objects = new Map(TYPES.map(({ gvr }) => [gvr, new Map()]));
  #snapshot: { readonly of: SandboxSnapshot; readonly objects: Objects } | undefined;
  #epoch = 0;
  #marks = 0;
  #perSecond = 0;
  #due = 0;
  #untold: Transition[] = [];
  /** Nothing is written while the server restarts. */
  isPaused = true;

  constructor(server: Sandbox) {
    this.#server = server;
    setInterval(() => this.#tick(), TELL_MS);
  }

  /** All objects as a new history begins. */
  begin(): void {
    this.#server.apply(
      [...NAMESPACES, 'ops'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
    this.grant(true);
    process.send?.({
      start: { epoch: this.#epoch, types: [...this.#objects].map(([gvr, objects]) => [gvr, [...objects]]) },
    });
    this.isPaused = false;
  }

  set perSecond(changes: number) {
    this.#perSecond = changes;
    this.#due = 0;
  }

  grant(isGranted: boolean): void {
    if (isGranted) this.#server.apply(RIGHTS);
    else this.#server.delete({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' }, 'reader');
  }

  keep(): void {
    this.#snapshot = { of: this.#server.snapshot(), objects: this.#copied(this.#objects) };
  }

  async restore(downMs: number): Promise<void> {
    if (!this.#snapshot) throw new Error('there is no snapshot');
    this.isPaused = true;
    this.tell();
    await this.#server.restore(this.#snapshot.of, { downMs });
    this.#objects = this.#copied(this.#snapshot.objects);
    this.#epoch++;
    this.begin();
  }

  async wipe(downMs: number): Promise<void> {
    this.isPaused = true;
    this.tell();
    await this.#server.wipe({ downMs });
    this.#objects = new Map(TYPES.map(({ gvr }) => [gvr, new Map()]));
    this.#snapshot = undefined;
    this.#epoch++;
    this.begin();
    this.keep();
  }

  /** Creates every object that is not there. */
  async fill(): Promise<void> {
    for (const { gvr, ...type } of TYPES) {
      for (let i = 0; i < NAMES * NAMESPACES.length; i++) {
        const namespace = NAMESPACES[i % NAMESPACES.length] as string;
        this.#put({ gvr, type, namespace, name: `thing-${Math.floor(i / NAMESPACES.length)}` });
        if (i % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.tell();
  }

  tell(): void {
    if (this.#untold.length > 0) process.send?.({ transitions: this.#untold });
    this.#untold = [];
  }

  #tick(): void {
    if (!this.isPaused) {
      this.#due += (this.#perSecond * TELL_MS) / 1000;
      for (; this.#due >= 1; this.#due--) this.#change();
    }
    this.tell();
  }

  #change(): void {
    const { gvr, ...type } = pick(TYPES, this.#random);
    const namespace = pick(NAMESPACES, this.#random);
    const name = `thing-${Math.floor(this.#random() * NAMES)}`;
    const key = `${namespace}/${name}`;
    const objects = this.#objects.get(gvr) as Map<string, ObjectState>;
    const before = objects.get(key);
    if (before && this.#random() < DELETED) {
      this.#server.delete(type, key);
      objects.delete(key);
      const version = Number(this.#server.resourceVersion);
      this.#told({ gvr, key, type: 'DELETED', uid: before.uid, version, mark: undefined });
      return;
    }
    this.#put({ gvr, type, namespace, name });
  }

  #put({ gvr, type, namespace, name }: { gvr: string; type: object; namespace: string; name: string }): void {
    const key = `${namespace}/${name}`;
    const objects = this.#objects.get(gvr) as Map<string, ObjectState>;
    const before = objects.get(key);
    const mark = String(++this.#marks);
    const data = { value: Buffer.from(`${mark} ${'x'.repeat(Math.floor(this.#random() * 300))}`).toString('base64') };
    const [stored] = this.#server.apply({
      ...type,
      metadata: { namespace, name, annotations: { mark }, labels: { [LABEL[0]]: LABEL[1] } },
      data,
    });
    const { uid = '', resourceVersion } = stored?.metadata ?? {};
    const state = { uid, version: Number(resourceVersion), mark };
    objects.set(key, state);
    this.#told({ gvr, key, type: before ? 'MODIFIED' : 'ADDED', ...state });
  }

  #told(transition: Omit<Transition, 'epoch'>): void {
    this.#untold.push({ epoch: this.#epoch, ...transition });
  }

  #copied(objects: Objects): Objects {
    return new Map([...objects].map(([gvr, states]) => [gvr, new Map(states)]));
  }
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

const server = await Server.start({ seed: Number(seed), tls: false, rbac: true, bookmarkIntervalMs: 5_000 });
const writer = new Writer(server);
const reader = server.tokenFor({ user: READER });
writer.begin();
writer.keep();

async function carryOut(order: Order): Promise<void> {
  switch (order.do) {
    case 'write':
      writer.perSecond = order.perSecond;
      break;
    case 'restart':
      writer.isPaused = true;
      await server.restart({ keepHistory: order.keepHistory, downMs: order.downMs });
      writer.isPaused = false;
      break;
    case 'restore':
      await writer.restore(order.downMs);
      break;
    case 'wipe':
      await writer.wipe(order.downMs);
      break;
    case 'fill':
      await writer.fill();
      break;
    case 'snapshot':
      writer.keep();
      break;
    case 'compact':
      server.compact();
      break;
    case 'expire token':
      server.expireToken();
      break;
    case 'rotate token':
      server.rotateToken();
      break;
    case 'clear faults':
      server.faults.clear();
      break;
    case 'skew':
      server.skewClock(order.ms);
      break;
    case 'rights':
      writer.grant(order.isGranted);
      break;
    case 'fault': {
      const match = { method: 'GET', path: /\/(configmaps|secrets)\?/ };
      server.faults.add({ fault: order.fault as never, times: order.times, match });
      break;
    }
    case 'report':
      writer.tell();
      break;
  }
}

process.on('message', ({ order, to }: { order: Order; to: number }) => {
  const answer = (): Answer => ({
    tokens: { administrator: server.token, reader },
    port: Number(new URL(server.url).port),
    version: Number(server.resourceVersion),
  });
  carryOut(order).then(
    () => process.send?.({ answer: answer(), to }),
    (error) => process.send?.({ failure: String(error?.stack ?? error), to }),
  );
});
process.once('disconnect', () => process.exit());
