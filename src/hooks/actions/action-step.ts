import { EventCorrelator } from '../../controller/events/event-correlator.ts';
import { eventName, type KubeEvent } from '../../controller/events/kube-event.ts';
import { TerminalError } from '../../controller/reconciler.ts';
import { setControllerReference } from '../../controller/writes/owner-references.ts';
import type { Clock } from '../../kit/clock.ts';
import { isTooDeep, TOO_DEEP } from '../../kit/depth.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Action, Body, EventBody } from '../reply.ts';
import { FIELD_MANAGER } from './action-client.ts';
import type { ActionTarget, Subject, TargetResolverOptions, TargetType } from './action-target.ts';
import { formatTarget, TargetResolver } from './action-target.ts';
import { checkSecretBody } from './secret-body.ts';

/** An action of a hook, checked, with its target and what is sent. */
export interface ActionStep {
  readonly action: Exclude<Action, { verb: 'log' }>;
  readonly target: ActionTarget;
  /** The body that is sent. An Event whose `count` is above 1 was written before: it is patched. */
  readonly body: unknown;
}

export interface ActionStepsOptions extends TargetResolverOptions {
  clock: Clock;
  /** Whether the hook may see the values of Secrets. */
  maySeeSecrets?: boolean | undefined;
  /** Whether the steps are carried out. Only then repeated Events are counted. */
  areSent?: boolean | undefined;
}

/** Makes steps of the actions in a reply. Sends nothing but the requests that find a resource type. */
export class ActionSteps {
  readonly #options: ActionStepsOptions;
  readonly #resolver: TargetResolver;
  readonly #counts: EventCorrelator;
  #events = 0n;

  constructor(options: ActionStepsOptions) {
    this.#options = options;
    this.#counts = new EventCorrelator(options.clock);
    this.#resolver = new TargetResolver(options);
  }

  /** Rejects with `hook` for an action without a clear target, and for one that {@link checkSecretBody} refuses. */
  async stepOf(action: ActionStep['action'], subject: Subject): Promise<ActionStep> {
    const target = await this.#resolver.resolve(action, subject);
    refuseTooDeep(action, target);
    if (action.verb === 'event')
      return { action, target: eventTarget(target), body: this.#eventOf(action.body, target, subject) };
    if (action.verb === 'status') return { action, target, body: { status: action.body } };
    if (action.verb === 'apply' || action.verb === 'create')
      return { action, target, body: this.#objectOf(action, target, subject) };
    checkSecretBody(action.body, target.type.gvr, this.#options);
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
    checkSecretBody(object, target.type.gvr);
    if (action.own) setControllerReference(this.#ownerOf(action.verb, subject), object);
    return object;
  }

  #ownerOf(verb: string, { object }: Subject): KubeObject {
    if (!object)
      throw new InformerError('hook', `the action ${verb} cannot set an owner: the reconciled object does not exist`);
    const { gvr, kind } = this.#options.primary;
    return { apiVersion: formatGroupVersion(gvr), kind, metadata: object.metadata as KubeObject['metadata'] };
  }

  /** A core/v1 Event about the target. Equal ones of this process are one Event, which is counted. */
  #eventOf({ type, reason, message }: EventBody, target: ActionTarget, subject: Subject): KubeEvent {
    const now = this.#options.clock.now();
    const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    const namespace = target.namespace ?? 'default';
    const unique = BigInt(Math.trunc(now)) * 1_000_000n + (this.#events++ % 1_000_000n);
    const uid = target.name === subject.name ? subject.object?.metadata.uid : undefined;
    const event: KubeEvent = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventName(target.name, unique), namespace },
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
      reportingComponent: FIELD_MANAGER,
      reportingInstance: '',
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
    return this.#options.areSent ? this.#counts.counted(event).event : event;
  }
}

const EVENTS: TargetType = { gvr: { group: '', version: 'v1', resource: 'events' }, kind: 'Event', namespaced: true };

function eventTarget({ namespace, name }: ActionTarget): ActionTarget {
  return { type: EVENTS, namespace: namespace ?? 'default', name };
}

/** Parks the key of an action whose body is nested too deep to be written or shown: no retry can succeed. */
function refuseTooDeep({ verb, body }: ActionStep['action'], target: ActionTarget): void {
  if (!isTooDeep(body)) return;
  throw new TerminalError(
    new InformerError('hook', `the body of ${verb} ${formatTarget(target)} cannot be sent: ${TOO_DEEP}`),
  );
}
