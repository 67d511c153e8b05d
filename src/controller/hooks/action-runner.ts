import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { isTooDeep, TOO_DEEP } from '../../kit/depth.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Random } from '../../kit/random.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { KubeObject, UnknownObject } from '../../model/object.ts';
import { isNotFound } from '../../model/status.ts';
import type { PatchKind } from '../../model/write-body.ts';
import { setControllerReference } from '../owner-references.ts';
import { TerminalError } from '../reconciler.ts';
import { retryOnConflict } from '../retry.ts';
import type { ActionTarget, Subject, TargetType } from './action-target.ts';
import { formatTarget, TargetResolver } from './action-target.ts';
import type { Action, Body, EventBody } from './reply.ts';
import { type OnWrite, storedWrite } from './stored-write.ts';
import type { WriteBudget } from './write-budget.ts';
import { unlimitedWrites } from './write-budget.ts';

/** The field manager of all writes, as the server records it in managedFields. */
export const FIELD_MANAGER = 'kubectl-informer';

export interface ActionWriteOptions {
  signal?: AbortSignal | undefined;
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  subresource?: string | undefined;
}

export interface ActionPatchOptions<P extends PatchKind = PatchKind> extends ActionWriteOptions {
  type: P;
  /** With `apply`: whether fields of other managers are taken over. */
  force?: boolean | undefined;
}

/** The part of a client for one resource type that actions need. A ResourceApi fits. */
export interface ActionResource {
  get(name: string, options?: { signal?: AbortSignal | undefined }): Promise<UnknownObject>;
  create(object: object, options?: ActionWriteOptions): Promise<UnknownObject>;
  patch(name: string, body: unknown, options: ActionPatchOptions): Promise<UnknownObject>;
  delete(name: string, options?: { signal?: AbortSignal | undefined; dryRun?: boolean | undefined }): Promise<unknown>;
}

/** The part of a client that actions need. A Client fits. */
export interface ActionClient {
  resource(gvr: GroupVersionResource, options: { namespace?: string | undefined }): ActionResource;
}

/** `describe` sends nothing. `dry-run` sends writes that the server does not store. `write` writes. */
export type ActionMode = 'describe' | 'dry-run' | 'write';

/** One action that was carried out, or that is only shown. */
export interface ActionOutcome {
  readonly mode: ActionMode;
  readonly verb: Action['verb'];
  /** The key of the reconciled object. */
  readonly subject: string;
  readonly target: ActionTarget;
  /** The body that is sent, with redacted Secrets. */
  readonly body: unknown;
  /** With `dry-run`: the state before the action, if the object exists. */
  readonly before?: UnknownObject | undefined;
  /** The server's answer. Its resourceVersion identifies the program's own writes later. */
  readonly after?: UnknownObject | undefined;
}

export interface ActionRunnerOptions {
  client: ActionClient;
  mode: ActionMode;
  /** The reconciled type. */
  primary: TargetType;
  /** Returns all types of the server. Called only for actions on another type. */
  types: () => Promise<readonly TargetType[]>;
  /** Called with every action except `log`. */
  report?: ((outcome: ActionOutcome) => void) | undefined;
  /** Applied to bodies and states before they are reported. */
  redact?: (<T extends object>(object: T, gvr: GroupVersionResource) => T) | undefined;
  budget?: WriteBudget | undefined;
  onWrite?: OnWrite | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

export interface ActionContext {
  signal: AbortSignal;
  logger: Logger;
}

interface Step {
  readonly action: Exclude<Action, { verb: 'log' }>;
  readonly target: ActionTarget;
  /** The body that is sent. */
  readonly body: unknown;
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
 * Does not promise all or nothing: actions before a failure stay done. So hooks have to be idempotent.
 */
export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #resolver: TargetResolver;
  readonly #budget: WriteBudget;
  readonly #clock: Clock;
  #events = 0;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
    this.#resolver = new TargetResolver(options);
    this.#budget = options.budget ?? unlimitedWrites;
    this.#clock = options.clock ?? systemClock;
  }

  get mode(): ActionMode {
    return this.#options.mode;
  }

