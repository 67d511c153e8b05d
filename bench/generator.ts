import { seededRandom } from '../src/kit/random.ts';
import { hashOf, MARKS, type Numbers, nameOf, Texts, TIME, two } from './marks.ts';
import { container, containersOfApp, type ObjectFields, pod, podCells } from './pods.ts';

/**
 * What a collection holds. `widgets`: custom resources of 50 kB. `secrets`: base64 of bytes that do not compress.
 * `mixed`: pods of 1 to 6 containers, half as large again as
 * `pods`.
 */
export type Kind = 'pods' | 'deployments' | 'widgets' | 'secrets' | 'mixed';

/** How the objects of a collection look; the same for the same options. */
export interface Shape {
  kind?: Kind | undefined;
  /**
   * Target size of one object as JSON, managedFields (a third of it, of pods nearly half) included: the mean, where sizes
   * differ. What cannot be made so small is some 3 kB, pods some 6 kB. Default 7,000, and 50,000 for widgets.
   */
  bytes?: number | undefined;
  /** The number of nodes. Default 50. */
  nodes?: number | undefined;
  seed?: number | undefined;
}

/** The form of an object in an answer. `row-…`: a row of a Table with that much of the object. */
export type Form = 'object' | 'metadata' | 'row-none' | 'row-metadata' | 'row-object';

export const DEFAULT_BYTES = 7000;
const NODES = 50;
const APPS = 40;

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
  readonly #objects: readonly ObjectFields[];
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

type Random = () => number;
interface Wanted {
  kind: Kind;
  bytes: number;
  random: Random;
}

/** The template of one app. */
function ofSize(app: number, { kind, bytes, random }: Wanted): ObjectFields {
  if (kind === 'secrets') return secret(app, bytes);
  if (kind === 'widgets') return widget(app, bytes);
  return kind === 'deployments' ? deploymentOfSize(app, bytes, random) : podOfSize(app, { kind, bytes, random });
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;

/** A pod with as many variables as its size takes; a pod with more containers is larger. */
function podOfSize(app: number, { kind, bytes, random }: Wanted): ObjectFields {
  const containers = containersIn(kind, app);
  const wanted = bytes * (0.8 + containers / 6);
  const variables: object[] = [];
  for (;;) {
    const object = pod(app, { containers, variables });
    if (sizeOf(object) + 60 >= wanted) return object;
    variables.push({ name: `SETTING_${variables.length}`, value: settingOf(variables.length, random) });
  }
}

const containersIn = (kind: Kind, app: number) => (kind === 'mixed' ? 1 + (app % 6) : containersOfApp(app));

/** Digits of both kinds, as settings have them: numbers of accounts, addresses, tokens. */
function settingOf(n: number, random: Random): string {
  if (n % 4 === 1) return Array.from({ length: 18 }, () => Math.floor(random() * 10)).join('');
  return n % 4 === 3 ? `https://backend-${n}.shop.svc:8443/v1?since=1767225600` : hex(random, 16);
}

/** A deployment with as many variables and owned fields as its size takes, a third of it managedFields. */
function deploymentOfSize(app: number, bytes: number, random: Random): ObjectFields {
  const variables: object[] = [];
  const owned: string[] = [];
  for (let n = 0; ; n++) {
    const object = deployment(app, variables, owned);
    const managed = sizeOf(object.metadata.managedFields);
    if (sizeOf(object) + 40 >= bytes) return object;
    if (managed * 3 < sizeOf(object)) owned.push(`SETTING_${n}`);
    else variables.push({ name: `SETTING_${n}`, value: hex(random, 16) });
  }
}

const defaultBytes = (kind: Kind) => (kind === 'widgets' ? 50_000 : DEFAULT_BYTES);

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

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

/** A Secret with values that no other one has. */
function secret(app: number, bytes: number): ObjectFields {
  const metadata = metadataOf(app, nameOf(app), managedFields([], { 'f:data': {} }));
  const rest = Math.max(MARKS.base64.length, bytes - JSON.stringify({ metadata }).length);
  const lines = Math.ceil(rest / MARKS.base64.length / 4);
  const value = MARKS.base64.repeat(lines);
  return { metadata, type: 'Opaque', data: { 'ca.crt': value, 'tls.crt': value, 'tls.key': value, token: value } };
}

/** A custom resource: a long list of rules, some of which only this one has. */
function widget(app: number, bytes: number): ObjectFields {
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

function deployment(app: number, variables: readonly object[], owned: readonly string[]): ObjectFields {
  const labels = { app: `app-${two(app)}` };
  return {
    metadata: metadataOf(app, nameOf(app), managedFields(owned, { 'f:replicas': {}, 'f:readyReplicas': {} })),
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [container(app, 'main', variables)], restartPolicy: 'Always' },
      },
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
  return kind === 'secrets' ? [nameOf(app), 'Opaque', 4, '5d'] : podCells(app, containersIn(kind, app));
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
