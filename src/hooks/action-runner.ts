import type { FieldConflict } from '../controller/writes/apply-conflict.ts';
import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { jsonText } from '../kit/exact-json.ts';
import type { Logger } from '../kit/logger.ts';
import type { RandomSource } from '../kit/random.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import { joinKey, type ObjectKey, splitKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ActionClient, ActionMode, ActionResource } from './actions/action-client.ts';
import { type ActionStep, ActionSteps } from './actions/action-step.ts';
import type { ActionTarget, Subject, TargetType } from './actions/action-target.ts';
import { formatTarget } from './actions/action-target.ts';
import { type CheckedAction, checkAction } from './actions/check-action.ts';
import { sendAction } from './actions/send-action.ts';
import type { WriteBudget } from './actions/write-budget.ts';
import { unlimitedWrites } from './actions/write-budget.ts';
import type { ActionJournal } from './journal/action-journal.ts';
import { type CarryOut, JournaledActions } from './journal/journaled-actions.ts';
import type { Action, EventBody } from './reply.ts';

/** One action that was carried out, or that is only shown. */
export interface ActionOutcome {
  readonly mode: ActionMode;
  /** `update` comes only from a hook's client. */
  readonly verb: Action['verb'] | 'update';
  /** The key of the reconciled object; `onStartup` at startup. */
  readonly subject: string;
  readonly target: ActionTarget;
  /** The body that is sent, with redacted Secrets. */
  readonly body: unknown;
  /** With `dry-run`: the state before the action, if the object exists. */
  readonly before?: UnknownObject | undefined;
  /** The server's answer; undefined after a deletion. */
  readonly after?: UnknownObject | undefined;
  /** With `dry-run`: the fields of other managers that an apply takes over. */
  readonly conflicts?: readonly FieldConflict[] | undefined;
  /** With `dry-run`: why the server refuses the action. */
  readonly refusal?: string | undefined;
  /** With `dry-run`: why the server was not asked. */
  readonly unchecked?: string | undefined;
}

/** Redacts an object, also what it has from `states`, which are other states of the same object. */
export type RedactStates = <T extends object>(object: T, gvr: GroupVersionResource, states?: readonly object[]) => T;

export interface ActionRunnerOptions {
  client: ActionClient;
  mode: ActionMode;
  /** The reconciled type. */
  primary: TargetType;
  /** Returns all types of the server. Called only for actions on another type. */
  types: () => Promise<readonly TargetType[]>;
  /**
   * Called with every action except `log`. With `dry-run` it is called at the end of a list, once for each object with
   * all actions about it. Else it is called after each action.
   */
  report?: ((outcomes: readonly ActionOutcome[]) => void) | undefined;
  /** Applied to bodies and states before they are reported. */
  redact?: RedactStates | undefined;
  budget?: WriteBudget | undefined;
  /** With `write`: makes the actions of a run survive a crash. */
  journal?: ActionJournal | undefined;
  /** Whether the hook may see the values of Secrets, and the journal may hold them. */
  maySeeSecrets?: boolean | undefined;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
}

export interface ActionContext {
  signal: AbortSignal;
  logger: Logger;
  /** The same actions follow from the state of the object at any time, so that the journal does not need them. */
  isDerived?: boolean | undefined;
}

/**
 * Carries out the actions of hooks, in their order.
 *
 * Promises
 * - Nothing is sent before every action is found to name an object of a known type. With `describe` nothing is sent at
 *   all.
 * - Each write counts against the budget, and is retried on a conflict. The deletion of a missing object succeeds.
 * - After a failure no further action is carried out. The error names the action.
 *
 * Does not promise all or nothing: actions before a failure stay done. So hooks have to be idempotent. A dry run checks
 * each action against the stored objects, without the actions before it.
 */
