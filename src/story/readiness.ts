import type { Fields } from '../model/field-changes.ts';
import { kstatusOf } from '../model/kstatus.ts';
import { causeOf, lastingReason, SYMPTOMS } from './causes.ts';
import type { Cause } from './pod-causes.ts';
import { conditionIn, fieldsIn, isTrue, metadataIn, numberIn, partsIn, type Situation, shownName, specIn, statusIn, textIn, timeIn } from './situation.ts'; // biome-ignore format: one line

/** A cause, and the objects that have it. */
export interface NamedCause extends Cause {
  readonly objects: readonly string[];
}

/** Whether an object is ready, and why not. */
export interface Verdict {
  readonly isReady: boolean;
  /** How far the cluster has come with it, in the words of kstatus. */
  readonly status: string;
  /** The deepest one first; none if no rule matches. */
  readonly causes: readonly NamedCause[];
}

/** The rank of a cause: what new pods wait for, before what old ones do, before what only follows from others. */
const RANK = { present: 0, replaced: 1, inactive: 2, symptom: 3 } as const;

/** Judges an object by its own state and by all that it owns. */
export function verdictOf(root: Situation, owned: readonly Situation[]): Verdict {
  const { status, message } = kstatusOf(root.object, root.now);
  const isCurrent = status === 'Current' && !hasFailed(root.object);
  if (isCurrent && isDecisive(root.object)) return { isReady: true, status: message, causes: [] };
  const asked = [root, ...(root.object.kind === 'CronJob' ? ofNewestJob(owned) : owned)];
  const replicaSets = new Map(owned.map(({ object }) => [textIn(metadataIn(object).uid), object]));
  const newest = Math.max(...owned.map(({ object }) => revisionOf(object)));
  const groups = new Map<string, { cause: Cause; rank: number; objects: string[] }>();
  for (const situation of asked) {
    const { object } = situation;
    const owner = partsIn(metadataIn(object).ownerReferences).map(({ uid }) => replicaSets.get(textIn(uid)))[0];
    if (isIdle(object) || (owner && isIdle(owner))) continue;
    const found = causeOf(situation);
    if (!found) continue;
    const revision = Math.max(revisionOf(object), owner ? revisionOf(owner) : 0);
    const isOld = revision > 0 && revision < newest;
    const rank = SYMPTOMS.has(found.reason)
      ? RANK.symptom
      : owner && statusIn(object).phase === 'Failed'
        ? RANK.inactive
        : isOld
          ? RANK.replaced
          : RANK.present;
    const same = found.same ?? found.text.replace(/[0-9]+/g, '#');
    const key = `${rank} ${lastingReason(found.reason)} ${same}`;
    const group = groups.get(key);
    group?.objects.push(shownName(object));
    if (group && found.text.length > group.cause.text.length) group.cause = found;
    if (!group) groups.set(key, { cause: found, rank, objects: [shownName(object)] });
  }
  const sorted = [...groups.values()].sort((a, b) => a.rank - b.rank || b.objects.length - a.objects.length);
  const deep = sorted.filter(({ rank }) => rank !== RANK.symptom);
  const causes = (deep.length > 0 ? deep : sorted).map(({ cause, objects }) => ({ ...cause, objects }));
  return { isReady: isCurrent && causes.length === 0, status: message, causes };
}

/** Whether the status of an object by kstatus says everything about what it owns. */
function isDecisive(object: Fields): boolean {
  if (object.kind === 'StatefulSet') return fieldsIn(specIn(object).updateStrategy).type !== 'OnDelete';
  if (object.kind === 'Job') return isTrue(conditionIn(object, 'Complete'));
  return ['Deployment', 'ReplicaSet', 'DaemonSet', 'Pod', 'PersistentVolumeClaim'].includes(textIn(object.kind));
}

/** A pod that has ended in failure; for kstatus it is current, because nothing more will come. */
const hasFailed = (object: Fields) => object.kind === 'Pod' && statusIn(object).phase === 'Failed';

/** An object that is to have no pods, or a pod that is well. */
function isIdle(object: Fields): boolean {
  if (object.kind === 'ReplicaSet') return specIn(object).replicas === 0;
  if (object.kind !== 'Pod' || textIn(metadataIn(object).deletionTimestamp) !== '') return false;
  return isTrue(conditionIn(object, 'Ready')) || statusIn(object).phase === 'Succeeded';
}

/** The number of a ReplicaSet among those of its Deployment; 0 if it has none, or is to have no pods. */
function revisionOf(object: Fields): number {
  if (object.kind !== 'ReplicaSet' || isIdle(object)) return 0;
  return numberIn(Number(fieldsIn(metadataIn(object).annotations)['deployment.kubernetes.io/revision'] ?? 0));
}

/** The newest Job of a CronJob, and what that owns. */
function ofNewestJob(owned: readonly Situation[]): readonly Situation[] {
  const created = ({ object }: Situation) => timeIn(metadataIn(object).creationTimestamp);
  const [job] = owned.filter(({ object }) => object.kind === 'Job').sort((a, b) => created(b) - created(a));
  const uid = job && metadataIn(job.object).uid;
  const isOwn = ({ object }: Situation) => partsIn(metadataIn(object).ownerReferences).some((each) => each.uid === uid);
  return job ? [job, ...owned.filter(isOwn)] : [];
}

/** The causes that one line names; what is beyond has lines of its own. */
const NAMED = 1;
const MOST_LINES = 3;

/** The first lines of a story: whether the object is ready, and why not. */
export function verdictLines(name: string, { isReady, status, causes }: Verdict, unread: readonly string[]): string[] {
  const known = status === '' ? '' : ` (${status.replace(/\.$/, '')})`;
  if (isReady) return [`${name} is ready${known}`];
  const [first] = causes;
  const head = `${name} is not ready${known}`;
  if (!first) {
    const blind = unread.length === 0 ? '' : `; ${unread.join(', ')} could not be read`;
    return [`${head}: no cause is known${blind}`];
  }
  const others = causes.slice(NAMED, NAMED + MOST_LINES);
  const more = causes.length - NAMED - others.length;
  return [
    `${head}: ${namedCauseText(first, name)}`,
    ...others.map((each) => `also: ${namedCauseText(each, name)}`),
    ...(more > 0 ? [`also: ${more} more`] : []),
  ];
}

/** `OOMKilled: pod/web-1 container app used …; so it is with 2 more`. */
export function namedCauseText({ reason, text, objects }: NamedCause, root: string): string {
  const [first = '', ...more] = objects;
  const who = first === root ? '' : `${first}: `;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${reason}: ${who}${text}${rest}`;
}
