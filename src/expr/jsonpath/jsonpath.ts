import { InformerError } from '../../kit/error.ts';
import { goJson, goText } from '../go-text.ts';
import type { JsonPathStep, Part } from './ast.ts';
import { compileSteps, type Find, type Strictness } from './compile.ts';
import { parseTemplate } from './template-parser.ts';

/** A compiled JSONPath expression or template. It has no state, so it can be used for many objects. */
export interface JsonPath {
  readonly text: string;
  /** Whether it begins at `.items`, so that it expects a List. */
  readonly wantsList: boolean;
  /**
   * All values found, in order, without the literal text of a template. Never throws: a missing key, an index out of
   * range or a comparison of different types finds nothing. For indexes, sort keys and columns.
   */
  values(object: unknown): unknown[];
  /**
   * The object as `kubectl -o jsonpath` prints it: the values of one `{}` joined by spaces, maps and lists as JSON.
   * `clean` is applied to each printed value, not to the literal text of the template. Throws `argument` with kubectl's
   * message for an index out of range and for a comparison of different types.
   */
  print(object: unknown, clean?: (text: string) => string): string;
  /**
   * The object as `kubectl -o jsonpath-as-json` prints it: the values of each `{}`, and each literal text, as a JSON
   * list with its newline. Throws as {@link print} does.
   */
  printJson(object: unknown): string;
}

/**
 * Compiles kubectl's dialect: `{.metadata.name}`, templates with text and `{range}`, and bare `.metadata.name` or
 * `metadata.name`. Throws `argument` with the position of a fault, and for `$…` without braces, which only
 * `loadJsonPath` compiles. Source: client-go util/jsonpath. Two differences: `{.}` is the whole object, and `['a.b/c']`
 * also finds the key `a.b/c`.
 */
export function compileJsonPath(text: string): JsonPath {
  if (isDollarPath(text)) {
    throw new InformerError('argument', `"${text}" is not in kubectl's JSONPath dialect`, {
      hint: `write it as {${text}}`,
    });
  }
  if (text.trim() === '')
    throw new InformerError('argument', 'the JSONPath is empty', { hint: 'write it as .metadata.name' });
  return new Template(text, parseTemplate(text));
}

/** Whether an expression is in the other dialect, `$…`, which `loadJsonPath` compiles with jsonpath-plus. */
export const isDollarPath = (text: string) => /^\s*\$/.test(text);

type Printed = { readonly find: Find; readonly body?: readonly Compiled[] };
type Compiled = string | Printed;

class Template implements JsonPath {
  readonly text: string;
  readonly wantsList: boolean;
  readonly #parts: readonly Part[];
  readonly #finds: readonly Printed[];
  #strict: readonly Compiled[] | undefined;

  constructor(text: string, parts: readonly Part[]) {
    this.text = text;
    this.#parts = parts;
    this.#finds = compileParts(parts, 'lenient').filter((part) => typeof part !== 'string');
    this.wantsList = parts.some((part) => part.kind !== 'text' && beginsAtItems(part.path));
  }

  values(object: unknown): unknown[] {
    const [only] = this.#finds;
    if (this.#finds.length === 1 && only && !only.body) return only.find(object);
    const out: unknown[] = [];
    collectValues(this.#finds, object, out);
    return out;
  }

  print(object: unknown, clean: (text: string) => string = same): string {
    return this.#printed(object, same, (values) => values.map((value) => clean(goText(value))).join(' '));
  }

  printJson(object: unknown): string {
    return this.#printed(object, (text) => jsonListOf([text]), jsonListOf);
  }

  #printed(object: unknown, textOf: (text: string) => string, valuesText: (values: readonly unknown[]) => string) {
    this.#strict ??= compileParts(this.#parts, 'strict');
    return printParts(this.#strict, object, textOf, valuesText);
  }
}

const same = (text: string) => text;

/** Values as an indented JSON list, with its newline. */
export const jsonListOf = (values: readonly unknown[]): string => `${goJson(values, 4)}\n`;

function beginsAtItems([first]: readonly JsonPathStep[]): boolean {
  return first?.kind === 'field' && first.name === 'items';
}

function compileParts(parts: readonly Part[], strictness: Strictness): Compiled[] {
  return parts.map((part) => {
    if (part.kind === 'text') return part.text;
    const find = compileSteps(part.path, strictness);
    return part.kind === 'range' ? { find, body: compileParts(part.body, strictness) } : { find };
  });
}

function collectValues(parts: readonly Compiled[], object: unknown, out: unknown[]): void {
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const found = part.find(object);
    for (const value of found) {
      if (part.body) collectValues(part.body, value, out);
      else out.push(value);
    }
  }
}

function printParts(
  parts: readonly Compiled[],
  object: unknown,
  textOf: (text: string) => string,
  valuesText: (values: readonly unknown[]) => string,
): string {
  let out = '';
  for (const part of parts) {
    if (typeof part === 'string') out += textOf(part);
    else if (part.body) for (const value of part.find(object)) out += printParts(part.body, value, textOf, valuesText);
    else out += valuesText(part.find(object));
  }
  return out;
}
