import { seededRandom } from '../src/kit/random.ts';

/** What a collection holds. */
export type Kind = 'pods' | 'deployments';

/** How the objects of a collection look; the same for the same options. */
export interface Shape {
  kind?: Kind | undefined;
  /**
   * Target size of one object as JSON, managedFields (a third of it) included. What cannot be made so small is some 3
   * kB. Default 7,000.
   */
  bytes?: number | undefined;
  seed?: number | undefined;
}

/** The form of an object in an answer. `row-…`: a row of a Table with that much of the object. */
export type Form = 'object' | 'metadata' | 'row-none' | 'row-metadata' | 'row-object';

export const DEFAULT_BYTES = 7000;
export const NAMESPACES = 20;
const NODES = 50;
const APPS = 40;

/**
 * The versions that a collection of this file speaks of: of its objects, of a list of them, of the changes that follow.
 * All are as long.
 */
export const VERSIONS = { objects: 10_000_000, list: 19_999_999, changes: 20_000_000 };

export const GROUP_VERSION: Readonly<Record<Kind, string>> = { pods: 'v1', deployments: 'apps/v1' };
export const KINDS: Readonly<Record<Kind, string>> = { pods: 'Pod', deployments: 'Deployment' };

/** Objects as `JSON.parse` gives them. */
export function generate(count: number, shape: Shape = {}): object[] {
  const texts = new ObjectTexts(shape).as('object');
  return Array.from({ length: count }, (_, i) => JSON.parse(texts.text(i)) as object);
}

/**
 * The texts of any number of objects, of which none is kept in memory: each is one of some templates with what makes it
 * itself (name, namespace, uid, version, node, address) written over it. So a server can send 200,000 of them out of a
 * few hundred kilobytes.
 */
export class ObjectTexts {
  readonly kind: Kind;
  readonly #metadata: readonly object[];
  readonly #objects: readonly Fields[];
  readonly #uids: number;

  constructor({ kind = 'pods', bytes = DEFAULT_BYTES, seed = 1 }: Shape = {}) {
    this.kind = kind;
    this.#uids = Math.imul(seed, 0x9e3779b1);
    const random = seededRandom(seed);
    this.#objects = Array.from({ length: APPS }, (_, app) => ofSize(app, { kind, bytes, random }));
    this.#metadata = this.#objects.map(({ metadata }) => metadata as object);
  }

