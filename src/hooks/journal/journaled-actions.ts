import { type Clock, systemClock } from '../../kit/clock.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isAlreadyExists, isConflict, isForbidden, isThrottled, statusOf } from '../../model/status.ts';
import type { ActionResource } from '../actions/action-client.ts';
import type { ActionStep } from '../actions/action-step.ts';
import { formatTarget, type TargetType } from '../actions/action-target.ts';
import { ignoreNotFound, sendAction, sendActionOnce } from '../actions/send-action.ts';
import { conditional, type Decision, decideAgain, effectOf, type StepEffect } from '../actions/step-effect.ts';
import type { ActionJournal, JournaledStep, UnfinishedRun } from './action-journal.ts';
import { drawnName } from './drawn-name.ts';

/** How often a guarded action is sent when other writers change its target in between. Source: client-go util/retry. */
const MOST_TRIES = 5;
const PAUSE_MS = 10;

export interface JournaledActionsOptions {
  journal: ActionJournal;
  /** The reconciled type. */
  primary: TargetType;
  resource(target: Pick<ActionStep['target'], 'type' | 'namespace'>): ActionResource;
  /** Whether the values of Secrets may be in the journal. */
  keepSecrets?: boolean | undefined;
  clock?: Clock | undefined;
}

/** How one action is carried out: waits until it may be sent, then calls `send`, and reports the answer. */
export type CarryOut = (step: ActionStep, send: () => Promise<unknown>) => Promise<void>;

/** An action of an earlier run that is not carried out, and why. */
export type OnDropped = (what: string, why: string) => void;

/**
 * Carries out the actions of a run so that a crash at any moment neither loses one nor does one twice: all of them are
 * in the journal before the first is sent, and each knows by its target whether it took effect.
 *
 * A run stays in the journal when it is not known what became of an action: after a crash, a broken connection, an
 * error of the server after which the object may have changed, or when the program was asked to end. It leaves the
 * journal when it is done, and when the server refused an action: then the hook decides again.
 */
export class JournaledActions {
  readonly #options: JournaledActionsOptions;
  readonly #clock: Clock;

