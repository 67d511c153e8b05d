import { humanDuration } from '../../kit/duration.ts';
import { selectorText } from '../types/scale.ts';
import { ageOf, type FieldMap, fieldsAt, listAt, nameOf, numberAt, since, textAt } from './field-access.ts';

type Cells = (object: FieldMap, now: number) => unknown[];

const replicasOf = (object: FieldMap) => numberAt(fieldsAt(object, 'spec'), 'replicas');
const statusOf = (object: FieldMap) => fieldsAt(object, 'status');

/** Cells of the workload types. Source: kubernetes/pkg/printers/internalversion. */
export const WORKLOAD_CELLS: Readonly<Record<string, Cells>> = {
  'deployments.apps': (deployment, now) => {
    const status = statusOf(deployment);
    return [
      nameOf(deployment),
      `${numberAt(status, 'readyReplicas')}/${replicasOf(deployment)}`,
      numberAt(status, 'updatedReplicas'),
      numberAt(status, 'availableReplicas'),
      ageOf(deployment, now),
      ...containersOf(templateOf(deployment)),
      selectorOf(deployment),
    ];
  },
  'replicasets.apps': (set, now) => {
    const status = statusOf(set);
    const [current, ready] = [numberAt(status, 'replicas'), numberAt(status, 'readyReplicas')];
    return [
      nameOf(set),
      replicasOf(set),
      current,
      ready,
      ageOf(set, now),
      ...containersOf(templateOf(set)),
      selectorOf(set),
    ];
  },
  'scales.autoscaling': (scale, now) => [
    nameOf(scale),
    replicasOf(scale),
    numberAt(statusOf(scale), 'replicas'),
    ageOf(scale, now),
  ],
  'statefulsets.apps': (set, now) => [
    nameOf(set),
    `${numberAt(statusOf(set), 'readyReplicas')}/${replicasOf(set)}`,
    ageOf(set, now),
    ...containersOf(templateOf(set)),
  ],
  'daemonsets.apps': (set, now) => {
    const status = statusOf(set);
    const counts = [
      'desiredNumberScheduled',
      'currentNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
    ];
    return [
      nameOf(set),
      ...counts.map((field) => numberAt(status, field)),
      labelsText(fieldsAt(templateOf(set), 'spec', 'nodeSelector')),
      ageOf(set, now),
      ...containersOf(templateOf(set)),
      selectorOf(set),
    ];
  },
  'jobs.batch': (job, now) => [
    nameOf(job),
    jobStatus(job),
    completionsOf(job),
    durationOf(job, now),
    ageOf(job, now),
    ...containersOf(templateOf(job)),
    selectorOf(job),
  ],
  'cronjobs.batch': (job, now) => {
    const spec = fieldsAt(job, 'spec');
    const { lastScheduleTime } = statusOf(job);
    const inner = fieldsAt(spec, 'jobTemplate', 'spec');
    return [
      nameOf(job),
      textAt(spec, 'schedule'),
      textAt(spec, 'timeZone', '<none>'),
      spec.suspend === undefined || spec.suspend === null ? '<unset>' : spec.suspend ? 'True' : 'False',
      listAt(statusOf(job), 'active').length,
      lastScheduleTime ? since(lastScheduleTime, now) : '<none>',
      ageOf(job, now),
      ...containersOf(fieldsAt(inner, 'template')),
      selectorCell(fieldsAt(inner, 'selector')),
    ];
  },
};

function templateOf(object: FieldMap): FieldMap {
  return fieldsAt(object, 'spec', 'template');
}

function containersOf(template: FieldMap): [names: string, images: string] {
  const containers = listAt(fieldsAt(template, 'spec'), 'containers');
  return [containers.map((c) => textAt(c, 'name')).join(','), containers.map((c) => textAt(c, 'image')).join(',')];
}

function selectorOf(object: FieldMap): string {
  return selectorCell(fieldsAt(object, 'spec', 'selector'));
}

/** A selector as a cell: `<none>` when it is absent or empty. */
export function selectorCell(selector: FieldMap): string {
  return selectorText({ ...selector }) || '<none>';
}

/** A map of labels as a cell, sorted; `<none>` when it is empty. */
export function labelsText(labels: FieldMap): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || '<none>';
}

function jobStatus(job: FieldMap): string {
  const conditions = listAt(statusOf(job), 'conditions');
  const has = (type: string) => conditions.some((c) => c.type === type && c.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (fieldsAt(job, 'metadata').deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsOf(job: FieldMap): string {
  const spec = fieldsAt(job, 'spec');
  const succeeded = numberAt(statusOf(job), 'succeeded');
  if (typeof spec.completions === 'number') return `${succeeded}/${spec.completions}`;
  const parallelism = numberAt(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf(job: FieldMap, now: number): string {
  const { startTime, completionTime } = statusOf(job);
  if (typeof startTime !== 'string') return '';
  const end = typeof completionTime === 'string' ? Date.parse(completionTime) : now;
  return humanDuration(end - Date.parse(startTime));
}
