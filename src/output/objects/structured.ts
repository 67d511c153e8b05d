import { goJson } from '../../expr/go-text.ts';
import type { JsonPath } from '../../expr/jsonpath/jsonpath.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { whyUnprintable } from '../../stream/shown-object.ts';
import { cellText, neutralised, safeJson } from '../escape.ts';
import {
  type AnswerText,
  nameInPlace,
  type PrintedEvent,
  type PrintedObject,
  type Printer,
  piecesOf,
  qualifiedName,
} from '../printer.ts';
import { toYaml } from './yaml.ts';

export interface StructuredOptions {
  /** Escapes control sequences, for output to a terminal. Default false: the data are printed byte for byte. */
  readonly terminal?: boolean | undefined;
  /** The answer is one object that was requested by name. It is printed alone, not in a List, as kubectl does. */
  readonly single?: boolean | undefined;
}

/** Prints each event on one line, and an answer as a `v1` List, indented and sorted as kubectl does. */
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

  objects(answer: Iterable<PrintedObject>): Iterable<string> {
    return piecesOf(this.answer(), answer);
  }

  answer(): AnswerText {
    let open = false;
    return {
      add: ({ object }) => {
        const text = this.#safe(goJson(object, 4));
        if (this.#single) return `${text}\n`;
        const before = open ? ',' : LIST_HEAD;
        open = true;
        return `${before}\n        ${text.replaceAll('\n', '\n        ')}`;
      },
      end: () => (this.#single ? '' : `${open ? '\n    ' : LIST_HEAD}]${LIST_TAIL}`),
    };
  }
}

export const jsonList = (records: readonly object[], { terminal, indent }: { terminal: boolean; indent?: number }) =>
  (terminal ? safeJson : asIs)(`${goJson(records, indent)}\n`);

/** Records as JSON, one a line. */
export const ndjsonList = (records: readonly object[], { terminal }: { terminal: boolean }) =>
  (terminal ? safeJson : asIs)(records.map((record) => `${goJson(record)}\n`).join(''));

export const yamlList = (records: readonly object[]) => toYaml(records);

const LIST_HEAD = '{\n    "apiVersion": "v1",\n    "items": [';
const LIST_TAIL = ',\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';

const asIs = (text: string) => text;

/** Prints each event, and each object of an answer, as JSON on a line of its own. */
export class NdjsonPrinter implements Printer {
  readonly #safe: (text: string) => string;

  constructor({ terminal = false }: StructuredOptions = {}) {
    this.#safe = terminal ? safeJson : asIs;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => this.#line(event)).join('');
  }

  marker(marker: Marker): string {
    return this.#line(marker);
  }

  objects(answer: Iterable<PrintedObject>): Iterable<string> {
    return piecesOf(this.answer(), answer);
  }

  answer(): AnswerText {
    return { add: ({ object }) => `${this.#safe(goJson(object))}\n`, end: () => '' };
  }

  #line(value: unknown): string {
    return `${this.#safe(jsonText(value))}\n`;
  }
}

/**
 * Prints each event as a document between `---` and `...`, so that a reader can see that it is complete, and an answer
 * as a `v1` List, sorted as kubectl does.
 */
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

  objects(answer: Iterable<PrintedObject>): Iterable<string> {
    return piecesOf(this.answer(), answer);
  }

  answer(): AnswerText {
    let open = false;
    return {
      add: ({ object }) => {
        if (this.#single) return this.#safe(toYaml(object, { sorted: true }));
        const before = open ? '' : 'apiVersion: v1\nitems:\n';
        open = true;
        return `${before}${this.#safe(toYaml([object], { sorted: true }))}`;
      },
      end: () => {
        const before = open ? '' : 'apiVersion: v1\nitems: []\n';
        return this.#single ? '' : `${before}kind: List\nmetadata:\n  resourceVersion: ""\n`;
      },
    };
  }
}

/**
 * Prints one `pod/web-1` per line. If the object still exists and only stopped matching, the line ends with `LEFT`.
 */
export class NamePrinter implements Printer {
  events(batch: readonly PrintedEvent[]): string {
    return batch
      .map(({ event, type }) =>
        this.#line({ object: event.object, type }, eventWordOf(event) === 'LEFT' ? ' LEFT' : ''),
      )
      .join('');
  }

  marker(): string {
    return '';
  }

  objects(answer: Iterable<PrintedObject>): Iterable<string> {
    return piecesOf(this.answer(), answer);
  }

  answer(): AnswerText {
    return { add: (item) => this.#line(item), end: () => '' };
  }

  #line({ object, type }: PrintedObject, note = ''): string {
    return `${cellText(nameInPlace(type, qualifiedName(object.metadata.name ?? '<unknown>', type)))}${note}\n`;
  }
}

export interface JsonPathOptions extends StructuredOptions {
  /** Each `{}` of the template is a JSON list of its values: `-o jsonpath-as-json`. */
  readonly asJson?: boolean | undefined;
}

/**
 * Prints by a JSONPath template. A template that starts at `.items` is for a List: it gets the answer as a List, or a
 * List with the one object of an event. Any other template gets each object. In a stream, and for several objects, each
 * output ends with a newline. An object that cannot be printed is left out. Throws `argument` as {@link JsonPath.print}
 * does.
 */
export class JsonPathPrinter implements Printer {
  readonly #path: JsonPath;
  readonly #single: boolean;
  readonly #textOf: (object: unknown) => string;

  constructor(path: JsonPath, { single = false, terminal = false, asJson = false }: JsonPathOptions = {}) {
    this.#path = path;
    this.#single = single;
    const [clean, safe] = terminal ? [neutralised, safeJson] : [asIs, asIs];
    this.#textOf = asJson ? (object) => safe(path.printJson(object)) : (object) => path.print(object, clean);
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => (event.error === undefined ? endLine(this.#print(event.object)) : '')).join('');
  }

  marker(): string {
    return '';
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    if (this.#path.wantsList && !this.#single) yield this.#textOf(listOf(Array.from(answer, ({ object }) => object)));
    else yield* piecesOf(this.#objectByObject, answer);
  }

  get answer(): (() => AnswerText) | undefined {
    return this.#path.wantsList && !this.#single ? undefined : () => this.#objectByObject;
  }

  get #objectByObject(): AnswerText {
    const add = ({ object }: PrintedObject) => {
      if (whyUnprintable(object) !== undefined) return '';
      return this.#single ? this.#print(object) : endLine(this.#print(object));
    };
    return { add, end: () => '' };
  }

  #print(object: ReadonlyObject): string {
    const wrap = this.#path.wantsList && !Object.hasOwn(object, 'items');
    return this.#textOf(wrap ? listOf([object]) : object);
  }
}

const listOf = (items: readonly ReadonlyObject[]) => ({
  apiVersion: 'v1',
  items,
  kind: 'List',
  metadata: { resourceVersion: '' },
});

const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
