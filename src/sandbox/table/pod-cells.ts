import { ageOf, type FieldMap, fieldsAt, listAt, numberAt, since, textAt } from './field-access.ts';

/** The values of the ready, status and restarts columns, while the containers of a pod are counted. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  /** When a container ended before its last restart, in ms since 1970; 0 when none did. */
  lastRestart: number;
}

/** The cells of a pod. Source: kubernetes/pkg/printers/internalversion printPod. */
export function podCells(pod: FieldMap, now: number): unknown[] {
  const [spec, status] = [fieldsAt(pod, 'spec'), fieldsAt(pod, 'status')];
  const sidecars = sidecarNames(spec);
  const total = listAt(spec, 'containers').length + sidecars.size;
  const { reason, ready, restarts, lastRestart } = tally(spec, status, sidecars);
  return [
    textAt(fieldsAt(pod, 'metadata'), 'name'),
    `${ready}/${total}`,
    finalReason(pod, reason),
    restarts > 0 && lastRestart > 0
      ? `${restarts} (${since(new Date(lastRestart).toISOString(), now)} ago)`
      : String(restarts),
    ageOf(pod, now),
    textAt(listAt(status, 'podIPs')[0] ?? {}, 'ip', textAt(status, 'podIP', '<none>')),
    textAt(spec, 'nodeName', '<none>'),
    textAt(status, 'nominatedNodeName', '<none>'),
    readinessGates(spec, status),
  ];
}

/** The condition that marks the row of a finished pod, so that clients can hide it; undefined for other pods. */
export function podRowConditions(pod: FieldMap): object[] | undefined {
  const phase = fieldsAt(pod, 'status').phase;
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}

function sidecarNames(spec: FieldMap): ReadonlySet<string> {
  const always = listAt(spec, 'initContainers').filter((c) => c.restartPolicy === 'Always');
  return new Set(always.map((c) => textAt(c, 'name')));
}

function tally(spec: FieldMap, status: FieldMap, sidecars: ReadonlySet<string>): Tally {
  const init: Tally = { reason: startReason(status), ready: 0, restarts: 0, lastRestart: 0 };
  const kept: Tally = { ...init };
  const initializing = tallyInit(spec, status, sidecars, init, kept);
  if (initializing && !hasCondition(status, 'Initialized')) return init;
  return tallyMain(status, { ...init, restarts: kept.restarts, lastRestart: kept.lastRestart });
}

function startReason(status: FieldMap): string {
  const scheduled = listAt(status, 'conditions').find((c) => c.type === 'PodScheduled');
  if (scheduled?.reason === 'SchedulingGated') return 'SchedulingGated';
  return textAt(status, 'reason', textAt(status, 'phase'));
}

/**
 * Counts the init containers up to the first that is not done. `kept` counts the sidecars, which go on running.
 * Returns whether there is one that is not done.
 */
function tallyInit(spec: FieldMap, status: FieldMap, sidecars: ReadonlySet<string>, init: Tally, kept: Tally): boolean {
  const total = listAt(spec, 'initContainers').length;
  for (const [i, container] of listAt(status, 'initContainerStatuses').entries()) {
    count(init, container);
    const sidecar = sidecars.has(textAt(container, 'name'));
    if (sidecar) count(kept, container);
    const { terminated, waiting } = fieldsAt(container, 'state') as { terminated?: FieldMap; waiting?: FieldMap };
    if (terminated && numberAt(terminated, 'exitCode') === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) init.ready++;
      continue;
    }
    init.reason = initReason(terminated, waiting, i, total);
    return true;
  }
  return false;
}

function initReason(
  terminated: FieldMap | undefined,
  waiting: FieldMap | undefined,
  done: number,
  total: number,
): string {
  if (terminated) return `Init:${endReason(terminated)}`;
  const reason = textAt(waiting ?? {}, 'reason');
  return reason !== '' && reason !== 'PodInitializing' ? `Init:${reason}` : `Init:${done}/${total}`;
}

function endReason(terminated: FieldMap): string {
  const signal = numberAt(terminated, 'signal');
  return textAt(
    terminated,
    'reason',
    signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode')}`,
  );
}

/** Counts the containers from the last to the first, so that the problem of the first container is the one shown. */
function tallyMain(status: FieldMap, tally: Tally): Tally {
  let running = false;
  for (const container of [...listAt(status, 'containerStatuses')].reverse()) {
    count(tally, container);
    const {
      waiting,
      terminated,
      running: up,
    } = fieldsAt(container, 'state') as { waiting?: FieldMap; terminated?: FieldMap; running?: FieldMap };
    if (waiting && textAt(waiting, 'reason') !== '') tally.reason = textAt(waiting, 'reason');
    else if (terminated) tally.reason = endReason(terminated);
    else if (container.ready === true && up) {
      running = true;
      tally.ready++;
    }
  }
  if (tally.reason === 'Completed' && running) tally.reason = hasCondition(status, 'Ready') ? 'Running' : 'NotReady';
  return tally;
}

function count(tally: Tally, container: FieldMap): void {
  tally.restarts += numberAt(container, 'restartCount');
  const { finishedAt } = fieldsAt(container, 'lastState', 'terminated');
  if (typeof finishedAt === 'string') tally.lastRestart = Math.max(tally.lastRestart, Date.parse(finishedAt));
}

function hasCondition(status: FieldMap, type: string): boolean {
  return listAt(status, 'conditions').some((c) => c.type === type && c.status === 'True');
}

function finalReason(pod: FieldMap, reason: string): string {
  if (!fieldsAt(pod, 'metadata').deletionTimestamp) return reason;
  const { phase, reason: why } = fieldsAt(pod, 'status');
  if (why === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function readinessGates(spec: FieldMap, status: FieldMap): string {
  const gates = listAt(spec, 'readinessGates');
  if (gates.length === 0) return '<none>';
  return `${gates.filter((g) => hasCondition(status, textAt(g, 'conditionType'))).length}/${gates.length}`;
}
