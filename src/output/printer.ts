import { formatGroupResource, type GroupVersionResource } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { EventEnvelope } from '../stream/envelope.ts';
import type { Marker } from '../stream/markers.ts';

/** The part of a resource type that printing needs. */
export interface PrintedType {
  readonly gvr: GroupVersionResource;
  readonly kind: string;
  /** Whether its objects are in namespaces. Default true. */
  readonly namespaced?: boolean | undefined;
  /** The name of the cluster; absent where there is only one. */
  readonly cluster?: string | undefined;
}

export interface PrintedEvent {
  readonly event: EventEnvelope;
  readonly type: PrintedType;
}

export interface PrintedObject {
  readonly object: ReadonlyObject;
  readonly type: PrintedType;
}

/** A column that says where an object is. It is for objects of several places, and comes first. */
export interface PlaceColumn {
  readonly heading: string;
  cell(row: PrintedObject): string;
}

/**
 * One output format, for streams of events and for answers. It returns text and does not write it. The objects it gets
 * must be redacted. Use a printer for one stream or one answer, because it remembers its headings and widths.
 */
export interface Printer {
  /**
   * The text of events, in their order. The events of one batch share a layout, so pass an initial list as one batch.
   */
  events(batch: readonly PrintedEvent[]): string;
  /**
   * Keeps the events of an initial list until it is complete, in little memory. Their text is that of `events`.
   * Absent: keep the events themselves.
   */
  gathered?(): GatheredEvents | undefined;
  /** Lays out a stream for objects of one type that are not printed, whose changes may be. Absent: there is no layout. */
  layOutFor?(objects: Iterable<ReadonlyObject>, type: PrintedType): void;
  /** The text of a marker; '' in formats that print only values of objects. */
  marker(marker: Marker): string;
  /**
   * The text of an answer, in pieces that may be written one by one. The text of an empty answer may be empty. Some
   * formats go through the answer twice, so that they need not keep it.
   */
  objects(answer: Iterable<PrintedObject>): Iterable<string>;
  /** The text of an answer whose objects come one by one. Absent: the format has to see all of them first. */
  readonly answer?: (() => AnswerText) | undefined;
}

/** Events that are printed together. */
export interface GatheredEvents {
  /** Throws if the event cannot be printed; then it is left out. */
  add(event: PrintedEvent): void;
  /** The text of all of them, in pieces. */
  text(): Iterable<string>;
  /** Forgets all of them. Returns how many there were. */
  clear(): number;
}

/** An answer that is printed object by object. */
export interface AnswerText {
  /** The text of the next object; '' if it is left out. */
  add(item: PrintedObject): string;
  /** The text behind the last object. */
  end(): string;
}

/** The pieces of an answer that is printed object by object. */
export function* piecesOf(text: AnswerText, answer: Iterable<PrintedObject>): Iterable<string> {
  for (const item of answer) yield text.add(item);
  yield text.end();
}

/** `east pod/web-1`, of a type that names its cluster. The name itself of any other. */
export const nameInPlace = ({ cluster }: PrintedType, name: string): string =>
  cluster === undefined ? name : `${cluster} ${name}`;

/** `pod/web-1`, `deployment.apps/web`: a name that every command accepts. Source: cli-runtime printers NamePrinter. */
export function qualifiedName(name: string, type: PrintedType): string {
  return `${typeName(type)}/${name}`;
}

/** The name of a type in one word: `pod`, `deployment.apps`. */
export function typeName({ gvr, kind }: PrintedType): string {
  return formatGroupResource({ group: gvr.group, resource: kind.toLowerCase() });
}