export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #steps: ActionSteps;
  readonly #budget: WriteBudget;
  readonly #journaled: JournaledActions | undefined;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
    this.#steps = new ActionSteps({
      ...options,
      clock: options.clock ?? systemClock,
      areSent: options.mode === 'write',
    });
    this.#budget = options.budget ?? unlimitedWrites;
    const { journal, primary, maySeeSecrets: keepSecrets, clock } = options;
    const resource = ({ type, namespace }: Pick<ActionTarget, 'type' | 'namespace'>) =>
      options.client.resource(type.gvr, { namespace });
    this.#journaled = journal && new JournaledActions({ journal, primary, resource, keepSecrets, clock });
  }

  get mode(): ActionMode {
    return this.#options.mode;
  }

  async run(actions: readonly Action[], subject: Subject, context: ActionContext): Promise<void> {
    const steps: ActionStep[] = [];
    for (const action of actions) {
      if (action.verb === 'log') context.logger[action.body.level](action.body.message, action.body.fields);
      else steps.push(await this.#steps.stepOf(action, subject));
    }
    if (this.mode === 'dry-run') return await this.#checkAll(steps, subject, context);
    if (this.mode === 'write' && this.#journaled && !context.isDerived && steps.length > 0) {
      const run = { key: keyOf(subject), uid: subject.object?.metadata.uid ?? null };
      return await this.#journaled.run(steps, run, this.#carrier(subject, context), context.signal);
    }
    const carryOut = this.#carrier(subject, context);
    for (const step of steps) await carryOut(step, () => this.#send(step, context.signal));
  }

  /** Whether the journal has actions of earlier runs for a key. */
  hasUnfinished(key: ObjectKey): boolean {
    return (this.#options.journal?.unfinished(key).length ?? 0) > 0;
  }

  /**
   * Carries out what earlier runs left in the journal; for all keys, or for one. What is not carried out any more is
   * logged with its reason. Rejects with the first failure: then the rest is still in the journal, except of a run that
   * the server refused.
   */
  async resume(context: ActionContext, key?: ObjectKey): Promise<void> {
    for (const run of this.#options.journal?.unfinished(key) ?? []) {
      const carryOut = this.#carrier({ ...splitKey(run.key), object: null }, context);
      const onDropped = (what: string, why: string) =>
        context.logger.warn(`the journal gives up ${what}: ${why}`, { key: run.key });
      await this.#journaled?.resume(run, carryOut, onDropped, context.signal);
    }
  }

  #carrier(subject: Subject, context: ActionContext): CarryOut {
    return (step, send) => this.#named(step, context, () => this.#carryOut(step, subject, context, send));
  }

  #send(step: ActionStep, signal: AbortSignal): Promise<unknown> {
    return this.mode === 'describe'
      ? Promise.resolve(undefined)
      : sendAction(this.#resource(step), step, this.#calls(signal));
  }

  async #carryOut(
    step: ActionStep,
    subject: Subject,
    { signal, logger }: ActionContext,
    send: () => Promise<unknown>,
  ): Promise<void> {
    const { mode } = this.#options;
    if (mode === 'write') await this.#budget.take(signal, keyOf(subject));
    const answer = await send();
    const after = step.action.verb === 'delete' ? undefined : (answer as UnknownObject | undefined);
    logger.debug('action', { verb: step.action.verb, target: formatTarget(step.target), mode });
    this.#options.report?.([this.#outcome(step, subject, { after })]);
  }

  /** Sends the actions as dry runs, up to the first that is refused. */
  async #checkAll(steps: readonly ActionStep[], subject: Subject, context: ActionContext): Promise<void> {
    const outcomes: ActionOutcome[] = [];
    try {
      for (const step of steps) {
        const unchecked = whyUnchecked(step, outcomes);
        if (unchecked !== undefined) {
          outcomes.push(this.#outcome(step, subject, { unchecked }));
          continue;
        }
        const check = () => checkAction(this.#resource(step), step, this.#calls(context.signal));
        const checked = await this.#named(step, context, check, (refusal) =>
          outcomes.push(this.#outcome(step, subject, { refusal })),
        );
        outcomes.push(this.#outcome(step, subject, checked));
      }
    } finally {
      for (const group of Map.groupBy(outcomes, ({ target }) => formatTarget(target)).values())
        this.#options.report?.(group);
    }
  }

  /** Carries out a step. An error of it names the action. */
  async #named<T>(
    { action, target }: ActionStep,
    { signal }: ActionContext,
    carryOut: () => Promise<T>,
    onError: (message: string) => void = () => {},
  ): Promise<T> {
    try {
      return await carryOut();
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw error;
      onError(messageOf(error));
      throw new InformerError('hook', `${action.verb} ${formatTarget(target)}: ${messageOf(error)}`, { cause: error });
    }
  }

  #calls(signal: AbortSignal) {
    const { clock, random } = this.#options;
    return { clock, random, signal };
  }

  #resource({ target: { type, namespace } }: ActionStep): ActionResource {
    return this.#options.client.resource(type.gvr, { namespace });
  }

  #outcome(
    { action, target, body }: ActionStep,
    subject: Subject,
    { before, after, ...more }: Partial<CheckedAction> & Pick<ActionOutcome, 'refusal' | 'unchecked'>,
  ): ActionOutcome {
    const { mode, redact = <T>(object: T) => object } = this.#options;
    const { gvr } = target.type;
    const states = [before, after].filter((state) => state !== undefined);
    return {
      mode,
      verb: action.verb,
      subject: keyOf(subject) || 'onStartup',
      target,
      body: Array.isArray(body)
        ? body.map((operation) => redactedOperation(operation, (o) => redact(o, gvr)))
        : redact(body as object, gvr),
      before: before && redact(before, gvr, states),
      after: after && redact(after, gvr, states),
      ...more,
    };
  }
}

