import { goJson } from '../../expr/go-text.ts';
import type { JsonPath } from '../../expr/jsonpath/jsonpath.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { whyUnprintable } from '../../stream/shown-object.ts';
import { cellText, neutralised, safeJson } from '../escape.ts';
import { type PrintedEvent, type PrintedObject, type Printer, qualifiedName } from '../printer.ts';
import { toYaml } from './yaml.ts';

export interface StructuredOptions {
  /** A terminal shows what is printed: what it would obey is escaped. Default false: the data, byte for byte. */
  readonly terminal?: boolean | undefined;
  /** The answer is one object asked for by name: it is printed by itself and not in a List, as kubectl does. */
  readonly single?: boolean | undefined;
}

/** Events one a line; an answer as a `v1` List, indented and sorted as kubectl's. */
export class JsonPrinter implements Printer {
  readonly #single: boolean;
  readonly #safe: (text: string) => string;

  constructor({ single = false, terminal = false }: StructuredOptions = {}) {
    this.#single = single;
    this.#safe = terminal ? safeJson : asIs;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `${this.#safe(jsonText(event))}\n`).join('');
  }

  marker(marker: Marker): string {
    return `${this.#safe(jsonText(marker))}\n`;
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let open = false;
    for (const { object } of answer) {
      const text = this.#safe(goJson(object, 4));
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

const asIs = (text: string) => text;

/** Events as documents that begin with `---` and end with `...`, so that a reader knows that each is whole; an answer as a `v1` List, sorted as kubectl's. */
export class YamlPrinter implements Printer {
  readonly #single: boolean;
  readonly #safe: (text: string) => string;

  constructor({ single = false, terminal = false }: StructuredOptions = {}) {
    this.#single = single;
    this.#safe = terminal ? neutralised : asIs;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `---\n${this.#safe(toYaml(event))}...\n`).join('');
  }

  marker(marker: Marker): string {
    return `---\n${this.#safe(toYaml(marker))}...\n`;
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let open = false;
    for (const { object } of answer) {
      if (this.#single) yield this.#safe(toYaml(object, { sorted: true }));
      else yield `${open ? '' : 'apiVersion: v1\nitems:\n'}${this.#safe(toYaml([object], { sorted: true }))}`;
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
  readonly #clean: (text: string) => string;

  constructor(path: JsonPath, { single = false, terminal = false }: StructuredOptions = {}) {
    this.#path = path;
    this.#single = single;
    this.#clean = terminal ? neutralised : asIs;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => (event.error === undefined ? endLine(this.#print(event.object)) : '')).join('');
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    if (this.#path.wantsList && !this.#single) yield this.#path.print(listOf(Array.from(answer, ({ object }) => object)), this.#clean);
    else
      for (const { object } of answer)
        if (whyUnprintable(object) === undefined) yield this.#single ? this.#print(object) : endLine(this.#print(object));
  }

  #print(object: ReadonlyObject): string {
    const wrap = this.#path.wantsList && !Object.hasOwn(object, 'items');
    return this.#path.print(wrap ? listOf([object]) : object, this.#clean);
  }
}

const listOf = (items: readonly ReadonlyObject[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });

const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
