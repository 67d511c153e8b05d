import { goJson } from '../expr/go-text.ts';
import type { JsonPath } from '../expr/jsonpath.ts';
import { jsonText } from '../kit/exact-json.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { eventWordOf } from '../stream/envelope.ts';
import type { Marker } from '../stream/markers.ts';
import { whyUnprintable } from '../stream/shown-object.ts';
import { cellText, neutralised } from './escape.ts';
import { type PrintedEvent, type PrintedObject, type Printer, qualifiedName } from './printer.ts';
import { toYaml } from './yaml.ts';

export interface StructuredOptions {
  /** The answer is one object asked for by name: it is printed by itself and not in a List, as kubectl does. */
  readonly single?: boolean | undefined;
}

/** Events one a line; an answer as a `v1` List, indented and sorted as kubectl's. JSON escapes what could harm a terminal by itself. */
export class JsonPrinter implements Printer {
  readonly #single: boolean;

  constructor({ single = false }: StructuredOptions = {}) {
    this.#single = single;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `${safeJson(jsonText(event))}\n`).join('');
  }

  marker(marker: Marker): string {
    return `${safeJson(jsonText(marker))}\n`;
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let open = false;
    for (const { object } of answer) {
      const text = safeJson(goJson(object, 4));
      if (this.#single) yield `${text}\n`;
      else yield `${open ? ',' : LIST_HEAD}\n        ${text.replaceAll('\n', '\n        ')}`;
      open = true;
    }
    if (this.#single) return;
    yield open ? `\n    ]${LIST_TAIL}` : `${LIST_HEAD}]${LIST_TAIL}`;
  }
}

const LIST_HEAD = '{\n    "apiVersion": "v1",\n    "items": [';
const LIST_TAIL = ',\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';

/** JSON leaves DEL and C1 controls as they are, and terminals obey some of them; here they are escaped as the lower controls are. */
export function safeJson(text: string): string {
  return HIGH_CONTROL.test(text) ? text.replace(HIGH_CONTROLS, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : text;
}

const HIGH_CONTROL = /[\u007f-\u009f]/;
const HIGH_CONTROLS = /[\u007f-\u009f]/g;

/** Events as documents that begin with `---` and end with `...`, so that a reader knows that each is whole; an answer as a `v1` List, sorted as kubectl's. */
export class YamlPrinter implements Printer {
  readonly #single: boolean;

  constructor({ single = false }: StructuredOptions = {}) {
    this.#single = single;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `---\n${toYaml(event)}...\n`).join('');
  }

  marker(marker: Marker): string {
    return `---\n${toYaml(marker)}...\n`;
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let open = false;
    for (const { object } of answer) {
      if (this.#single) yield toYaml(object, { sorted: true });
      else yield `${open ? '' : 'apiVersion: v1\nitems:\n'}${toYaml([object], { sorted: true })}`;
      open = true;
    }
    if (this.#single) return;
    yield `${open ? '' : 'apiVersion: v1\nitems: []\n'}kind: List\nmetadata:\n  resourceVersion: ""\n`;
  }
}

/** `pod/web-1` a line; behind an object that is still there and only ceased to match stands `LEFT`. */
export class NamePrinter implements Printer {
  events(batch: readonly PrintedEvent[]): string {
    return batch
      .map(({ event, type }) => this.#line({ object: event.object, type }, eventWordOf(event) === 'LEFT' ? ' LEFT' : ''))
      .join('');
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    for (const item of answer) yield this.#line(item);
  }

  #line({ object, type }: PrintedObject, note = ''): string {
    return `${cellText(qualifiedName(object.metadata.name ?? '<unknown>', type))}${note}\n`;
  }
}

/**
 * A JSONPath template. One written for a List (it begins at `.items`) prints a List: the whole answer, or a List of the one object of an event.
 * Any other prints each object; each of a stream or of several then ends its line, so that outputs stay apart.
 * An object that cannot be printed is left out. Throws `argument` as {@link JsonPath.print} does.
 */
export class JsonPathPrinter implements Printer {
  readonly #path: JsonPath;
  readonly #single: boolean;

  constructor(path: JsonPath, { single = false }: StructuredOptions = {}) {
    this.#path = path;
    this.#single = single;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => (event.error === undefined ? endLine(this.#print(event.object)) : '')).join('');
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    if (this.#path.wantsList && !this.#single) yield this.#path.print(listOf(Array.from(answer, ({ object }) => object)), neutralised);
    else
      for (const { object } of answer)
        if (whyUnprintable(object) === undefined) yield this.#single ? this.#print(object) : endLine(this.#print(object));
  }

  #print(object: ReadonlyObject): string {
    const wrap = this.#path.wantsList && !Object.hasOwn(object, 'items');
    return this.#path.print(wrap ? listOf([object]) : object, neutralised);
  }
}

const listOf = (items: readonly ReadonlyObject[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });

const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