  constructor(options: JournaledActionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Carries out the actions of a new run. */
  async run(
    steps: readonly ActionStep[],
    { key, uid }: Pick<UnfinishedRun, 'key' | 'uid'>,
    carryOut: CarryOut,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal, keepSecrets = false } = this.#options;
    const named = steps.map(withName);
    const run = await journal.begin({ key, uid, steps: named.map((step) => recorded(step, keepSecrets)) });
    await this.#toTheEnd(run, signal, async () => {
      for (const [i, step] of named.entries()) await carryOut(step, () => this.#send(run, i, step, signal));
    });
  }

  /** Carries out what an earlier run left, unless the reconciled object is another one now. */
  async resume(run: UnfinishedRun, carryOut: CarryOut, onDropped: OnDropped, signal: AbortSignal): Promise<void> {
    const why = await this.#whyNot(run, signal);
    if (why !== undefined) {
      onDropped(`the actions for ${run.key}`, why);
      return await this.#options.journal.finish(run);
    }
    await this.#toTheEnd(run, signal, async () => {
      for (const [i, step] of run.steps.entries())
        if (!run.done.has(i)) await this.#again(run, i, step, carryOut, onDropped, signal);
    });
  }

  async #toTheEnd(run: UnfinishedRun, signal: AbortSignal, all: () => Promise<void>): Promise<void> {
    const { journal } = this.#options;
    try {
      await all();
    } catch (error) {
      if (isFinal(error) || (statusOf(error) && (await this.#tookNoEffect(run, signal)))) await journal.finish(run);
      throw error;
    }
    await journal.finish(run);
  }

  /** Whether the server's state shows that what was sent and not answered with success was not stored. */
  async #tookNoEffect(run: UnfinishedRun, signal: AbortSignal): Promise<boolean> {
    try {
      for (const [i, effect] of run.started) {
        if (run.done.has(i)) continue;
        const step = run.steps[i] as JournaledStep;
        if (step.isPartial || effect.isUnread) return false;
        if ((await decideAgain(this.#options.resource(step.target), step, effect, signal)) !== 'send') return false;
      }
      return true;
    } catch {
      return false; // it is checked again when the run is resumed
    }
  }

  async #again(
    run: UnfinishedRun,
    i: number,
    step: JournaledStep,
    carryOut: CarryOut,
    onDropped: OnDropped,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal } = this.#options;
    const effect = run.started.get(i);
    const decision = await this.#decide(step, effect, signal);
    if (decision === 'done') return await journal.done(run, i);
    if (decision !== 'send') {
      onDropped(`${step.action.verb} ${formatTarget(step.target)} of ${run.key}`, decision.unclear);
      return await journal.done(run, i);
    }
    await carryOut(step, () => this.#send(run, i, step, signal).catch(effect ? isMade(step) : fail));
    if (!run.done.has(i)) await journal.done(run, i);
  }

  async #decide(step: JournaledStep, effect: StepEffect | undefined, signal: AbortSignal): Promise<Decision> {
    if (step.isPartial) return { unclear: 'the journal keeps no values of Secrets' };
    return effect ? await decideAgain(this.#options.resource(step.target), step, effect, signal) : 'send';
  }

  /** Sends an action of a run. Before, the journal says what its target was; then, that it is done. */
  async #send(run: UnfinishedRun, i: number, step: ActionStep, signal: AbortSignal): Promise<unknown> {
    const { journal } = this.#options;
    const resource = this.#options.resource(step.target);
    for (let tries = 1; ; tries++) {
      const effect = await effectOf(resource, step, signal);
      await journal.start(run, i, hides(step, this.#options.keepSecrets) ? withoutDigests(effect) : effect);
      const safe = conditional(step, effect);
      try {
        const answer =
          safe === step
            ? await sendAction(resource, step, { signal, clock: this.#clock })
            : await sendActionOnce(resource, safe, { signal });
        await journal.done(run, i, stateIn(answer));
        return answer;
      } catch (error) {
        if (safe === step || tries === MOST_TRIES || !isConflict(error)) throw error;
      }
      await this.#clock.sleep(PAUSE_MS, { signal });
    }
  }

  /** Why the actions of an earlier run are not for the object that has the key now. */
  async #whyNot({ key, uid, steps, started, done }: UnfinishedRun, signal: AbortSignal): Promise<string | undefined> {
    const { primary } = this.#options;
    const at = key.indexOf('/');
    const [namespace, name] = at < 0 ? [undefined, key] : [key.slice(0, at), key.slice(at + 1)];
    let object: UnknownObject | undefined;
    try {
      object = await this.#options.resource({ type: primary, namespace }).get(name, { signal }).catch(ignoreNotFound);
    } catch (error) {
      if (isForbidden(error)) return undefined; // each action checks its own target
      throw error;
    }
    if (object?.metadata.uid === (uid ?? undefined)) return undefined;
    if (object) return uid === null ? 'the object exists again' : 'another object has its name now';
    const own = formatTarget({ type: primary, namespace, name });
    const isDeletedByRun = steps.some(
      ({ action, target }, i) =>
        action.verb === 'delete' && formatTarget(target) === own && (started.has(i) || done.has(i)),
    );
    return isDeletedByRun ? undefined : 'the object is gone';
  }
}

/** Whether the server refused the action for good, so that it certainly took no effect. */
function isFinal(error: unknown): boolean {
  const code = statusOf(error)?.code ?? 0;
  return code >= 400 && code < 500 && code !== 408 && !isThrottled(error);
}

/** An object that was created before the crash needs no second create. */
const isMade =
  ({ action }: ActionStep) =>
  (error: unknown): undefined => {
    const makes = action.verb === 'create' || action.verb === 'event';
    if (!makes || !isAlreadyExists(error)) throw error;
  };

const fail = (error: unknown): never => {
  throw error;
};

/** With a name where the server would draw one, so that the object is found again. */
function withName(step: ActionStep): ActionStep {
  const { action, target, body } = step;
  const { generateName } = (body as Partial<UnknownObject> | undefined)?.metadata ?? {};
  if (action.verb !== 'create' || target.name !== '' || !generateName) return step;
  const name = drawnName(generateName);
  const { metadata } = body as UnknownObject;
  return { ...step, target: { ...target, name }, body: { ...(body as object), metadata: { ...metadata, name } } };
}

/** The step as the journal stores it: without the values of a Secret, unless they may be there. */
function recorded({ action, target, body }: ActionStep, keepSecrets: boolean): JournaledStep {
  const { verb } = action;
  const kept = {
    verb,
    ...(verb === 'patch' ? { patchType: action.patchType } : {}),
    ...(verb === 'delete' ? { body: action.body } : {}),
  } as ActionStep['action'];
  if (!hides({ target, body }, keepSecrets)) return { action: kept, target: slim(target), body };
  return { action: kept, target: slim(target), body: null, isPartial: true };
}

/** Whether values of a Secret are kept out of the journal. */
const hides = ({ target, body }: Pick<ActionStep, 'target' | 'body'>, keepSecrets = false) =>
  !keepSecrets && isSecretResource(target.type.gvr) && hasValues(body);

/** A digest of a value could be compared with those of guesses. Such an action is given up after a crash anyway. */
const withoutDigests = ({ before: _before, after: _after, ...effect }: StepEffect): StepEffect => effect;

const slim = ({ type: { gvr, kind, namespaced }, namespace, name }: ActionStep['target']) => ({
  type: { gvr, kind, namespaced },
  namespace,
  name,
});

/** Whether a body about a Secret can hold its values: also in a JSON patch, and in the annotation of kubectl apply. */
function hasValues(body: unknown): boolean {
  if (Array.isArray(body))
    return body.some(({ path }: { path?: unknown }) => !/^\/metadata\/(labels|finalizers)\b/.test(String(path)));
  const { data, stringData, metadata } = (body ?? {}) as { data?: unknown; stringData?: unknown; metadata?: object };
  return data !== undefined || stringData !== undefined || Object.hasOwn(metadata ?? {}, 'annotations');
}

/** The uid and version in the answer to a write: the object, or the Status of a deletion. */
function stateIn(answer: unknown): { uid?: string | undefined; resourceVersion?: string | undefined } {
  const { metadata, details } = Object(answer) as Partial<UnknownObject> & { details?: { uid?: string } };
  return { uid: metadata?.uid ?? details?.uid, resourceVersion: metadata?.resourceVersion };
}
