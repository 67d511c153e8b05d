import type { Marker } from '../../stream/markers.ts';
import { neutralised } from '../escape.ts';
import { type AnswerText, type PrintedEvent, type PrintedObject, type Printer, piecesOf } from '../printer.ts';
import { toKyaml } from './kyaml.ts';
import type { StructuredOptions } from './structured.ts';

/** Prints each event as a document behind `---`, and an answer as a `v1` List, as kubectl does. */
export class KyamlPrinter implements Printer {
  readonly #single: boolean;
  readonly #safe: (text: string) => string;

  constructor({ single = false, terminal = false }: StructuredOptions = {}) {
    this.#single = single;
    this.#safe = terminal ? neutralised : (text) => text;
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map(({ event }) => this.#safe(kyamlDocument(event))).join('');
  }

  marker(marker: Marker): string {
    return this.#safe(kyamlDocument(marker));
  }

  objects(answer: Iterable<PrintedObject>): Iterable<string> {
    return piecesOf(this.answer(), answer);
  }

  answer(): AnswerText {
    let open = false;
    return {
      add: ({ object }) => {
        if (this.#single) return this.#safe(kyamlDocument(object));
        const before = open ? ', ' : LIST_HEAD;
        open = true;
        return `${before}${this.#safe(toKyaml(object, 1))}`;
      },
      end: () => (this.#single ? '' : `${open ? '' : LIST_HEAD}${LIST_TAIL}`),
    };
  }
}

/** A value as a document of its own. */
export const kyamlDocument = (value: unknown): string => `---\n${toKyaml(value)}\n`;

const LIST_HEAD = '---\n{\n  apiVersion: "v1",\n  items: [';
const LIST_TAIL = '],\n  kind: "List",\n  metadata: {\n    resourceVersion: "",\n  },\n}\n';
