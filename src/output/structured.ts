import type { JsonPath } from '../expr/jsonpath.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { cellText, neutralised } from './escape.ts';
import { type PrintedEvent, type PrintedObject, type Printer, qualifiedName } from './printer.ts';

export interface StructuredOptions {
  /** The answer is one object asked for by name: it is printed by itself and not in a List, as kubectl does. */
  readonly single?: boolean | undefined;
}

/** Events one a line; an answer as a `v1` List, indented as kubectl's. JSON escapes what could harm a terminal by itself. */
export class JsonPrinter implements Printer {
  readonly #single: boolean;

  constructor({ single = false }: StructuredOptions = {}) {
    this.#single = single;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `${jsonText(event)}\n`).join('');
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let open = false;
    for (const { object } of answer) {
      if (this.#single) yield `${jsonText(object, 4)}\n`;
      else yield `${open ? ',' : LIST_HEAD}\n        ${jsonText(object, 4).replaceAll('\n', '\n        ')}`;
      open = true;
    }
    if (this.#single) return;
    yield open ? `\n    ]${LIST_TAIL}` : `${LIST_HEAD}]${LIST_TAIL}`;
  }
}

const LIST_HEAD = '{\n    "apiVersion": "v1",\n    "items": [';
const LIST_TAIL = ',\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';

/** JSON leaves DEL and C1 controls as they are, and terminals obey some of them; here they are escaped as the lower controls are. */
function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return HIGH_CONTROL.test(text) ? text.replace(HIGH_CONTROLS, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : text;
}

const HIGH_CONTROL = /[\u007f-\u009f]/;
const HIGH_CONTROLS = /[\u007f-\u009f]/g;

/** Puts a value into one YAML document. */
export type YamlDump = (value: unknown) => string;

/** js-yaml in kubectl's style, loaded when asked for. Text that YAML 1.1 would read as another type is quoted. */
export async function loadYaml(): Promise<YamlDump> {
  const { dump } = await import('js-yaml');
  return (value) => dump(value, { lineWidth: -1, noRefs: true, seqNoIndent: true, quoteStyle: 'double' });
}

/** Documents that begin with `---`. Those of a stream also end with `...`, so that a reader knows that each is whole. */
export class YamlPrinter implements Printer {
  readonly #dump: YamlDump;

  constructor(dump: YamlDump) {
    this.#dump = dump;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => `---\n${this.#dump(event)}...\n`).join('');
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    let first = true;
    for (const { object } of answer) {
      yield `${first ? '' : '---\n'}${this.#dump(object)}`;
      first = false;
    }
  }
}

/** `pod/web-1` a line. */
export class NamePrinter implements Printer {
  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event, type }) => this.#line({ object: event.object, type })).join('');
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    for (const item of answer) yield this.#line(item);
  }

  #line({ object, type }: PrintedObject): string {
    return `${cellText(qualifiedName(object.metadata.name ?? '<unknown>', type))}\n`;
  }
}

/**
 * A JSONPath template. One written for a List (it begins at `.items`) prints a List: the whole answer, or a List of the one object of an event.
 * Any other prints each object; each of a stream or of several then ends its line, so that outputs stay apart.
 * Throws `argument` as {@link JsonPath.print} does.
 */
export class JsonPathPrinter implements Printer {
  readonly #path: JsonPath;
  readonly #single: boolean;

  constructor(path: JsonPath, { single = false }: StructuredOptions = {}) {
    this.#path = path;
    this.#single = single;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => endLine(this.#print(event.object))).join('');
  }

  *objects(answer: Iterable<PrintedObject>): Iterable<string> {
    if (this.#path.wantsList && !this.#single) yield this.#path.print(listOf(Array.from(answer, ({ object }) => object)), neutralised);
    else for (const { object } of answer) yield this.#single ? this.#print(object) : endLine(this.#print(object));
  }

  #print(object: ReadonlyObject): string {
    const wrap = this.#path.wantsList && !Object.hasOwn(object, 'items');
    return this.#path.print(wrap ? listOf([object]) : object, neutralised);
  }
}

const listOf = (items: readonly ReadonlyObject[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });

const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