const keyOf = ({ namespace, name }: Subject): ObjectKey => joinKey(namespace, name);

/**
 * Why a dry run cannot check a step: an earlier step of the list makes its object or deletes it, and the server does
 * not store that.
 */
function whyUnchecked({ action: { verb }, target }: ActionStep, earlier: readonly ActionOutcome[]): string | undefined {
  if (target.name === '' || verb === 'event') return undefined;
  const same = earlier.filter((outcome) => formatTarget(outcome.target) === formatTarget(target));
  const [first] = same;
  if (same.some((outcome) => outcome.verb === 'delete' && outcome.before !== undefined))
    return 'an earlier action of this run deletes the object';
  const isNew = first !== undefined && first.before === undefined && first.after !== undefined;
  return isNew && verb !== 'apply' ? 'an earlier action of this run creates the object' : undefined;
}

/** An operation of a JSON patch for output. Its value is redacted as the values of a Secret are. */
function redactedOperation(
  operation: object,
  redact: (object: { data: Record<string, string> }) => { data: Record<string, string> },
): object {
  const { value } = operation as { value?: unknown };
  if (value === undefined) return operation;
  const text = typeof value === 'string' ? value : jsonText(value);
  const mark = redact({ data: { text } }).data.text;
  return mark === text ? operation : { ...operation, value: mark };
}

/** An action as one line for people, an Event by what it says: `patch apps/v1/deployments shop/web {"spec":{"replicas":3}}`. */
export function describeAction({ verb, target, body }: ActionOutcome): string {
  const shown = verb === 'event' ? saidByEvent(body as EventBody) : body;
  const isEmpty = typeof shown === 'object' && shown !== null && Object.keys(shown).length === 0;
  return `${verb} ${formatTarget(target)}${isEmpty ? '' : ` ${jsonText(shown)}`}`;
}

/** The fields of an Event that the hook gave, without those that are filled in. */
const saidByEvent = ({ type, reason, message }: EventBody): EventBody => ({ type, reason, message });