  /**
   * The objects in one form, each with these characters around it. `withKind`: they say themselves what they are, as in
   * a watch.
   */
  as(
    form: Form,
    { before = '', after = '', withKind = false }: { before?: string; after?: string; withKind?: boolean } = {},
  ): Texts {
    const texts = this.#objects.map((_, app) => `${before}${this.#textOf(app, form, withKind)}${after}`);
    return new Texts(texts, this.#uids);
  }

  #textOf(app: number, form: Form, withKind: boolean): string {
    const own = { kind: KINDS[this.kind], apiVersion: GROUP_VERSION[this.kind] };
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: this.#metadata[app] };
    const cells = this.kind === 'pods' ? podCells(app) : deploymentCells(app);
    switch (form) {
      case 'object':
        return JSON.stringify(withKind ? { ...own, ...this.#objects[app] } : this.#objects[app]);
      case 'metadata':
        return JSON.stringify(partial);
      case 'row-none':
        return JSON.stringify({ cells, object: null });
      case 'row-metadata':
        return JSON.stringify({ cells, object: partial });
      case 'row-object':
        return JSON.stringify({ cells, object: { ...own, ...this.#objects[app] } });
    }
  }
}

type Fields = Record<string, unknown> & { metadata: Record<string, unknown> };

/** Marks in a template, as long as what is written over them. No generated text has a tilde otherwise. */
const MARKS = {
  serial: '~seri~',
  namespace: '~#',
  uid: `~uid${'~'.repeat(32)}`,
  version: '~versio~',
  node: '~N~',
  address: '~ip.~~~',
} as const;
type Mark = keyof typeof MARKS;

/** Numbered texts of one form. */
export class Texts {
  readonly #templates: readonly Template[];
  readonly #uids: number;

  constructor(texts: readonly string[], uids: number) {
    this.#templates = texts.map(templateOf);
    this.#uids = uids;
  }

  /** The longest text there is. */
  get maxLength(): number {
    return Math.max(...this.#templates.map(({ bytes }) => bytes.length));
  }

  lengthOf(i: number): number {
    return this.#of(i).bytes.length;
  }

  /** Writes the text of object `i`, at the version given or its first, and returns where it ends. */
  write(target: Buffer, at: number, i: number, version = VERSIONS.objects + i): number {
    const { bytes, slots } = this.#of(i);
    bytes.copy(target, at);
    for (const { mark, offset } of slots) this.#fill(target, at + offset, mark, i, version);
    return at + bytes.length;
  }

  text(i: number, version?: number): string {
    const bytes = Buffer.allocUnsafe(this.lengthOf(i));
    this.write(bytes, 0, i, version);
    return bytes.toString('latin1');
  }

  #of(i: number): Template {
    return this.#templates[i % this.#templates.length] as Template;
  }

  #fill(target: Buffer, at: number, mark: Mark, i: number, version: number): void {
    if (mark === 'serial') writeSerial(target, at, i);
    else if (mark === 'namespace') writeNumber(target, at, 2, i % NAMESPACES);
    else if (mark === 'uid') writeUid(target, at, this.#uids + i);
    else if (mark === 'version') writeNumber(target, at, 8, version);
    else if (mark === 'node') writeNumber(target, at, 3, i % NODES);
    else {
      writeNumber(target, at, 3, 100 + (i % 150));
      writeNumber(target, at + 4, 3, 100 + (Math.floor(i / 150) % 150));
    }
  }
}

interface Template {
  readonly bytes: Buffer;
  readonly slots: readonly { readonly mark: Mark; readonly offset: number }[];
}

function templateOf(text: string): Template {
  const slots = (Object.keys(MARKS) as Mark[]).flatMap((mark) => {
    const found: { mark: Mark; offset: number }[] = [];
    for (let at = text.indexOf(MARKS[mark]); at >= 0; at = text.indexOf(MARKS[mark], at + 1))
      found.push({ mark, offset: at });
    return found;
  });
  return { bytes: Buffer.from(text, 'latin1'), slots };
}

function writeNumber(target: Buffer, at: number, width: number, value: number): void {
  let rest = value;
  for (let i = at + width - 1; i >= at; i--) {
    target[i] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** The characters that names made by the API server end with. Source: apimachinery util/rand. */
const SAFE = Buffer.from('bcdfghjklmnpqrstvwxz2456789');
const SERIALS = SAFE.length ** 6;

/** Six characters, others for every number: the factor has no divisor in common with the number of serials. */
function writeSerial(target: Buffer, at: number, i: number): void {
  let rest = (i * 214_013 + 2_531_011) % SERIALS;
  for (let c = 0; c < 6; c++) {
    target[at + c] = SAFE[rest % SAFE.length] as number;
    rest = Math.floor(rest / SAFE.length);
  }
}

const HEX = Buffer.from('0123456789abcdef');
const DASHES = new Set([8, 13, 18, 23]);

function writeUid(target: Buffer, at: number, number: number): void {
  let state = number;
  let bits = 0;
  for (let c = 0, digit = 0; c < 36; c++) {
    if (DASHES.has(c)) {
      target[at + c] = 0x2d;
      continue;
    }
    if (digit++ % 8 === 0) {
      state = (state + 0x6d2b79f5) | 0;
      bits = mixed(state);
    }
    target[at + c] = HEX[bits & 15] as number;
    bits >>>= 4;
  }
}

/** A bijection of 32 bits. Source: murmur3's finaliser. */
function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

type Random = () => number;
interface Wanted {
  kind: Kind;
  bytes: number;
  random: Random;
}

/** The template of one app, with as many variables and owned fields as its size takes, a third of it managedFields. */
function ofSize(app: number, { kind, bytes, random }: Wanted): Fields {
  const variables: object[] = [];
  const owned: string[] = [];
  const build = () => (kind === 'pods' ? pod(app, variables, owned) : deployment(app, variables, owned));
  const size = (value: unknown) => JSON.stringify(value).length;
  for (let n = 0; ; n++) {
    const object = build();
    const managed = size(object.metadata.managedFields);
    if (size(object) + 40 >= bytes) return object;
    if (managed * 3 < size(object)) owned.push(`SETTING_${n}`);
    else variables.push({ name: `SETTING_${n}`, value: hex(random, 16) });
  }
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

const two = (n: number) => String(n).padStart(2, '0');
const hashOf = (app: number) =>
  mixed(app + 1)
    .toString(16)
    .padStart(8, '0')
    .slice(0, 8);
const nameOf = (app: number) => `app-${two(app)}-${hashOf(app)}-${MARKS.serial}`;
const TIME = '2026-01-01T00:00:00Z';

function metadataOf(app: number, name: string, managed: object[]): Record<string, unknown> {
  return {
    name,
    generateName: `app-${two(app)}-${hashOf(app)}-`,
    namespace: `ns-${MARKS.namespace}`,
    uid: MARKS.uid,
    resourceVersion: MARKS.version,
    generation: 1,
    creationTimestamp: TIME,
    labels: {
      app: `app-${two(app)}`,
      'pod-template-hash': hashOf(app),
      'topology.kubernetes.io/zone': `zone-${app % 3}`,
    },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `app-${two(app)}-${hashOf(app)}`,
        uid: `${hashOf(app)}-0000-4000-8000-${hashOf(app + 100)}0000`,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: managed,
  };
}

function managedFields(variables: readonly string[], status: Record<string, unknown>): object[] {
  const env = Object.fromEntries(
    variables.map((name) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
  );
  const container = {
    '.': {},
    'f:env': { '.': {}, ...env },
    'f:image': {},
    'f:imagePullPolicy': {},
    'f:name': {},
    'f:resources': {},
  };
  const entry = (manager: string, fieldsV1: object) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: TIME,
    fieldsType: 'FieldsV1',
    fieldsV1,
  });
  return [
    entry('kube-controller-manager', {
      'f:metadata': {
        'f:generateName': {},
        'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} },
        'f:ownerReferences': { '.': {} },
      },
      'f:spec': {
        'f:containers': { 'k:{"name":"main"}': container },
        'f:dnsPolicy': {},
        'f:restartPolicy': {},
        'f:schedulerName': {},
      },
    }),
    { ...entry('kubelet', { 'f:status': status }), subresource: 'status' },
  ];
}

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

function containersOf(app: number, variables: readonly object[]): object[] {
  const resources = { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } };
  const mount = { name: 'token', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  return [
    {
      name: 'main',
      image: `registry.example.com/app-${two(app)}:${hashOf(app)}`,
      env: variables,
      resources,
      volumeMounts: [mount],
      livenessProbe: {
        httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        failureThreshold: 3,
      },
      terminationMessagePath: '/dev/termination-log',
      imagePullPolicy: 'IfNotPresent',
    },
  ];
}

function pod(app: number, variables: readonly object[], owned: readonly string[]): Fields {
  const status = Object.fromEntries(
    CONDITIONS.map((type) => [`k:{"type":"${type}"}`, { '.': {}, 'f:status': {}, 'f:type': {} }]),
  );
  return {
    metadata: metadataOf(
      app,
      nameOf(app),
      managedFields(owned, { 'f:conditions': status, 'f:phase': {}, 'f:podIP': {} }),
    ),
    spec: {
      volumes: [
        {
          name: 'token',
          projected: {
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
            defaultMode: 420,
          },
        },
      ],
      containers: containersOf(app, variables),
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `worker-${MARKS.node}`,
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((what) => ({
        key: `node.kubernetes.io/${what}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: 'Running',
      conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: TIME })),
      hostIP: `192.168.1.${app}`,
      podIP: `10.1.${MARKS.address}`,
      podIPs: [{ ip: `10.1.${MARKS.address}` }],
      startTime: TIME,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: TIME } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'i',
          imageID: 'i',
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  };
}

function deployment(app: number, variables: readonly object[], owned: readonly string[]): Fields {
  const labels = { app: `app-${two(app)}` };
  return {
    metadata: metadataOf(app, nameOf(app), managedFields(owned, { 'f:replicas': {}, 'f:readyReplicas': {} })),
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: containersOf(app, variables), restartPolicy: 'Always' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    },
    status: { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
  };
}

/** Columns as the API server names them. Source: kubernetes pkg/printers/internalversion. */
const column = (name: string, priority = 0, type = 'string') => ({
  name,
  type,
  format: name === 'Name' ? 'name' : '',
  description: '',
  priority,
});

export const COLUMNS: Readonly<Record<Kind, readonly object[]>> = {
  pods: [
    ...['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => column(name)),
    ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map((name) => column(name, 1)),
  ],
  deployments: [
    column('Name'),
    column('Ready'),
    column('Up-to-date', 0, 'integer'),
    column('Available', 0, 'integer'),
    column('Age'),
    ...['Containers', 'Images', 'Selector'].map((name) => column(name, 1)),
  ],
};

function podCells(app: number): unknown[] {
  return [
    nameOf(app),
    '1/1',
    'Running',
    '0',
    '5d',
    `10.1.${MARKS.address}`,
    `worker-${MARKS.node}`,
    '<none>',
    '<none>',
  ];
}

function deploymentCells(app: number): unknown[] {
  return [
    nameOf(app),
    '3/3',
    3,
    3,
    '5d',
    'main',
    `registry.example.com/app-${two(app)}:${hashOf(app)}`,
    `app=app-${two(app)}`,
  ];
}
