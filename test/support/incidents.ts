import { seededRandom } from '../../src/kit/random.ts';
import { wireTime } from '../../src/model/instant.ts';

/** Something that keeps an object from being ready, as a cluster shows it, with other things around it. */
export interface Incident {
  readonly title: string;
  /** The object of the story. */
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly name: string;
  readonly objects: readonly object[];
  /** The reason that its story must name first. */
  readonly reason: string;
  /** What the first line must say. */
  readonly says: RegExp;
  /** Its deletion is requested when all is there. */
  readonly isDeleted?: boolean;
}

export const SHOP = 'shop';
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const STATEFUL_SETS = { group: 'apps', version: 'v1', resource: 'statefulsets' };
const DAEMON_SETS = { group: 'apps', version: 'v1', resource: 'daemonsets' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
const JOBS = { group: 'batch', version: 'v1', resource: 'jobs' };
const CRON_JOBS = { group: 'batch', version: 'v1', resource: 'cronjobs' };
const CLAIMS = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

type Json = Record<string, unknown>;

/** Makes the objects of a cluster, in the shape in which its parts write them. */
export class Cluster {
  readonly objects: object[] = [];
  readonly now: number;
  readonly #random: () => number;
  #uids = 0;
  readonly #seed: number;

  constructor(seed: number, now: number) {
    this.#seed = seed;
    this.now = now;
    this.#random = seededRandom(seed);
  }

  /** A whole number from 1 to `most`. */
  any(most: number): number {
    return 1 + Math.floor(this.#random() * most);
  }

  ago(seconds: number): string {
    return wireTime(this.now - seconds * 1000);
  }

  uid(): string {
    const tail = (this.#seed * 100_000 + ++this.#uids).toString(16).padStart(12, '0');
    return `0a1b2c3d-4e5f-4a6b-8c7d-${tail}`;
  }

  meta(name: string, more: Json = {}): Json & { uid: string; name: string } {
    return { name, namespace: SHOP, uid: this.uid(), creationTimestamp: this.ago(7200), ...more };
  }

  owner(kind: string, { uid, name }: { uid: string; name: string }, apiVersion = 'apps/v1'): Json {
    return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }] };
  }

  add<T extends object>(object: T): T {
    this.objects.push(object);
    return object;
  }

  /** A Deployment with a ReplicaSet for each of its revisions; returns the newest one. */
  deployment(name: string, { replicas = 2, ready = 0, revisions = 1, conditions = [] as Json[], failure = '' } = {}) {
    const template = (image: string) => ({
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'app', image }] },
    });
    const own = this.meta(name, { generation: 1 });
    const available = ready >= replicas ? 'True' : 'False';
    this.add({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: own,
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: template(`registry.example/${name}:1.${revisions}`),
      },
      status: {
        observedGeneration: 1,
        replicas: replicas,
        updatedReplicas: replicas,
        readyReplicas: ready,
        availableReplicas: ready,
        unavailableReplicas: replicas - ready,
        conditions: [
          {
            type: 'Available',
            status: available,
            reason: ready >= replicas ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
          ...(conditions.length > 0
            ? conditions
            : [
                {
                  type: 'Progressing',
                  status: 'True',
                  reason: ready >= replicas ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
                  message: `ReplicaSet "${name}" is progressing.`,
                },
              ]),
        ],
      },
    });
    const sets = Array.from({ length: revisions }, (_, i) => {
      const isLast = i === revisions - 1;
      const set = this.meta(`${name}-6d4f5b7c9${i}`, {
        annotations: { 'deployment.kubernetes.io/revision': String(i + 1) },
        ...this.owner('Deployment', own),
      });
      this.add({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: set,
        spec: {
          replicas: isLast ? replicas : 0,
          selector: { matchLabels: { app: name } },
          template: template(`registry.example/${name}:1.${i + 1}`),
        },
        status: {
          replicas: isLast && failure === '' ? replicas : 0,
          ...(isLast && failure !== ''
            ? {
                conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure }],
              }
            : {}),
        },
      });
      return set;
    });
    return { own, set: sets.at(-1) as (typeof sets)[number], sets };
  }

  statefulSet(name: string, { replicas = 2, current = 0 } = {}) {
    const own = this.meta(name, { generation: 1 });
    this.add({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: own,
      spec: {
        replicas,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'db:17' }] } },
      },
      status: { observedGeneration: 1, replicas: current, currentReplicas: current, readyReplicas: 0 },
    });
    return own;
  }

  pod(
    name: string,
    {
      owner = {} as Json,
      node = 'worker-1',
      status = {} as Json,
      containers = [] as Json[],
      init = [] as Json[],
      ready = false,
      phase = 'Running',
      spec = {} as Json,
      more = {} as Json,
      conditions = [] as Json[],
    },
  ) {
    const own = this.meta(name, { labels: { app: name.split('-')[0] }, ...owner, ...more });
    const state = ready ? 'True' : 'False';
    const own_conditions = [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: state, ...(ready ? {} : { reason: 'ContainersNotReady' }) },
      { type: 'ContainersReady', status: state },
      { type: 'PodScheduled', status: 'True' },
    ].filter(({ type }) => !conditions.some((each) => each.type === type));
    this.add({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: own,
      spec: {
        ...(node === '' ? {} : { nodeName: node }),
        containers: [{ name: 'app', image: 'registry.example/app:1' }],
        ...spec,
      },
      status: {
        phase,
        conditions: [...own_conditions, ...conditions],
        containerStatuses: containers,
        ...(init.length > 0 ? { initContainerStatuses: init } : {}),
        ...status,
      },
    });
    return own;
  }

  container(state: Json, { name = 'app', last = {} as Json, restarts = 0, ready = false } = {}): Json {
    return {
      name,
      image: 'registry.example/app:1',
      imageID: '',
      ready,
      started: ready,
      restartCount: restarts,
      state,
      lastState: last,
    };
  }

  waiting(reason: string, message?: string): Json {
    return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
  }

  running(seconds: number): Json {
    return { running: { startedAt: this.ago(seconds) } };
  }

  ended(
    exitCode: number,
    seconds: number,
    { reason = exitCode === 0 ? 'Completed' : 'Error', message = '' } = {},
  ): Json {
    const containerID = `containerd://${String(this.any(1e9)).padStart(64, 'a')}`;
    const times = { startedAt: this.ago(seconds + 9), finishedAt: this.ago(seconds), containerID };
    return { terminated: { exitCode, reason, ...times, ...(message === '' ? {} : { message }) } };
  }

  /** An Event as client-go's recorder writes it. */
  event(
    about: { kind: string; name: string; uid: string; fieldPath?: string },
    reason: string,
    message: string,
    { seconds = 20, count = 3, type = 'Warning', from = 'kubelet', namespace = SHOP } = {},
  ): void {
    this.add({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${about.name}.${(++this.#uids).toString(16).padStart(16, '0')}`, namespace, uid: this.uid() },
      involvedObject: { apiVersion: 'v1', namespace: about.kind === 'Node' ? undefined : SHOP, ...about },
      reason,
      message,
      type,
      count,
      firstTimestamp: this.ago(seconds + 60),
      lastTimestamp: this.ago(seconds),
      source: { component: from },
      reportingComponent: from,
      reportingInstance: '',
    });
  }

  podEvent(pod: { name: string; uid: string }, reason: string, message: string, options = {}): void {
    this.event({ kind: 'Pod', ...pod, fieldPath: 'spec.containers{app}' }, reason, message, options);
  }

  node(name: string, isReady = true, more: Json = {}): void {
    const condition = isReady
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : {
          type: 'Ready',
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
        };
    this.add({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid: this.uid() },
      status: { conditions: [condition], ...more },
    });
  }

  claim(name: string, phase: string): { name: string; uid: string } {
    const own = this.meta(name);
    this.add({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: own,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
      status: { phase },
    });
    return own;
  }

  /** What goes on beside it: healthy neighbours, others with troubles of their own, and what is long over. */
  noise(own: { name: string; uid: string }, kind: string): void {
    this.node('worker-1');
    this.node('worker-2', this.any(2) === 1);
    const { set } = this.deployment('web', { replicas: 2, ready: 2, revisions: this.any(3) });
    for (let i = 0; i < 2; i++)
      this.pod(`web-${i}`, {
        owner: this.owner('ReplicaSet', set),
        ready: true,
        containers: [this.container(this.running(5000), { ready: true })],
      });
    const { set: cart } = this.deployment('cart', { replicas: 1 });
    const failing = this.pod('cart-x', {
      owner: this.owner('ReplicaSet', cart),
      containers: [
        this.container(this.waiting('CrashLoopBackOff', 'back-off 5m0s restarting failed container=app pod=cart-x'), {
          last: this.ended(this.any(100), 40),
          restarts: this.any(40),
        }),
      ],
    });
    this.podEvent(failing, 'BackOff', 'Back-off restarting failed container app in pod cart-x');
    this.event({ kind: 'ReplicaSet', ...cart }, 'FailedCreate', 'Error creating: pods "cart-" is forbidden: exceeded quota: other, requested: pods=1, used: pods=9, limited: pods=9'); // biome-ignore format: one line
    // of an object with the same name that was there before
    this.event({ kind, name: own.name, uid: this.uid() }, 'FailedCreate', 'Error creating: admission webhook "old.example" denied the request: no', { seconds: 3000 }); // biome-ignore format: one line
    if (this.any(2) === 1)
      this.event({ kind: 'Node', name: 'worker-9', uid: 'worker-9' }, 'NodeNotReady', 'Node worker-9 status is now: NodeNotReady', { namespace: 'default' }); // biome-ignore format: one line
  }

  /** A pod of the same owner that is well now, after troubles that are over. */
  recovered(owner: Json, name: string): void {
    const pod = this.pod(name, {
      owner,
      ready: true,
      containers: [
        this.container(this.running(4000), {
          ready: true,
          restarts: 2,
          last: this.ended(137, 4010, { reason: 'OOMKilled' }),
        }),
      ],
    });
    this.podEvent(pod, 'Unhealthy', 'Readiness probe failed: connection refused', { seconds: 3990 });
    this.event({ kind: 'Pod', ...pod }, 'FailedScheduling', '0/2 nodes are available: 2 Insufficient memory.', {
      seconds: 4200,
      from: 'default-scheduler',
    });
  }
}

