import type { ObjectMeta } from '../../../model/object.ts';

/** The parts of the workload types that the controllers use. Everything else stays unchanged. */
export interface Pod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  metadata: ObjectMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface PodSpec {
  nodeName?: string;
  containers: Container[];
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image: string;
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  podIP?: string;
  [field: string]: unknown;
}

export interface PodCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  image: string;
  state: ContainerState;
  lastState: ContainerState;
  [field: string]: unknown;
}

export interface ContainerState {
  running?: { startedAt: string };
  waiting?: { reason: string; message?: string };
  terminated?: { exitCode: number; reason: string; startedAt: string; finishedAt: string; containerID?: string };
}

export interface PodTemplate {
  metadata: ObjectMeta;
  spec: PodSpec;
}

export interface ReplicaSet {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ReplicaSet';
  metadata: ObjectMeta;
  spec: { replicas: number; selector: { matchLabels: Record<string, string> }; template: PodTemplate };
  status: { replicas: number; readyReplicas?: number; availableReplicas?: number; [field: string]: unknown };
}

export interface Deployment {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  metadata: ObjectMeta;
  spec: {
    replicas: number;
    paused?: boolean;
    revisionHistoryLimit?: number;
    selector: { matchLabels: Record<string, string> };
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } };
    template: PodTemplate;
  };
  status: { conditions?: PodCondition[]; [field: string]: unknown };
}

export interface NodeView {
  readonly apiVersion: 'v1';
  readonly kind: 'Node';
  metadata: ObjectMeta;
  spec: { unschedulable?: boolean; taints?: Taint[]; [field: string]: unknown };
  status: { conditions?: PodCondition[]; [field: string]: unknown };
}

export interface Taint {
  key: string;
  effect: string;
  timeAdded?: string;
}

export interface Views {
  Node: NodeView;
  Pod: Pod;
  ReplicaSet: ReplicaSet;
  Deployment: Deployment;
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
}

/** Whether a pod counts for its replica set. */
export function isActive({ metadata, status }: Pod): boolean {
  return !metadata.deletionTimestamp && status.phase !== 'Succeeded' && status.phase !== 'Failed';
}

/** The uid of the controlling owner of an object. */
export function controllerUid({ ownerReferences }: ObjectMeta): string | undefined {
  return ownerReferences?.find((o) => o.controller)?.uid;
}
