import type { Address } from '../expr/address.ts';
import { goText } from '../expr/go-text.ts';
import { loadExpression } from '../expr/load-expression.ts';
import { InformerError } from '../kit/error.ts';
import type { ReadonlyObject } from '../model/object.ts';

/** A named index: which values an object is found under. Pure, so that it may be kept by an indexer or worked out when asked. */
export interface IndexDefinition {
  readonly name: string;
  /** What it is made of, for `--explain` and lists of indexes. */
  readonly from: string;
  /**
   * Whether a value depends on the object alone. Only then may an indexer keep it: an index over owners also depends on other objects,
   * which come and go without this one changing.
   */
  readonly stable: boolean;
  /** The values of an object, each once. An object without the field has none. Never throws. */
  valuesOf(object: ReadonlyObject): readonly string[];
  /** The values to list where one thing has several spellings: one for each. Default: all of `valuesOf`. */
  listed?(object: ReadonlyObject): readonly string[];
  /** The fields it reads, of one that was declared. */
  readonly reads?: readonly Address[] | undefined;
  /** What a user wrote for a value, as the index spells it. */
  normalise?(value: string): string;
}

/**
 * Reads `NAME=JSONPATH` or `NAME=CEL` as `--index` takes it; the index has several values where the expression yields several.
 * Throws `argument` for a missing or odd name, and with the position for what cannot be read. `onError` is called with failures of CEL.
 */
export async function parseIndex(text: string, onError?: (error: Error) => void): Promise<IndexDefinition> {
  const cut = text.indexOf('=');
  const name = text.slice(0, Math.max(0, cut)).trim();
  if (!/^[A-Za-z][\w.-]*$/.test(name)) {
    throw new InformerError('argument', `invalid index "${text}": expected NAME=JSONPATH or NAME=CEL`, {
      hint: 'for example --index node=.spec.nodeName',
    });
  }
  const expression = await loadExpression(text.slice(cut + 1), { flag: '--index', onError });
  return {
    name,
    from: expression.text,
    stable: true,
    reads: expression.reads,
    valuesOf: (object) => indexTexts(expression.values(object)),
  };
}

/** Values as index keys: texts, each once; null and undefined are no values. */
export function indexTexts(values: readonly unknown[]): readonly string[] {
  const texts = values.filter((value) => value !== null && value !== undefined).map(goText);
  return texts.length < 2 ? texts : [...new Set(texts)];
}
