import { seededRandom } from '../src/kit/random.ts';

/**
 * What a collection holds. `widgets`: custom resources of 50 kB. `secrets`: base64 of bytes that do not compress.
 * `mixed`: pods of 1 to 6 containers, each template with another size.
 */
export type Kind = 'pods' | 'deployments' | 'widgets' | 'secrets' | 'mixed';

/** How the objects of a collection look; the same for the same options. */
export interface Shape {
  kind?: Kind | undefined;
  /**
   * Target size of one object as JSON, managedFields (a third of it) included. What cannot be made so small is some 3
   * kB. Default 7,000, and 50,000 for widgets.
   */
  bytes?: number | undefined;
  /** The number of nodes. Default 50. */
  nodes?: number | undefined;
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

export const GROUP_VERSION: Readonly<Record<Kind, string>> = {
  pods: 'v1',
  deployments: 'apps/v1',
  widgets: 'example.com/v1',
  secrets: 'v1',
  mixed: 'v1',
};
export const KINDS: Readonly<Record<Kind, string>> = {
  pods: 'Pod',
  deployments: 'Deployment',
  widgets: 'Widget',
  secrets: 'Secret',
  mixed: 'Pod',
};
/** The resource under which a collection is served. */
export const RESOURCE: Readonly<Record<Kind, string>> = {
  pods: 'pods',
  deployments: 'deployments',
  widgets: 'widgets',
  secrets: 'secrets',
  mixed: 'pods',
};

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
  readonly #numbers: Numbers;

  constructor({ kind = 'pods', bytes = defaultBytes(kind), nodes = NODES, seed = 1 }: Shape = {}) {
    this.kind = kind;
    this.#numbers = { uids: Math.imul(seed, 0x9e3779b1), nodes };
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
    return new Texts(texts, this.#numbers);
  }

  #textOf(app: number, form: Form, withKind: boolean): string {
    const own = { kind: KINDS[this.kind], apiVersion: GROUP_VERSION[this.kind] };
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: this.#metadata[app] };
    const cells = cellsOf(this.kind, app);
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
  node: '~nod~',
  address: '~ip.~~~',
  digits: `~hex${'~'.repeat(60)}`,
  base64: `~b64${'~'.repeat(60)}`,
} as const;
type Mark = keyof typeof MARKS;

/** What all objects of a collection have in common. */
interface Numbers {
  /** The number from which the first uid is made. */
  readonly uids: number;
  readonly nodes: number;
}

/** Numbered texts of one form. */
export class Texts {
  readonly #templates: readonly Template[];
  readonly #numbers: Numbers;