type Made = Omit<Incident, 'title' | 'objects'>;
type Make = (cluster: Cluster) => Made;

/** A Deployment "checkout" with one pod in this state, in its newest revision. */
const ofDeployment = (
  reason: string,
  says: RegExp,
  pod: (cluster: Cluster) => Parameters<Cluster['pod']>[1],
  after?: (cluster: Cluster, pod: { name: string; uid: string }) => void,
): Make =>
  // biome-ignore format: one line
  (cluster) => {
    const ready = cluster.any(2) - 1;
    const { own, set } = cluster.deployment('checkout', { replicas: 2 + ready, ready, revisions: cluster.any(4) });
    const owner = cluster.owner('ReplicaSet', set);
    for (let i = 0; i < ready; i++) cluster.recovered(owner, `checkout-old${i}`);
    const count = cluster.any(2);
    for (let i = 0; i < count; i++) {
      const made = cluster.pod(`checkout-${i}abcd`, { owner, ...pod(cluster) });
      after?.(cluster, made);
    }
    cluster.noise(own, 'Deployment');
    return { resource: DEPLOYMENTS, name: 'checkout', reason, says };
  };

const pending = (container: Json): Parameters<Cluster['pod']>[1] => ({ phase: 'Pending', containers: [container] });
const BACK_OFF = 'back-off 40s restarting failed container=app pod=checkout-0abcd_shop(0a1b)';

