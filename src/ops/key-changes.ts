import type { KeyExplanation } from '../controller/explanation.ts';
import { InformerError } from '../kit/error.ts';
import type { ObjectKey } from '../model/key.ts';
import { type InspectedController, nearKeys, type ReconciledObjects } from './inspected.ts';

/** A change of a key. */
export interface KeyChange {
  readonly key: ObjectKey;
  readonly controller: string;
  /** Whether something was done, or was not necessary. */
  readonly ok: boolean;
  /** The change, or the reason why there was none, for people. */
  readonly text: string;
  /** Keys that may have been meant. */
  readonly nearest?: readonly ObjectKey[];
}

type Change = (
  key: ObjectKey,
  controller: InspectedController,
  state: KeyExplanation['state'],
) => Pick<KeyChange, 'ok' | 'text'>;

/** The most keys in one request. */
const MOST_KEYS = 10_000;

/** The program whose keys are changed: see {@link InspectedProgram}. */
interface ChangedProgram {
  readonly controllers: readonly InspectedController[];
  readonly objects: readonly (ReconciledObjects | undefined)[];
}

/** Carries out `{"keys": […]}` for each key, in every controller that knows it. Throws `argument` for another body. */
export function changeKeys(body: string, program: ChangedProgram, change: KeyChangeKind): KeyChange[] {
  return keysIn(body).flatMap((key) => changed(key, program, KINDS[change]));
}

function keysIn(body: string): string[] {
  const { keys } = parsed(body);
  if (!Array.isArray(keys) || keys.length > MOST_KEYS || !keys.every((key) => typeof key === 'string' && key !== ''))
    throw new InformerError('argument', `the body must be {"keys": […]} with at most ${MOST_KEYS} keys`);
  return keys as string[];
}

function parsed(body: string): { keys?: unknown } {
  try {
    return (JSON.parse(body) ?? {}) as { keys?: unknown };
  } catch {
    return {};
  }
}

/** Changes the key in the controllers that know it. If none does, one answer says so. */
function changed(key: ObjectKey, { controllers, objects }: ChangedProgram, change: Change): KeyChange[] {
  const all = controllers.map((controller, i) => {
    const { state, controller: facts } = controller.explain(key);
    const isKnown = state !== 'unknown' || objects[i]?.get(key) !== undefined;
    return { controller, state, name: facts.name, isKnown };
  });
  const knowing = all.filter(({ isKnown }) => isKnown);
  if (knowing.length > 0)
    return knowing.map(({ controller, state, name }) => ({ key, controller: name, ...change(key, controller, state) }));
  return [
    {
      key,
      controller: all.map(({ name }) => name).join(', '),
      ok: false,
      text: 'there is no such key',
      nearest: controllers.flatMap((controller, i) => nearKeys(key, controller, objects[i])).slice(0, 3),
    },
  ];
}

function retry(key: ObjectKey, controller: InspectedController, state: KeyExplanation['state']) {
  if (state === 'queued') return { ok: true, text: 'is in line already' };
  if (state === 'parked') {
    controller.release(key);
    return { ok: true, text: 'released: its failures are forgotten, and it is in line' };
  }
  controller.enqueue(key);
  if (state === 'processing') return { ok: true, text: 'is being run, and runs once more after that' };
  return { ok: true, text: state === 'delayed' ? 'is in line now, before it was due' : 'queued' };
}

function drop(key: ObjectKey, controller: InspectedController, state: KeyExplanation['state']) {
  const isDropped = controller.drop(key);
  if (state === 'processing') {
    const next = isDropped ? 'its next run was dropped' : 'nothing waits after it';
    return { ok: isDropped, text: `is being run, which goes on; ${next}` };
  }
  if (isDropped) return { ok: true, text: 'dropped: nothing runs for it until its next event' };
  return { ok: false, text: 'was not waiting' };
}

const KINDS = { retry, drop } satisfies Record<string, Change>;

/** `retry`: the key runs again, at once. `drop`: nothing waits for it any more. */
export type KeyChangeKind = keyof typeof KINDS;