  async run(actions: readonly Action[], subject: Subject, context: ActionContext): Promise<void> {
    const steps: Step[] = [];
    for (const action of actions) {
      if (action.verb === 'log') context.logger[action.body.level](action.body.message, action.body.fields);
      else steps.push(await this.#prepare(action, subject));
    }
    for (const step of steps) await this.#carryOut(step, subject, context);
  }

  async #prepare(action: Step['action'], subject: Subject): Promise<Step> {
    const target = await this.#resolver.resolve(action, subject);
    refuseTooDeep(action, target);
    if (action.verb === 'event')
      return { action, target: eventTarget(target), body: this.#eventOf(action.body, target, subject) };
    if (action.verb === 'status') return { action, target, body: { status: action.body } };
    if (action.verb === 'apply' || action.verb === 'create')
      return { action, target, body: this.#objectOf(action, target, subject) };
    refuseRedacted(action.body, target.type.gvr);
    return { action, target, body: action.body };
  }

  /** The object to send: the body with its type and name, and without managedFields, which only a server writes. */
  #objectOf(action: { body: Body; own: boolean; verb: string }, target: ActionTarget, subject: Subject): KubeObject {
    const { managedFields: _, ...metadata } = (action.body.metadata ?? {}) as KubeObject['metadata'];
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = action.body;
    const object: KubeObject = {
      apiVersion: formatGroupVersion(target.type.gvr),
      kind: target.type.kind,
      metadata: {
        ...metadata,
        ...(target.name === '' ? {} : { name: target.name }),
        ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      },
      ...rest,
    };
    refuseRedacted(object, target.type.gvr);
    if (action.own) setControllerReference(this.#ownerOf(action.verb, subject), object);
    return object;
  }

  #ownerOf(verb: string, { object }: Subject): KubeObject {
    if (!object)
      throw new InformerError('hook', `the action ${verb} cannot set an owner: the reconciled object does not exist`);
    const { gvr, kind } = this.#options.primary;
    return { apiVersion: formatGroupVersion(gvr), kind, metadata: object.metadata as KubeObject['metadata'] };
  }

  async #carryOut(step: Step, subject: Subject, { signal, logger }: ActionContext): Promise<void> {
    const { mode } = this.#options;
    try {
      const before = mode === 'dry-run' ? await this.#before(step, signal) : undefined;
      if (mode === 'write') await this.#budget.take(signal);
      const answer = mode === 'describe' ? undefined : await this.#send(step, signal);
      if (mode === 'write' && answer !== undefined) this.#written(step, answer);
      const after = step.action.verb === 'delete' ? undefined : (answer as UnknownObject | undefined);
      logger.debug('action', { verb: step.action.verb, target: formatTarget(step.target), mode });
      this.#report(step, subject, before, after);
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw error;
      throw new InformerError('hook', `${step.action.verb} ${formatTarget(step.target)}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  #before({ action, target }: Step, signal: AbortSignal): Promise<UnknownObject | undefined> {
    if (action.verb === 'event' || target.name === '') return Promise.resolve(undefined);
    return this.#resource(target).get(target.name, { signal }).catch(ignoreNotFound);
  }

  #written({ target }: Step, answer: unknown): void {
    this.#options.onWrite?.(storedWrite(target.type.gvr, target, answer));
  }

  /** Resolves with the server's answer; undefined for the deletion of a missing object. */
  #send({ action, target, body }: Step, signal: AbortSignal): Promise<unknown> {
    const resource = this.#resource(target);
    const options = { signal, dryRun: this.#options.mode === 'dry-run', fieldManager: FIELD_MANAGER };
    const { clock, random } = this.#options;
    const once = async (): Promise<unknown> => {
      switch (action.verb) {
        case 'apply':
          return resource.patch(target.name, body, { ...options, type: 'apply', force: true });
        case 'create':
        case 'event':
          return resource.create(body as object, options);
        case 'patch':
          return resource.patch(target.name, body, { ...options, type: action.patchType });
        case 'status':
          return resource.patch(target.name, body, { ...options, type: 'merge', subresource: 'status' });
        case 'delete':
          return resource.delete(target.name, { ...action.body, signal, dryRun: options.dryRun }).catch(ignoreNotFound);
      }
    };
    return retryOnConflict(once, { clock, random, signal });
  }

  #resource({ type, namespace }: ActionTarget): ActionResource {
    return this.#options.client.resource(type.gvr, { namespace });
  }

  #report(
    { action, target, body }: Step,
    subject: Subject,
    before: UnknownObject | undefined,
    after: UnknownObject | undefined,
  ): void {
    const { report, mode, redact = <T>(object: T) => object } = this.#options;
    const { gvr } = target.type;
    report?.({
      mode,
      verb: action.verb,
      subject: subject.namespace === '' ? subject.name : `${subject.namespace}/${subject.name}`,
      target,
      body: Array.isArray(body)
        ? body.map((operation) => redactedOperation(operation, (o) => redact(o, gvr)))
        : redact(body as object, gvr),
      before: before && redact(before, gvr),
      after: after && redact(after, gvr),
    });
  }

  /** A core/v1 Event about the target, without aggregation. Source: client-go tools/record. */
  #eventOf({ type, reason, message }: EventBody, target: ActionTarget, subject: Subject): object {
    const now = this.#clock.now();
    const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    const namespace = target.namespace ?? 'default';
    const unique = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(this.#events++)).toString(16);
    const uid = target.name === subject.name ? subject.object?.metadata.uid : undefined;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${target.name}.${unique}`, namespace },
      involvedObject: {
        apiVersion: formatGroupVersion(target.type.gvr),
        kind: target.type.kind,
        name: target.name,
        ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
      type,
      reason,
      message,
      source: { component: FIELD_MANAGER },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
  }
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

/** An action as one line for people: `patch apps/v1/deployments shop/web {"spec":{"replicas":3}}`. */
export function describeAction({ verb, target, body }: ActionOutcome): string {
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
  return `${verb} ${formatTarget(target)}${isEmpty ? '' : ` ${jsonText(body)}`}`;
}

const EVENTS: TargetType = { gvr: { group: '', version: 'v1', resource: 'events' }, kind: 'Event', namespaced: true };

function eventTarget({ namespace, name }: ActionTarget): ActionTarget {
  return { type: EVENTS, namespace: namespace ?? 'default', name };
}

/** Parks the key of an action whose body is nested too deep to be written or shown: no retry can succeed. */
function refuseTooDeep({ verb, body }: Step['action'], target: ActionTarget): void {
  if (!isTooDeep(body)) return;
  throw new TerminalError(
    new InformerError('hook', `the body of ${verb} ${formatTarget(target)} cannot be sent: ${TOO_DEEP}`),
  );
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/**
 * Throws `hook` for a body that would write digests into a Secret. Hooks get the values of Secrets as digests, so a
 * hook that returns a whole Secret would overwrite the values with them.
 */
export function refuseRedacted(body: unknown, { group, resource }: GroupVersionResource): void {
  if (group !== '' || resource !== 'secrets' || !/"hmac:[0-9a-f]{8}"/.test(jsonText(body))) return;
  throw new InformerError('hook', 'this would write redacted values into a Secret', {
    hint: 'send only the fields that are to change, or run with --show-secrets',
  });
}
