import { rmSync } from 'node:fs';
import { type TableColumn, withCells } from '../src/model/cells.ts';
import { keyOf } from '../src/model/key.ts';
import type { UnknownObject } from '../src/model/object.ts';
import type { ResourceType } from '../src/model/resource-type.ts';
import { type NewRevision, RecordingWriter } from '../src/record/recording-writer.ts';
import { SourceRecorder } from '../src/record/source-recorder.ts';
import { Redactor } from '../src/stream/redact.ts';
import { COLUMNS, ObjectTexts } from './generator.ts';
import { mixed } from './marks.ts';
import type { Fields } from './pods.ts';

const TYPE = {
  gvr: { group: '', version: 'v1', resource: 'pods' },
  kind: 'Pod',
  namespaced: true,
} as unknown as ResourceType;

export interface Churn {
  /** The revisions of the recording. */
  readonly revisions: number;
  /** The pods that are there at a time. */
  readonly pods: number;
  /** Changes in a second. */
  readonly perSecond: number;
}

/** Where the clock of the recording begins. */
const BEGAN = Date.parse('2026-11-28T00:00:00Z');
/** Revisions of one transaction. */
const TOGETHER = 1_000;
const texts = new ObjectTexts().as('object');

/** What becomes of a pod: the manager of the step, and what it changes. It begins Pending and ends deleted. */
const STEPS: readonly (readonly [manager: string, change: (pod: Fields, at: string) => void])[] = [
  ['kube-scheduler', ({ status }, at) => setCondition(status as Fields, 'PodScheduled', 'True', at)],
  ['kubelet', ({ status }, at) => setContainers(status as Fields, { waiting: { reason: 'ContainerCreating' } }, at)],
  ['kubelet', ({ status }, at) => Object.assign(status as Fields, setContainers(status as Fields, { running: { startedAt: at } }, at), { phase: 'Running' })], // biome-ignore format: one line
  ['kubelet', ({ status }, at) => setCondition(status as Fields, 'Ready', 'True', at)],
  ['kubectl', ({ metadata }, at) => void Object.assign(metadata as Fields, { deletionTimestamp: at })],
  ['kubelet', ({ status }, at) => setContainers(status as Fields, { terminated: { exitCode: 0, reason: 'Completed', finishedAt: at } }, at)], // biome-ignore format: one line
];
const CELLS = ['Pending', 'ContainerCreating', 'Running', 'Running', 'Terminating', 'Completed'];

/**
 * Records pods that begin, run and end, one change after the other in no order: a pod has eight revisions. Returns the
 * name of a pod in the middle of the recording, which is `namespace/name`.
 */
export function recordChurn(file: string, { revisions, pods, perSecond }: Churn): string {
  for (const tail of ['', '-wal', '-shm', '-lock']) rmSync(file + tail, { force: true });
  let written = 0;
  const now = () => BEGAN + (written * 1_000) / perSecond;
  const writer = RecordingWriter.open(file, { clock: { now, monotonic: now }, command: 'bench' });
  const pending: NewRevision[] = [];
  const take = (revision: NewRevision) => void pending.push(revision);
  const scope = { type: TYPE, namespace: '', selection: '' };
  const source = new SourceRecorder({ writer, redactor: new Redactor(), scope, take });
  const live = Array.from({ length: pods }, (_, i) => ({ step: 0, object: newPod(i, now()) }));
  const see = (
    object: UnknownObject,
    before: UnknownObject | undefined,
    cause: 'initial' | 'watch',
    isGone = false,
  ) => {
    source.see({ key: keyOf(object), object, before, isGone, cause });
    written++;
    if (written % TOGETHER === 0) write();
  };
  const write = () => {
    const { stretches, gaps } = source.account();
    writer.write(pending.splice(0), stretches, gaps);
    source.written();
  };
  for (const { object } of live) see(object, undefined, 'initial');
  source.listed('initial', '1', pods);
  let made = pods;
  let middle = '';
  for (let turn = 0; written < revisions; turn++) {
    const place = mixed(turn) % pods;
    const pod = live[place] as (typeof live)[number];
    const before = pod.object;
    const step = STEPS[pod.step];
    if (step) {
      pod.object = changed(before, step, { step: pod.step, version: 1_000_000 + written, at: now() });
      pod.step++;
      see(pod.object, before, 'watch');
      if (middle === '' && written > revisions / 2 && pod.step === STEPS.length) middle = keyOf(before);
      continue;
    }
    see(before, before, 'watch', true);
    live[place] = { step: 0, object: newPod(made++, now()) };
    see((live[place] as (typeof live)[number]).object, undefined, 'watch');
  }
  write();
  writer.close('ended');
  return middle;
}

const timeText = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function newPod(number: number, ms: number): UnknownObject {
  const pod = JSON.parse(texts.text(number)) as UnknownObject & { status: Fields; metadata: Fields };
  const at = timeText(ms);
  pod.metadata.creationTimestamp = at;
  pod.status = { phase: 'Pending', qosClass: 'Burstable' };
  (pod.metadata.managedFields as Fields[]).splice(1);
  return withRow({ apiVersion: 'v1', kind: 'Pod', ...pod }, 'Pending');
}

function changed(
  before: UnknownObject,
  [manager, change]: (typeof STEPS)[number],
  { step, version, at }: { step: number; version: number; at: number },
): UnknownObject {
  const own = before as UnknownObject & { metadata: Fields; status: Fields };
  const pod = { ...own, metadata: { ...own.metadata }, status: { ...own.status } };
  const time = timeText(at);
  change(pod as unknown as Fields, time);
  pod.metadata.resourceVersion = String(version);
  const entries = (pod.metadata.managedFields as Fields[]).filter((each) => each.manager !== manager);
  const fields = Object.fromEntries(Object.keys(pod.status).map((name) => [`f:${name}`, {}]));
  entries.push({ manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: { 'f:status': fields }, subresource: 'status' }); // biome-ignore format: one line
  pod.metadata.managedFields = entries;
  return withRow(pod, CELLS[step] ?? '');
}

function withRow(pod: UnknownObject, status: string): UnknownObject {
  const spec = pod.spec as Fields;
  const cells = [
    pod.metadata.name,
    '1/1',
    status,
    '0',
    '1m',
    '10.1.2.3',
    spec.nodeName ?? '<none>',
    '<none>',
    '<none>',
  ];
  return withCells(pod, { columns: COLUMNS.pods as readonly TableColumn[], cells });
}

function setCondition(status: Fields, type: string, value: string, at: string): void {
  const others = ((status.conditions as Fields[] | undefined) ?? []).filter((each) => each.type !== type);
  status.conditions = [...others, { type, status: value, lastProbeTime: null, lastTransitionTime: at }];
}

function setContainers(status: Fields, state: Fields, at: string): Fields {
  status.containerStatuses = [{ name: 'main', ready: 'running' in state, restartCount: 0, image: 'registry.example.com/app:1', state }]; // biome-ignore format: one line
  status.startTime ??= at;
  return status;
}