  constructor(texts: readonly string[], numbers: Numbers) {
    this.#templates = texts.map(templateOf);
    this.#numbers = numbers;
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
    for (const slot of slots) this.#fill(target, at, slot, { i, version });
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

  #fill(target: Buffer, from: number, { mark, offset }: Slot, { i, version }: { i: number; version: number }): void {
    const at = from + offset;
    if (mark === 'serial') writeSerial(target, at, i);
    else if (mark === 'namespace') writeNumber(target, at, 2, i % NAMESPACES);
    else if (mark === 'uid') writeUid(target, at, this.#numbers.uids + i);
    else if (mark === 'version') writeNumber(target, at, 8, version);
    else if (mark === 'node') writeNumber(target, at, 5, i % this.#numbers.nodes);
    else if (mark === 'digits') writeRandom(target, at, HEX, this.#numbers.uids + Math.imul(i, 0x85ebca6b) + offset);
    else if (mark === 'base64') writeRandom(target, at, BASE64, this.#numbers.uids + Math.imul(i, 0x85ebca6b) + offset);
    else {
      writeNumber(target, at, 3, 100 + (i % 150));
      writeNumber(target, at + 4, 3, 100 + (Math.floor(i / 150) % 150));
    }
  }
}

interface Slot {
  readonly mark: Mark;
  readonly offset: number;
}

interface Template {
  readonly bytes: Buffer;
  readonly slots: readonly Slot[];
}

function templateOf(text: string): Template {
  const slots = (Object.keys(MARKS) as Mark[]).flatMap((mark) => {
    const found: Slot[] = [];
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

const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const RANDOM_LENGTH = MARKS.digits.length;

/** Characters of an alphabet whose length is a power of two. */
function writeRandom(target: Buffer, at: number, alphabet: Buffer, number: number): void {
  let state = number;
  for (let c = 0; c < RANDOM_LENGTH; c += 4) {
    state = (state + 0x6d2b79f5) | 0;
    const bits = mixed(state);
    for (let k = 0; k < 4; k++) target[at + c + k] = alphabet[(bits >>> (8 * k)) & (alphabet.length - 1)] as number;
  }
}

/** A bijection of 32 bits. Source: murmur3's finaliser. */
export function mixed(value: number): number {
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
  if (kind === 'secrets') return secret(app, bytes);
  if (kind === 'widgets') return widget(app, bytes);
  const variables: object[] = [];
  const owned: string[] = [];
  const build = () => built(kind, app, variables, owned);
  const wanted = kind === 'mixed' ? bytes * (0.4 + (2 * app) / APPS) : bytes;
  const size = (value: unknown) => JSON.stringify(value).length;
  for (let n = 0; ; n++) {
    const object = build();
    const managed = size(object.metadata.managedFields);
    if (size(object) + 40 >= wanted) return object;
    if (managed * 3 < size(object)) owned.push(`SETTING_${n}`);
    else variables.push({ name: `SETTING_${n}`, value: hex(random, 16) });
  }
}

const defaultBytes = (kind: Kind) => (kind === 'widgets' ? 50_000 : DEFAULT_BYTES);

function built(kind: Kind, app: number, variables: readonly object[], owned: readonly string[]): Fields {
  if (kind === 'deployments') return deployment(app, variables, owned);
  return kind === 'mixed' ? mixedPod(app, variables, owned) : pod(app, variables, owned);
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

/** A pod with some containers, each with the identity that only this pod has. */
function mixedPod(app: number, variables: readonly object[], owned: readonly string[]): Fields {
  const one = pod(app, variables, owned) as Fields & { spec: Fields; status: Fields };
  const [main] = containersOf(app, variables) as [object];
  const names = Array.from({ length: 1 + (app % 6) }, (_, c) => (c === 0 ? 'main' : `sidecar-${c}`));
  return {
    ...one,
    spec: { ...one.spec, containers: names.map((name, c) => (c === 0 ? main : { ...main, name, env: [] })) },
    status: {
      ...one.status,
      containerStatuses: names.map((name) => ({
        name,
        state: { running: { startedAt: TIME } },
        ready: true,
        restartCount: app % 4,
        image: `registry.example.com/${name}:${hashOf(app)}`,
        imageID: `registry.example.com/${name}@sha256:${hashOf(app).repeat(8)}`,
        containerID: `containerd://${MARKS.digits}`,
      })),
    },
  };
}

/** A Secret with values that no other one has. */
function secret(app: number, bytes: number): Fields {
  const metadata = metadataOf(app, nameOf(app), managedFields([], { 'f:data': {} }));
  const rest = Math.max(MARKS.base64.length, bytes - JSON.stringify({ metadata }).length);
  const lines = Math.ceil(rest / MARKS.base64.length / 4);
  const value = MARKS.base64.repeat(lines);
  return { metadata, type: 'Opaque', data: { 'ca.crt': value, 'tls.crt': value, 'tls.key': value, token: value } };
}

/** A custom resource: a long list of rules, some of which only this one has. */
function widget(app: number, bytes: number): Fields {
  const metadata = metadataOf(app, nameOf(app), managedFields([], { 'f:spec': {} }));
  const rules: object[] = [];
  for (let n = 0, size = 0; size < bytes - 2500; n++) {
    const rule = {
      name: `rule-${n}`,
      match: { path: `/v${n % 3}/app-${two(app)}/${n}`, methods: ['GET', n % 2 ? 'POST' : 'PUT'], weight: n * 7 },
      backend: {
        service: `backend-${(n * app) % 17}`,
        port: 8000 + (n % 50),
        ...(n % 8 ? {} : { token: MARKS.digits }),
      },
    };
    rules.push(rule);
    size += JSON.stringify(rule).length + 1;
  }
  return { metadata, spec: { rules, paused: false }, status: { phase: 'Ready', observedGeneration: 1 } };
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

const POD_COLUMNS = [
  ...['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => column(name)),
  ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map((name) => column(name, 1)),
];

export const COLUMNS: Readonly<Record<Kind, readonly object[]>> = {
  pods: POD_COLUMNS,
  deployments: [
    column('Name'),
    column('Ready'),
    column('Up-to-date', 0, 'integer'),
    column('Available', 0, 'integer'),
    column('Age'),
    ...['Containers', 'Images', 'Selector'].map((name) => column(name, 1)),
  ],
  widgets: [column('Name'), column('Age')],
  secrets: [column('Name'), column('Type'), column('Data', 0, 'integer'), column('Age')],
  mixed: POD_COLUMNS,
};

function cellsOf(kind: Kind, app: number): unknown[] {
  if (kind === 'deployments') return deploymentCells(app);
  if (kind === 'widgets') return [nameOf(app), '5d'];
  return kind === 'secrets' ? [nameOf(app), 'Opaque', 4, '5d'] : podCells(app);
}

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