const unscheduled = (message: string, spec: Json = {}): Parameters<Cluster['pod']>[1] => ({
  phase: 'Pending',
  node: '',
  spec,
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
    { type: 'Ready', status: 'False' },
  ],
});

const withClaim = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
const UNBOUND =
  '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

const refused =
  (reason: string, says: RegExp, message: string): Make =>
  (cluster) => {
    const { own, set } = cluster.deployment('checkout', { replicas: 2, failure: message, revisions: cluster.any(3) });
    cluster.event({ kind: 'ReplicaSet', ...set }, 'FailedCreate', `Error creating: ${message}`, {
      from: 'replicaset-controller',
    });
    cluster.noise(own, 'Deployment');
    return { resource: DEPLOYMENTS, name: 'checkout', reason, says };
  };

const job = (cluster: Cluster, name: string, status: Json, owner: Json = {}, age = 900) => {
  const own = cluster.meta(name, { ...owner, creationTimestamp: cluster.ago(age) });
  cluster.add({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: own,
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'registry.example/job:1' }] },
      },
    },
    status: { startTime: cluster.ago(age), ...status },
  });
  return own;
};

const MADE: Readonly<Record<string, Make>> = {
  'an image that does not exist': ofDeployment(
    'ImagePullBackOff',
    /cannot pull image registry\.example\/app:1: .*not found/,
    (of) => pending(of.container(of.waiting('ImagePullBackOff', 'Back-off pulling image "registry.example/app:1"'))),
    (of, pod) => {
      of.podEvent(pod, 'Failed', 'Failed to pull image "registry.example/app:1": rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/app:1": not found'); // biome-ignore format: one line
      of.podEvent(pod, 'Failed', 'Error: ImagePullBackOff', { seconds: 5 });
    },
  ),
  'an image for which there is no login': ofDeployment('ErrImagePull', /cannot pull image .*401 Unauthorized/, (of) =>
    pending(
      of.container(
        of.waiting(
          'ErrImagePull',
          'failed to pull and unpack image "registry.example/app:1": failed to authorize: unexpected status: 401 Unauthorized',
        ),
      ),
    ),
  ),
  'a name that is none of an image': ofDeployment('InvalidImageName', /couldn't parse image name/, (of) =>
    pending(
      of.container(
        of.waiting('InvalidImageName', `Failed to apply default image tag "App:1": couldn't parse image name "App:1"`),
      ),
    ),
  ),
  'an image for another platform': ofDeployment('ErrImagePull', /not built for its platform: .*no match for platform/, (of) =>
    pending(
      of.container(
        of.waiting('ErrImagePull', 'failed to pull and unpack image "registry.example/app:1": no match for platform in manifest: not found'), // biome-ignore format: one line
      ),
    ),
  ), // biome-ignore format: short
  'a program that ends with an error': ofDeployment(
    'CrashLoopBackOff',
    /container app ended with exit code 3; \d+ restarts/,
    (of) => ({
      containers: [of.container(of.waiting('CrashLoopBackOff', BACK_OFF), { last: of.ended(3, 25), restarts: 5 })],
    }),
    (of, pod) => of.podEvent(pod, 'BackOff', 'Back-off restarting failed container app in pod checkout'),
  ),
  'a program that says why it ends': ofDeployment(
    'CrashLoopBackOff',
    /exit code 1; \d+ restarts: DB_URL is not set/,
    (of) => ({
      containers: [
        of.container(of.waiting('CrashLoopBackOff', BACK_OFF), {
          last: of.ended(1, 25, { message: 'DB_URL is not set\n' }),
          restarts: 4,
        }),
      ],
    }),
  ),
  'a container over its memory limit, in back-off': ofDeployment(
    'OOMKilled',
    /used more memory than its limit of 128Mi; 6 restarts/,
    (of) => ({
      spec: {
        containers: [{ name: 'app', image: 'registry.example/app:1', resources: { limits: { memory: '128Mi' } } }],
      },
      containers: [
        of.container(of.waiting('CrashLoopBackOff', BACK_OFF), {
          last: of.ended(137, 25, { reason: 'OOMKilled' }),
          restarts: 6,
        }),
      ],
    }),
  ),
  'a container over its memory limit, just started again': ofDeployment('OOMKilled', /used more memory/, (of) => ({
    containers: [of.container(of.running(3), { last: of.ended(137, 4, { reason: 'OOMKilled' }), restarts: 1 })],
  })),
  'an init container that fails': ofDeployment(
    'CrashLoopBackOff',
    /container migrate ended with exit code 2/,
    (of) => ({
      phase: 'Pending',
      init: [
        of.container(of.waiting('CrashLoopBackOff', BACK_OFF), { name: 'migrate', last: of.ended(2, 9), restarts: 3 }),
      ],
      containers: [of.container(of.waiting('PodInitializing'))],
    }),
  ),
  'a quota, in the status of the ReplicaSet': refused(
    'QuotaExceeded',
    /refused by a quota: exceeded quota: compute, requested: cpu=1, used: cpu=4, limited: cpu=4/,
    'pods "checkout-6d4f5b7c90-x2x4z" is forbidden: exceeded quota: compute, requested: cpu=1, used: cpu=4, limited: cpu=4',
  ),
  'a quota, in an Event of a StatefulSet': (of) => {
    const own = of.statefulSet('db', { replicas: 3, current: 1 });
    of.event({ kind: 'StatefulSet', ...own }, 'SuccessfulCreate', 'create Pod db-0 in StatefulSet db successful', { seconds: 300, type: 'Normal' }); // biome-ignore format: one line
    of.event({ kind: 'StatefulSet', ...own }, 'FailedCreate', 'create Pod db-1 in StatefulSet db failed error: pods "db-1" is forbidden: exceeded quota: mem, requested: memory=2Gi, used: memory=7Gi, limited: memory=8Gi'); // biome-ignore format: one line
    of.recovered(of.owner('StatefulSet', own), 'db-0');
    of.noise(own, 'StatefulSet');
    return { resource: STATEFUL_SETS, name: 'db', reason: 'QuotaExceeded', says: /exceeded quota: mem/ };
  },
  'a webhook that refuses': refused(
    'WebhookDenied',
    /refused by a webhook: admission webhook "images\.example\.com" denied the request: only images of registry\.example/,
    'admission webhook "images.example.com" denied the request: only images of registry.example',
  ),
  'a webhook that does not answer': refused(
    'WebhookFailed',
    /a webhook cannot be asked: failed calling webhook "mesh\.example\.com": failed to call webhook: Post .*connection refused/,
    'Internal error occurred: failed calling webhook "mesh.example.com": failed to call webhook: Post "https://mesh.mesh.svc:443/inject?timeout=10s": dial tcp 10.0.0.7:443: connect: connection refused',
  ),
  'the pod security of the namespace': refused(
    'PodSecurity',
    /violates PodSecurity "restricted:latest"/,
    'pods "checkout-6d4f5b7c90-x2x4z" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
  ),
  'a readiness probe': ofDeployment(
    'Unhealthy',
    /container app runs, but its readiness probe failed: HTTP probe failed with statuscode: 503/,
    (of) => ({ containers: [of.container(of.running(600))] }),
    (of, pod) => of.podEvent(pod, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
  ),
  'a startup probe': ofDeployment(
    'Unhealthy',
    /its startup probe failed: dial tcp/,
    (of) => ({ containers: [of.container(of.running(50))] }),
    (of, pod) =>
      of.podEvent(pod, 'Unhealthy', 'Startup probe failed: dial tcp 10.1.2.3:8080: connect: connection refused'),
  ),
  'a liveness probe that kills': ofDeployment(
    'Unhealthy',
    /was killed because its liveness probe failed: HTTP probe failed with statuscode: 500; 7 restarts/,
    (of) => ({
      containers: [of.container(of.waiting('CrashLoopBackOff', BACK_OFF), { last: of.ended(137, 25), restarts: 7 })],
    }),
    (of, pod) => {
      of.podEvent(pod, 'Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500', { seconds: 56 });
      of.podEvent(pod, 'Killing', 'Container app failed liveness probe, will be restarted', {
        seconds: 56,
        type: 'Normal',
      });
    },
  ),
  'too little room': ofDeployment(
    'Unschedulable',
    /cannot be scheduled: 0\/2 nodes are available: 2 Insufficient cpu\./,
    () => unscheduled('0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.'), // biome-ignore format: one line
    (of, pod) =>
      of.event({ kind: 'Pod', ...pod }, 'FailedScheduling', '0/2 nodes are available: 2 Insufficient cpu.', {
        from: 'default-scheduler',
      }),
  ),
  'a taint that nothing tolerates': (of) => {
    const own = of.meta('agent', { generation: 1 });
    of.add({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: own,
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'app', image: 'agent:1' }] } },
      },
      status: { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1, numberReady: 1, numberMisscheduled: 0 }, // biome-ignore format: one line
    });
    of.recovered(of.owner('DaemonSet', own), 'agent-a');
    of.pod('agent-b', { owner: of.owner('DaemonSet', own), ...unscheduled("0/2 nodes are available: 1 node(s) had untolerated taint {gpu: only}, 1 node(s) didn't match Pod's node affinity/selector.") }); // biome-ignore format: one line
    of.noise(own, 'DaemonSet');
    return { resource: DAEMON_SETS, name: 'agent', reason: 'Unschedulable', says: /untolerated taint \{gpu: only\}/ };
  },
  'a claim that cannot be provisioned': (of) => {
    const claim = of.claim('data', 'Pending');
    of.event({ kind: 'PersistentVolumeClaim', ...claim }, 'ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found', { from: 'persistentvolume-controller' }); // biome-ignore format: one line
    return ofDeployment('ProvisioningFailed', /the claim data is not bound: storageclass\.storage\.k8s\.io "fast" not found/, () =>
      unscheduled(UNBOUND, withClaim),
    )(of); // biome-ignore format: short
  },
  'a claim without a volume': (of) => {
    const own = of.statefulSet('db', { replicas: 1, current: 1 });
    const claim = of.claim('data', 'Pending');
    of.claim('other', 'Pending');
    of.event({ kind: 'PersistentVolumeClaim', ...claim }, 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set', { type: 'Normal' }); // biome-ignore format: one line
    of.pod('db-0', { owner: of.owner('StatefulSet', own), ...unscheduled(UNBOUND, withClaim) });
    of.noise(own, 'StatefulSet');
    return {
      resource: STATEFUL_SETS,
      name: 'db',
      reason: 'FailedBinding',
      says: /claim data is not bound: no persistent volumes available/,
    };
  },
  'a claim that does not exist': ofDeployment(
    'Unschedulable',
    /persistentvolumeclaim "data" not found/,
    () =>
    unscheduled('0/2 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.', withClaim), // biome-ignore format: one line
  ),
  'a claim of its own': (of) => {
    const claim = of.claim('data', 'Pending');
    of.event(
      { kind: 'PersistentVolumeClaim', ...claim },
      'ProvisioningFailed',
      'failed to provision volume: quota of the disk service',
    );
    of.noise(claim, 'PersistentVolumeClaim');
    return {
      resource: CLAIMS,
      name: 'data',
      reason: 'ProvisioningFailed',
      says: /is not bound: failed to provision volume/,
    };
  },
  'a node that does not answer': (of) => {
    of.node('worker-7', false);
    return ofDeployment(
      'NodeNotReady',
      /its node worker-7 is not ready \(NodeStatusUnknown\): Kubelet stopped posting node status/,
      () => ({ node: 'worker-7', containers: [of.container(of.running(6000), { ready: true })] }),
      (_, pod) => of.event({ kind: 'Pod', ...pod }, 'NodeNotReady', 'Node is not ready', { from: 'node-controller' }),
    )(of);
  },
  'a node that was deleted': ofDeployment('NodeGone', /its node worker-8 does not exist/, (of) => ({
    node: 'worker-8',
    containers: [of.container(of.running(6000), { ready: true })],
  })),
  'a finalizer': (of) => {
    const own = of.meta('settings', { finalizers: ['backup.example.com/keep'] });
    of.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: own, data: {} });
    of.noise(own, 'ConfigMap');
    return {
      resource: CONFIG_MAPS,
      name: 'settings',
      isDeleted: true,
      reason: 'Finalizers',
      says: /waits for the finalizer backup\.example\.com\/keep/,
    };
  },
  'a missing ConfigMap': ofDeployment('CreateContainerConfigError', /container app cannot be created: configmap "settings" not found/, (of) =>
    pending(of.container(of.waiting('CreateContainerConfigError', 'configmap "settings" not found'))),
  ), // biome-ignore format: short
  'a missing key of a Secret': ofDeployment('CreateContainerConfigError', /couldn't find key token in Secret shop\/login/, (of) =>
    pending(of.container(of.waiting('CreateContainerConfigError', "couldn't find key token in Secret shop/login"))),
  ), // biome-ignore format: short
  'an eviction': (of) => {
    const pod = of.pod('batch-1', {
      phase: 'Failed',
      status: {
        reason: 'Evicted',
        message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. ',
      },
    });
    of.event({ kind: 'Pod', ...pod }, 'Evicted', 'The node was low on resource: memory. ');
    of.noise(pod, 'Pod');
    return {
      resource: PODS,
      name: 'batch-1',
      reason: 'Evicted',
      says: /was evicted from its node: The node was low on resource: memory/,
    };
  },
  'a deadline of a Job': (of) => {
    const own = job(of, 'report', { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }] }); // biome-ignore format: one line
    of.noise(own, 'Job');
    return { resource: JOBS, name: 'report', reason: 'DeadlineExceeded', says: /longer than specified deadline/ };
  },
  'a Job whose pods fail': (of) => {
    const own = job(of, 'report', { failed: 2, conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }] }); // biome-ignore format: one line
    for (const name of ['report-a', 'report-b'])
      of.pod(name, {
        owner: of.owner('Job', own, 'batch/v1'),
        phase: 'Failed',
        containers: [of.container(of.ended(7, 60))],
      });
    of.noise(own, 'Job');
    return {
      resource: JOBS,
      name: 'report',
      reason: 'Error',
      says: /container app ended with exit code 7 \(and 1 more\)/,
    };
  },
  'the newest run of a CronJob': (of) => {
    const own = of.meta('nightly');
    of.add({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: own,
      spec: {
        schedule: '0 2 * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'registry.example/job:1' }] } } } }, // biome-ignore format: one line
      },
      status: {},
    });
    const owner = of.owner('CronJob', own, 'batch/v1');
    const old = job(of, 'nightly-1', { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }] }, owner, 90_000); // biome-ignore format: one line
    of.pod('nightly-1-a', {
      owner: of.owner('Job', old, 'batch/v1'),
      phase: 'Failed',
      containers: [of.container(of.ended(1, 89_000))],
    });
    const last = job(of, 'nightly-2', { active: 1 }, owner, 300);
    of.pod('nightly-2-a', { owner: of.owner('Job', last, 'batch/v1'), ...pending(of.container(of.waiting('ErrImagePull', 'registry.example: no such host'))) }); // biome-ignore format: one line
    of.noise(own, 'CronJob');
    return { resource: CRON_JOBS, name: 'nightly', reason: 'ErrImagePull', says: /no such host/ };
  },
  'a volume that cannot be mounted': ofDeployment(
    'FailedMount',
    /its containers cannot be created: MountVolume\.SetUp failed for volume "tls" : secret "checkout-tls" not found/,
    (of) => pending(of.container(of.waiting('ContainerCreating'))),
    (of, pod) => of.event({ kind: 'Pod', ...pod }, 'FailedMount', 'MountVolume.SetUp failed for volume "tls" : secret "checkout-tls" not found'), // biome-ignore format: one line
  ),
  'a program of another platform': ofDeployment('RunContainerError', /cannot be started: .*exec format error \(its program is not built/, (of) =>
    pending(of.container(of.waiting('RunContainerError', 'failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "/app": exec format error'))), // biome-ignore format: one line
  ), // biome-ignore format: short
  'a deadline of a pod': (of) => {
    const pod = of.pod('batch-1', { phase: 'Failed', status: { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' } }); // biome-ignore format: one line
    of.noise(pod, 'Pod');
    return { resource: PODS, name: 'batch-1', reason: 'DeadlineExceeded', says: /longer than its deadline/ };
  },
  'a progress deadline, and nothing that says more': (of) => {
    const { own, set } = of.deployment('checkout', {
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'ReplicaSet "checkout-6d4f5b7c90" has timed out progressing.' }], // biome-ignore format: one line
    });
    of.pod('checkout-a', { owner: of.owner('ReplicaSet', set), containers: [of.container(of.running(900))] });
    of.noise(own, 'Deployment');
    return { resource: DEPLOYMENTS, name: 'checkout', reason: 'ProgressDeadlineExceeded', says: /ReplicaSet "checkout-6d4f5b7c90" has timed out/ }; // biome-ignore format: one line
  },
  'a namespace that does not go': (of) => {
    const own = of.meta('old');
    of.add({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'old', uid: own.uid, deletionTimestamp: of.ago(900) },
      spec: { finalizers: ['kubernetes'] },
      status: {
        phase: 'Terminating',
        conditions: [
          { type: 'NamespaceContentRemaining', status: 'True', reason: 'SomeResourcesRemain', message: 'Some resources are remaining: apples.example.com has 1 resource instances' }, // biome-ignore format: one line
          { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' }, // biome-ignore format: one line
        ],
      },
    });
    of.noise(own, 'Namespace');
    return {
      resource: NAMESPACES,
      name: 'old',
      reason: 'NamespaceTerminating',
      says: /apples\.example\.com has 1 resource instances/,
    };
  },
};

/** The titles of all incidents. */
export const INCIDENTS: readonly string[] = Object.keys(MADE);

/** One of the incidents, with what is around it from a seed. */
export function incident(title: string, seed: number, now: number): Incident {
  const cluster = new Cluster(seed, now);
  const made = (MADE[title] as Make)(cluster);
  return { title, ...made, objects: cluster.objects };
}
