import { builtin } from '../../kit/builtin.ts';
import { isJsonMap, jsonText } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isForbidden, statusOf } from '../../model/status.ts';
import type { ActionResource } from './action-client.ts';
import type { ActionStep } from './action-step.ts';
import { ignoreNotFound, sendActionOnce } from './send-action.ts';

/**
 * The facts about an action's target right before the action is sent. After a crash it decides whether the action
 * took effect.
 */
export interface StepEffect {
  /** The target did not exist. */
  readonly isAbsent?: boolean;
  /** The target could not be read. */
  readonly isUnread?: boolean;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** A digest of the parts that the action changes, before the action. */
  readonly before?: string;
  /** The same after the action, where sending it again would change them again. */
  readonly after?: string;
}

/** The decision about an action that may have been sent before a crash. */
export type Decision = 'send' | 'done' | { readonly unclear: string };

/** Reads what {@link decideAgain} needs. For a JSON patch the server is asked for the result, which it does not store. */
export async function effectOf(resource: ActionResource, step: ActionStep, signal: AbortSignal): Promise<StepEffect> {
  const { action, target } = step;
  if (action.verb === 'create' || action.verb === 'event') return {}; // the name is known
  let object: UnknownObject | undefined;
  try {
    object = await resource.get(target.name, { signal }).catch(ignoreNotFound);
  } catch (error) {
    if (isForbidden(error)) return { isUnread: true };
    throw error;
  }
  if (!object) return { isAbsent: true };
  const { uid, resourceVersion } = object.metadata;
  if (action.verb === 'delete') return { uid, resourceVersion };
  const effect = { uid, resourceVersion, before: digestOf(object, step) };
  if (!isJsonPatch(step)) return effect;
  const after = await resultOf(resource, conditional(step, effect), signal);
  return after ? { ...effect, after: digestOf(after, step) } : effect;
}

/**
 * Whether an action that may have been sent took effect, by what its target is now. Sending it again must not change
 * anything twice, and must not undo what others did since.
 */
export async function decideAgain(
  resource: ActionResource,
  step: ActionStep,
  effect: StepEffect,
  signal: AbortSignal,
): Promise<Decision> {
  const { action, target } = step;
  if (action.verb === 'create' || action.verb === 'event')
    return (await isThere(resource, step, signal)) ? 'done' : 'send';
  if (effect.isUnread) {
    const isRepeatable = action.verb !== 'delete' && !isJsonPatch(step);
    return isRepeatable ? 'send' : { unclear: 'the object may not be read' };
  }
  const object = await resource.get(target.name, { signal }).catch(ignoreNotFound);
  if (action.verb === 'delete') {
    const isSame = object?.metadata.uid === effect.uid && object?.metadata.deletionTimestamp === undefined;
    return object && !effect.isAbsent && isSame ? 'send' : 'done';
  }
  if (!object) return effect.isAbsent ? 'send' : { unclear: 'the object is gone' };
  const { uid, resourceVersion } = object.metadata;
  if (effect.isAbsent) return (await changesNothing(resource, step, object, signal)) ? 'done' : madeSince;
  if (uid !== effect.uid) return { unclear: 'another object has its name now' };
  if (resourceVersion === effect.resourceVersion) return 'send';
  const now = digestOf(object, step);
  if (isJsonPatch(step)) {
    if (now === effect.after) return 'done';
    return now === effect.before ? 'send' : changedSince;
  }
  if (now === effect.before) return 'send';
  return (await changesNothing(resource, step, object, signal)) ? 'done' : changedSince;
}

/** False also for an object that may not be read: a second one is refused by its name. */
async function isThere(resource: ActionResource, { target, body }: ActionStep, signal: AbortSignal): Promise<boolean> {
  const { name = target.name } = (body as UnknownObject).metadata; // an event has a name of its own
  try {
    return (await resource.get(name, { signal }).catch(ignoreNotFound)) !== undefined;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

const changedSince = { unclear: 'others have changed the same fields' };
const madeSince = { unclear: 'the object was created meanwhile' };

const isJsonPatch = ({ action }: ActionStep) => action.verb === 'patch' && action.patchType === 'json';

/**
 * The action with the condition that its target is still what was read, where doing it to another state could do it
 * twice: a JSON patch, and a deletion. The server refuses it with a conflict if the condition does not hold.
 */
export function conditional(step: ActionStep, { uid, resourceVersion }: StepEffect): ActionStep {
  const { action } = step;
  if (action.verb === 'delete' && uid !== undefined)
    return { ...step, action: { ...action, body: { preconditions: { uid }, ...action.body } } };
  if (!isJsonPatch(step) || resourceVersion === undefined) return step;
  const guard = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  return { ...step, body: [guard, ...(step.body as readonly unknown[])] };
}

/** The object that the server would store; undefined if it refuses the action or a dry run of it. */
async function resultOf(
  resource: ActionResource,
  step: ActionStep,
  signal: AbortSignal,
): Promise<UnknownObject | undefined> {
  try {
    return (await sendActionOnce(resource, step, { signal, dryRun: true })) as UnknownObject;
  } catch (error) {
    if (!statusOf(error)) throw error;
    return undefined;
  }
}

async function changesNothing(
  resource: ActionResource,
  step: ActionStep,
  object: UnknownObject,
  signal: AbortSignal,
): Promise<boolean> {
  const result = await resultOf(resource, step, signal);
  return result !== undefined && digestOf(result, step) === digestOf(object, step);
}

/** A digest of the parts of an object that an action names. Lists are one part. */
function digestOf(object: UnknownObject, step: ActionStep): string {
  const parts = partsOf(step).map((path) => [path, sorted(valueAt(object, path))]);
  return builtin.crypto().createHash('sha256').update(jsonText(parts)).digest('hex');
}

type Path = readonly string[];

function partsOf(step: ActionStep): Path[] {
  if (isJsonPatch(step)) {
    const operations = step.body as readonly { path?: unknown; from?: unknown }[];
    return operations
      .flatMap(({ path, from }) => [path, from])
      .filter((p) => typeof p === 'string')
      .map(pointerPath);
  }
  return leaves(step.body, []);
}

/** The path of a JSON pointer, up to the first list. Source: RFC 6901. */
function pointerPath(pointer: string): Path {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const list = steps.findIndex((part) => part === '-' || /^\d+$/.test(part));
  return list < 0 ? steps : steps.slice(0, list);
}

function leaves(value: unknown, path: Path): Path[] {
  if (!isJsonMap(value)) return [path];
  return Object.entries(value).flatMap(([name, child]) => leaves(child, [...path, name]));
}

function valueAt(object: unknown, path: Path): unknown {
  let value = object;
  for (const name of path) value = isJsonMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The value with the members of all maps in one order; null for no value. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonMap(value)) return value ?? null;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]) => [name, sorted(child)]);
}
