import { createHash } from 'node:crypto';
import type { DeepReadonly } from '../../model/object.ts';

/** The object that an Event is about. Source: core/v1 ObjectReference. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** An Event as it is written. Source: core/v1 Event. */
export interface KubeEvent {
  apiVersion: 'v1';
  kind: 'Event';
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  involvedObject: ObjectReference;
  type: RecordedType;
  reason: string;
  message: string;
  source: { component: string; host?: string };
  reportingComponent: string;
  reportingInstance: string;
  firstTimestamp: string;
  lastTimestamp: string;
  count: number;
}

/** `Warning` for what may need attention, `Normal` for everything else. The server accepts no other types. */
export type RecordedType = 'Normal' | 'Warning';

/** An object that Events can be about. Any object that was read with its type fits. */
export type EventSubject = DeepReadonly<{
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?:
    | {
        name?: string | undefined;
        namespace?: string | undefined;
        uid?: string | undefined;
        resourceVersion?: string | undefined;
      }
    | undefined;
}>;

/** An {@link EventSubject} that an Event can refer to. */
export type NamedSubject = EventSubject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
};

/** Whether an object has its apiVersion, kind and name. */
export function isSubject(object: EventSubject): object is NamedSubject {
  return Boolean(object?.apiVersion && object.kind && object.metadata?.name);
}

/** The reference to an object. Source: client-go tools/reference. */
export function referenceTo(object: NamedSubject, fieldPath?: string): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}

/**
 * The name of an Event: that of its object and the time, ns since 1970. An object's name that cannot be a part of an
 * Event's name, such as `system:node`, is replaced by a digest. Source: client-go util.GenerateEventName.
 */
export function eventName(objectName: string, unixNanos: bigint): string {
  const name = `${objectName}.${unixNanos.toString(16)}`;
  if (name.length <= 253 && SUBDOMAIN.test(name)) return name;
  return `${createHash('sha256').update(objectName).digest('hex').slice(0, 32)}.${unixNanos.toString(16)}`;
}

/** Source: apimachinery util/validation IsDNS1123Subdomain. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
