import { type FieldChange, type Fields, fieldChanges } from '../model/field-changes.ts';
import { kstatusOf } from '../model/kstatus.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { valuePair } from '../output/value-text.ts';
import { creatorOf, fieldManagers } from '../stream/changes/field-managers.ts';
import { containerFacts } from './container-facts.ts';
import type { Fact, StoryChange } from './fact.ts';
import { lastWrites } from './last-writes.ts';
import { conditionIn, fieldsIn, isTrue, metadataIn, partsIn, specIn, statusIn, textIn, timeIn } from './situation.ts'; // biome-ignore format: one line

const fact = (at: number, kind: Fact['kind'], text: string, more: Partial<Fact> = {}): Fact => ({
  at,
  kind,
  who: '',
  text,
  tone: 'none',
  ...more,
});

/**
 * The facts of a change: who wrote which fields, how its containers started and ended, how its status went on. An object
 * that was there at the beginning shows its past with the times that it has itself.
 */
export function storyFacts(change: StoryChange, isRoot: boolean): Fact[] {
  const { event, cause, before, object } = change;
  if (event === 'DELETED') return [fact(change.at, 'change', `deleted${inferred(change)}`)];
  if (!before && (event === 'MODIFIED' || cause !== 'watch')) return past(change, isRoot);
  if (!before) return [created(change, change.at), ...containerFacts(change)];
  return [
    ...fieldFacts(change, before),
    ...deletion(change, before),
    ...containerFacts(change),
    ...statusFacts(change, before, isRoot || object.kind !== 'ReplicaSet'),
  ];
}

const inferred = ({ cause, event }: StoryChange) => (cause === 'watch' || event === 'ADDED' ? '' : ' (seen in a list)');

function created({ object }: StoryChange, at: number): Fact {
  const who = creatorOf(object) ?? '';
  const revision = fieldsIn(metadataIn(object).annotations)['deployment.kubernetes.io/revision'];
  if (object.kind !== 'ReplicaSet' || revision === undefined) return fact(at, 'change', 'created', { who });
  const images = partsIn(specIn(fieldsIn(specIn(object).template)).containers).map(({ image }) => textIn(image));
  return fact(at, 'rollout', `revision ${revision} begins: ${images.join(', ')}`, { who });
}

/** The past of an object, as its state has it. */
function past(change: StoryChange, isRoot: boolean): Fact[] {
  const { object, at } = change;
  const { creationTimestamp, deletionTimestamp } = metadataIn(object);
  const writes = lastWrites(object as unknown as ReadonlyObject).flatMap(({ time, who, subresource, paths }) =>
    isRoot && subresource !== 'status' && time !== ''
      ? [fact(timeIn(time), 'change', `last write of ${paths.join(', ')}`, { who })]
      : [],
  );
  const first = timeIn(creationTimestamp);
  return [
    { ...created(change, Number.isFinite(first) ? first : at), who: '' },
    ...writes,
    ...(textIn(deletionTimestamp) === '' ? [] : [fact(timeIn(deletionTimestamp), 'change', deletionText(object))]),
    ...containerFacts(change),
  ];
}

/** The fields that are shown in other words, or that only repeat others. */
const TOLD_ELSEWHERE =
  /^\.status\b|^\.metadata\.deletion|^\.metadata\.annotations\['(deployment\.kubernetes\.io\/|kubectl\.kubernetes\.io\/last-applied)/;
const MOST_TEXTS = 3;
const LONGEST_VALUE = 48;

/** The fields that were written, a line for each writer. */
function fieldFacts(change: StoryChange, before: Fields): Fact[] {
  const { object, at } = change;
  const managerOf = fieldManagers(before, object);
  const changes = fieldChanges(before, object).filter(({ path }) => !TOLD_ELSEWHERE.test(path));
  const byWriter = Map.groupBy(changes, (each) => managerOf(each) ?? '');
  return [...byWriter].map(([who, own]) => {
    const more = own.length > MOST_TEXTS ? `; ${own.length - MOST_TEXTS} more` : '';
    const texts = own.slice(0, MOST_TEXTS).map((each) => changeText(each));
    return fact(at, 'change', `${texts.join('; ')}${more}${inferred(change)}`, { who });
  });
}

function changeText({ path, kind, before, after }: FieldChange): string {
  if (path === '.spec.nodeName') return `assigned to node ${textIn(after)}`;
  if (path === '.metadata') return 'metadata'; // nothing but what every write changes
  const [old, now] = valuePair(before, after, LONGEST_VALUE);
  if (kind === 'added') return `${path}: ${now} (new)`;
  return kind === 'removed' ? `${path}: ${old} (removed)` : `${path}: ${old} → ${now}`;
}

function deletion({ object, at }: StoryChange, before: Fields): Fact[] {
  const is = (each: Fields) => textIn(metadataIn(each).deletionTimestamp) !== '';
  return is(object) && !is(before) ? [fact(at, 'change', deletionText(object))] : [];
}

function deletionText(object: Fields): string {
  const { finalizers } = metadataIn(object);
  const names = Array.isArray(finalizers) ? finalizers.map(String) : [];
  return `its deletion is requested${names.length === 0 ? '' : `; it waits for ${names.join(', ')}`}`;
}

/** How the status went on, in the words of kstatus; of a pod its readiness and its end. */
function statusFacts({ object, at }: StoryChange, before: Fields, isTold: boolean): Fact[] {
  if (object.kind === 'Pod') return podFacts(object, before, at);
  if (object.kind === 'Node') return nodeFacts(object, before, at);
  if (!isTold) return [];
  const [was, is] = [kstatusOf(before, at), kstatusOf(object, at)];
  if ((was.status === is.status && was.message === is.message) || is.status === 'Terminating') return [];
  if (is.message.includes('latest observed generation')) return []; // the next moment says more
  const tone = is.status === 'Current' ? 'good' : is.status === 'Failed' ? 'bad' : 'none';
  return [fact(at, 'status', is.message.replace(/\.$/, '') || is.status, { tone })];
}

function podFacts(object: Fields, before: Fields, at: number): Fact[] {
  const facts: Fact[] = [];
  const { phase, reason, message } = statusIn(object);
  if (phase === 'Failed' && statusIn(before).phase !== 'Failed') {
    const why = [reason, message].map(textIn).filter((each) => each !== '');
    facts.push(fact(at, 'status', ['failed', ...why].join(': '), { tone: 'bad' }));
  }
  const isReady = isTrue(conditionIn(object, 'Ready'));
  if (isReady !== isTrue(conditionIn(before, 'Ready')) && textIn(metadataIn(object).deletionTimestamp) === '')
    facts.push(fact(at, 'status', isReady ? 'ready' : 'not ready', { tone: isReady ? 'good' : 'none' }));
  const scheduled = conditionIn(object, 'PodScheduled');
  if (scheduled.reason === 'Unschedulable' && scheduled.message !== conditionIn(before, 'PodScheduled').message)
    facts.push(fact(at, 'status', `cannot be scheduled: ${textIn(scheduled.message)}`, { tone: 'bad' }));
  return facts;
}

function nodeFacts(object: Fields, before: Fields, at: number): Fact[] {
  const [is, was] = [conditionIn(object, 'Ready'), conditionIn(before, 'Ready')];
  if (is.status === was.status) return [];
  const why = [is.reason, is.message].map(textIn).filter((each) => each !== '');
  const tone = isTrue(is) ? 'good' : 'bad';
  return [fact(at, 'status', `${isTrue(is) ? 'ready' : 'not ready'}: ${why.join(': ')}`, { tone })];
}
