import { shortDuration } from '../kit/duration.ts';
import type { Fields } from '../model/field-changes.ts';
import { lastingReason } from './causes.ts';
import type { Fact, StoryChange } from './fact.ts';
import { containersOf, fieldsIn, metadataIn, numberIn, textIn, timeIn } from './situation.ts';

/**
 * How the containers of a pod started, waited and ended. Of a pod whose state before is not known, with the times that
 * the kubelet gave.
 */
export function containerFacts({ object, before, at }: StoryChange): Fact[] {
  if (object.kind !== 'Pod') return [];
  const old = new Map(before ? containersOf(before).map((each) => [each.name, each]) : []);
  return containersOf(object).flatMap((container) => {
    const was = old.get(container.name) ?? {};
    return [...endFacts(object, container, was), ...startFact(container, was), ...waitFact(container, was)].map(
      (each) => ({ ...each, at: before || !Number.isFinite(each.at) ? at : each.at }),
    );
  });
}

const container = (at: number, text: string, tone: Fact['tone'], failure?: Fact['failure']): Fact => ({
  at,
  kind: 'container',
  who: '',
  text,
  tone,
  failure,
});

const terminatedOf = (state: unknown) => fieldsIn(fieldsIn(state).terminated);

/** The ends that the state before does not have: the last one, and the present one. */
function endFacts(pod: Fields, now: Fields, was: Fields): Fact[] {
  const known = new Set([terminatedOf(was.state), terminatedOf(was.lastState)].map(idOf));
  return [terminatedOf(now.lastState), terminatedOf(now.state)].flatMap((end) => {
    const id = idOf(end);
    if (end.exitCode === undefined || known.has(id)) return [];
    known.add(id);
    const { name, namespace } = metadataIn(pod);
    const isFailure = end.exitCode !== 0;
    const finishedAt = textIn(end.finishedAt);
    const failure = { namespace: textIn(namespace), pod: textIn(name), container: textIn(now.name), finishedAt };
    return [
      container(timeIn(end.finishedAt), endText(now, end), isFailure ? 'bad' : 'none', isFailure ? failure : undefined),
    ];
  });
}

const idOf = ({ finishedAt, startedAt, containerID }: Fields) => `${finishedAt} ${startedAt} ${containerID}`;

function endText({ name }: Fields, end: Fields): string {
  const ranMs = timeIn(end.finishedAt) - timeIn(end.startedAt);
  const after = ranMs >= 0 ? ` after ${shortDuration(ranMs)}` : '';
  const reason = ['', 'Error', 'Completed'].includes(textIn(end.reason)) ? '' : ` (${end.reason})`;
  const message = textIn(end.message).trim();
  return `container ${name} ended with exit code ${end.exitCode}${reason}${after}${message === '' ? '' : `: ${message}`}`;
}

function startFact({ name, state, restartCount }: Fields, was: Fields): Fact[] {
  const { running } = fieldsIn(state);
  const { startedAt } = fieldsIn(running);
  if (!running || fieldsIn(fieldsIn(was.state).running).startedAt === startedAt) return [];
  const restarts = numberIn(restartCount);
  return [
    container(timeIn(startedAt), `container ${name} started${restarts === 0 ? '' : ` (restart ${restarts})`}`, 'none'),
  ];
}

/** The waits that are a part of every start. */
const USUAL = ['ContainerCreating', 'PodInitializing', ''];

function waitFact({ name, state }: Fields, was: Fields): Fact[] {
  const { reason, message } = fieldsIn(fieldsIn(state).waiting);
  const before = textIn(fieldsIn(fieldsIn(was.state).waiting).reason);
  if (USUAL.includes(textIn(reason)) || lastingReason(before) === lastingReason(textIn(reason))) return [];
  const why = textIn(message) === '' ? '' : `: ${message}`;
  return [container(Number.NaN, `container ${name} waits: ${reason}${why}`, 'bad')];
}
