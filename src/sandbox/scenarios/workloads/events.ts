import type { ObjectMeta } from '../../../model/object.ts';
import type { Actor } from './actor.ts';

/** The most events that are kept. The oldest are deleted first, so that a demo that runs for days does not grow. */
const KEPT = 300;

/** The object that an event is about. */
interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Creates Events as controllers do, and deletes old ones. */
export class ScenarioEvents {
  readonly #actor: Actor;
  readonly #names: ObjectMeta[] = [];

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  record(
    { apiVersion, kind, metadata }: Subject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    component: string,
  ): void {
    const { name = '', namespace = 'default', uid, resourceVersion } = metadata;
    const now = this.#actor.timestamp;
    const meta = { name: `${name}.${hex(this.#actor)}`, namespace };
    const event = {
      kind: 'Event',
      metadata: meta,
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
    if (!this.#actor.create(event, component)) return;
    this.#names.push(meta);
    const oldest = this.#names.length > KEPT ? this.#names.shift() : undefined;
    if (oldest) this.#actor.delete('Event', oldest);
  }
}

function hex({ random }: Actor): string {
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
}
