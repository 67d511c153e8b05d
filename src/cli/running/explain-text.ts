import type { RunEntry, TrailEntry } from '../../controller/history/trail.ts';
import { shortDuration } from '../../kit/duration.ts';
import type { ExplainedKey } from '../../ops/pages.ts';
import { continued } from '../../output/escape.ts';

type Origin = Extract<TrailEntry, { kind: 'event' }>['origin'];

/**
 * The explanation of a key for people: its state in one sentence, then the causal chain, a line a step in the order of
 * time. `type` is the reconciled type.
 */
export function explanationText(explained: ExplainedKey, type: string): string {
  const { key, summary, controller } = explained;
  const lines = [
    `${type} ${key}: ${summary}`,
    ...stepsOf(explained, type),
    ...nextSteps(explained),
    `controller ${controller.name}: ${controller.phase}, ${controller.active} of ${counted(controller.workers, 'worker')} busy`,
    ...controller.sources.map(sourceLine),
  ];
  return lines.map((line) => `${continued(line)}\n`).join('');
}

function stepsOf({ history, droppedSteps, skippedElsewhere, lastChange }: ExplainedKey, type: string): string[] {
  if (history === undefined) return ['the controller keeps no history'];
  const steps = [...history, ...skippedElsewhere].toSorted((a, b) => a.at - b.at);
  const lines = steps.flatMap((step) => {
    const { resourceVersion } = 'origin' in step ? step.origin : {};
    const isLast = resourceVersion !== undefined && resourceVersion === lastChange?.origin.resourceVersion;
    return stepLines(step, type, isLast ? lastChange.paths : []);
  });
  return droppedSteps > 0 ? [`  (${counted(droppedSteps, 'older step')} not kept)`, ...lines] : lines;
}

function stepLines(step: TrailEntry, type: string, paths: readonly string[]): string[] {
  const at = `  ${timeText(step.at)}  `;
  switch (step.kind) {
    case 'event': {
      const to = step.keys === undefined ? '' : `, one of ${step.keys.join(' ')}`;
      return [`${at}${eventText(step, type, paths)}: ${EFFECTS[step.effect]}${to}`];
    }
    case 'skipped':
      return [`${at}${eventText(step, type, paths)}: ${skipText(step)}`];
    case 'run':
      return [
        `${at}run ${step.run}, attempt ${step.attempt}, for ${counted(step.events, 'event')}, after ${shortDuration(step.waitedMs)} in line: ${endText(step)}`,
        ...(step.next ? [`${' '.repeat(at.length)}due again at ${timeText(step.next.at)}: ${step.next.why}`] : []),
      ];
    case 'hot-loop':
      return [
        `${at}a hot loop: parked, because own writes caused ${step.runs} runs in a row, which changed ${step.paths.join(' ')}`,
      ];
    default:
      return [`${at}${step.kind} by hand`];
  }
}

const EFFECTS: Readonly<Record<Extract<TrailEntry, { kind: 'event' }>['effect'], string>> = {
  queued: 'queued',
  merged: 'merged with what was in line already',
  sooner: 'was due later, and went into line at once',
  'runs-again': 'came during a run; it runs once more after that',
  unparked: 'was parked; queued',
  ignored: 'is parked; this is no change, so it stays parked',
};

/** `updated (version 815) in .status.replicas`, `initial list (version 812)`, `pods shop/web-1 deleted`. */
function eventText(
  { origin, count, changed = [] }: { origin: Origin; count: number; changed?: readonly string[] | undefined },
  type: string,
  paths: readonly string[],
): string {
  const { reason, via, source, key, resourceVersion } = origin;
  const isOwn = key === undefined && source === type;
  const subject = isOwn || source === undefined ? '' : `${[source, key].filter(Boolean).join(' ')}: `;
  const what = reason === 'added' && via === 'initial' ? 'initial list' : (WORDS[reason] ?? reason);
  const how = via === undefined || what === 'initial list' ? '' : (HOW[via] ?? '');
  const version = resourceVersion === undefined ? '' : ` (${count > 1 ? 'last ' : ''}version ${resourceVersion})`;
  const fields = changed.length > 0 ? changed : paths;
  const where = fields.length === 0 ? '' : ` in ${fields.join(' ')}`;
  return `${subject}${count > 1 ? `${count} × ` : ''}${what}${how}${version}${where}`;
}

const WORDS: Readonly<Record<string, string>> = { generic: 'due', schedule: 'a time of the schedule came' };

/** How an event became known, where it did not come by the watch. */
const HOW: Readonly<Record<string, string>> = {
  relist: ', found by listing again',
  filter: ', because of a filter',
};

function skipText({ why, by }: Extract<TrailEntry, { kind: 'skipped' }>): string {
  if (why === 'predicate') return `did not pass ${by}; not queued`;
  return why === 'no key' ? 'was mapped to no key; not queued' : `could not be mapped, not queued: ${by}`;
}

function endText({ outcome, tookMs, error, exitCode, parked, skipped }: RunEntry): string {
  if (skipped !== undefined) return `did nothing: ${skipped}`;
  if (outcome === undefined || tookMs === undefined) return 'under way';
  const took = `after ${shortDuration(tookMs)}`;
  if (outcome === 'success' || outcome === 'requeue-after') return `succeeded ${took}`;
  const code = exitCode === undefined || error?.includes(`exited with ${exitCode}`) ? '' : ` (exit code ${exitCode})`;
  const how = outcome === 'timeout' ? 'took too long' : outcome === 'terminal' ? 'failed for good' : 'failed';
  return `${how} ${took}${code}: ${error ?? 'no error text'}${parked ? '; parked' : ''}`;
}

function nextSteps({ key, state, isCached, nearest, parked }: ExplainedKey): string[] {
  const lines: string[] = [];
  if (isCached === false)
    lines.push(`no object ${key} is in the cache: it does not exist, or a namespace, selector or name leaves it out`);
  if (nearest.length > 0) lines.push(`did you mean ${nearest.join(', ')}?`);
  if (parked) lines.push(`queue retry ${key} releases it`);
  else if (state === 'idle' && isCached) lines.push(`queue retry ${key} runs it now`);
  return lines.map((line) => `  → ${line}`);
}

function sourceLine({ name, hasSynced, keys, skipped }: ExplainedKey['controller']['sources'][number]): string {
  const reasons = Object.entries(skipped).map(([why, count]) => `${count} by ${why}`);
  const sync = hasSynced ? '' : ', no initial sync yet';
  return `  source ${name}${sync}: ${counted(keys, 'key')} queued${reasons.length > 0 ? `, dropped ${reasons.join(', ')}` : ''}`;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The time of the day in UTC, with milliseconds. */
const timeText = (at: number) => new Date(at).toISOString().slice(11, 23);
