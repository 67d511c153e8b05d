import { formatGroupResource, type GroupVersionResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { EventEnvelope } from '../stream/envelope.ts';
import type { Marker } from '../stream/markers.ts';

/** As much of a resource type as printing needs. */
export interface PrintedType {
  readonly gvr: GroupVersionResource;
  readonly kind: string;
  /** False: its objects are in no namespace. */
  readonly namespaced?: boolean | undefined;
}

export interface PrintedEvent {
  readonly event: EventEnvelope;
  readonly type: PrintedType;
}

export interface PrintedObject {
  readonly object: ReadonlyObject;
  readonly type: PrintedType;
}

/**
 * One output format, for streams of events and for whole answers alike. It makes text and writes none; what it gets is redacted already.
 * A printer serves one stream or one answer: it remembers what headings and widths it has used.
 */
export interface Printer {
  /** The text of events in their order. What is given together is laid out together, so an initial state should come as one batch. */
  events(batch: readonly PrintedEvent[]): string;
  /** The text of a record that is no event; '' in formats that show nothing but what was asked of each object. */
  marker(marker: Marker): string;
  /** The text of a whole answer, in pieces that may be written one by one. An empty answer may be no text. */
  objects(answer: Iterable<PrintedObject>): Iterable<string>;
}

/** `pod/web-1`, `deployment.apps/web`: the name that every command takes. Source: cli-runtime printers NamePrinter. */
export function qualifiedName(name: string, type: PrintedType): string {
  return `${typeName(type)}/${name}`;
}

/** `pod`, `deployment.apps`: one word for a type. */
export function typeName({ gvr, kind }: PrintedType): string {
  return formatGroupResource({ group: gvr.group, resource: kind.toLowerCase() });
}
