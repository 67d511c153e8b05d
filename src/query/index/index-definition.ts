import { goText } from '../../expr/go-text.ts';
import { loadExpression } from '../../expr/path-or-cel.ts';
import { InformerError } from '../../kit/error.ts';
import type { Address } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/**
 * A named index: the values under which an object is found. A pure function, so a store may keep it or compute it
 * later.
 */
export interface IndexDefinition {
  readonly name: string;
  /**
   * The name under which a store keeps the index. Two definitions with one key have the same values, whatever their
   * names are, so that several questions can share one kept index.
   */
  readonly key: string;
  /** The source of its values, for `--explain` and lists of indexes: a path, or a description. */
  readonly from: string;
  /**
   * Whether the values depend on the object alone. Only then may an indexer keep them. An index over owners also
   * depends on other objects, which can change while the object does not.
   */
  readonly stable: boolean;
  /** The values of an object, without repetitions. An object without the field has none. Never throws. */
  valuesOf(object: ReadonlyObject): readonly string[];
  /**
   * The values to list, if one thing has several spellings: one spelling for each. Default: all of {@link valuesOf}.
   */
  listed?(object: ReadonlyObject): readonly string[];
  /** The fields that a declared index reads. */
  readonly reads?: readonly Address[] | undefined;
  /** All fields that {@link valuesOf} may look at. Undefined: any. */
  readonly seen?: readonly Address[] | undefined;
  /** The field whose text is the value, if it is one field: a server may be able to select by it. */
  readonly field?: readonly string[] | undefined;
  /** Whether a value is the reference to an object, `KIND/NAME`, whose kind a user may write in several ways. */
  readonly isReference?: boolean | undefined;
  /**
   * For an index that is not stable: another one that is, and what each of its values means here. The values of an
   * object are those that its values there mean. A store keeps the other one in its place.
   */
  readonly through?:
    | {
        readonly index: IndexDefinition;
        expand(value: string): readonly string[];
        /** The values to list: see {@link listed}. */
        list(value: string): readonly string[];
      }
    | undefined;
  /** Converts a value as a user writes it to the spellings of the index. Any of them is meant. */
  normalise?(value: string): readonly string[];
}

/**
 * Parses `NAME=JSONPATH` or `NAME=CEL`, the argument of `--index`. If the expression finds several values, the index
 * has them all. `onError` is called with failures of CEL. Throws `argument` for an invalid name, and with the position
 * for an expression that cannot be parsed. `flag` names the origin in errors.
 */
export async function parseIndex(
  text: string,
  onError?: (error: Error) => void,
  origin: { flag?: string } = {},
): Promise<IndexDefinition> {
  const cut = text.indexOf('=');
  const name = text.slice(0, Math.max(0, cut)).trim();
  if (!/^[A-Za-z][\w.-]*$/.test(name)) {
    throw new InformerError('argument', `invalid index "${text}": expected NAME=JSONPATH or NAME=CEL`, {
      hint: 'for example --index node=.spec.nodeName',
    });
  }
  const { flag = `--index ${name}` } = origin;
  const expression = await loadExpression(text.slice(cut + 1), { flag, onError });
  return {
    name,
    key: `=${expression.text}`,
    from: expression.text,
    stable: true,
    reads: expression.reads,
    seen: expression.seen,
    field: expression.field,
    valuesOf: (object) => indexTexts(expression.values(object)),
  };
}

/** Values as index values: strings without repetitions. Null and undefined are left out. */
export function indexTexts(values: readonly unknown[]): readonly string[] {
  const texts = values.filter((value) => value !== null && value !== undefined).map(goText);
  return texts.length < 2 ? texts : [...new Set(texts)];
}
