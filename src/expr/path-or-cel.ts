import { InformerError, isInformerError } from '../kit/error.ts';
import type { Address } from '../model/field-path.ts';
import { loadCel } from './cel/load-cel.ts';
import { addressesOf, fieldOf } from './jsonpath/fields-read.ts';
import { fieldsSeenBy } from './jsonpath/fields-seen.ts';
import { loadPath, type PathValues } from './jsonpath/path-values.ts';

/** An expression that finds values in objects, in kubectl's JSONPath or in CEL. */
export interface ValueExpression extends PathValues {
  /** The fields that the expression reads, as far as its text names them. */
  readonly reads: readonly Address[];
  /** The one field whose value it is, if it is no more than the path to it: `.spec.nodeName`, `object.spec.nodeName`. */
  readonly field?: readonly string[] | undefined;
  /** All fields that it may look at: an object with these alone gives the same values. Undefined: any field. */
  readonly seen?: readonly Address[] | undefined;
}

/**
 * Whether an expression names the variable `object`, as CEL does and a path does not. A list or a map of CEL begins
 * with the brackets of a path.
 */
const isCel = (text: string): boolean =>
  (!/^\s*[.{$[]/.test(text) || /^\s*(\[|\{\s*['"])/.test(text)) &&
  /(^|[^\w.])object\s*[.[]/.test(text.replace(/'[^']*'|"[^"]*"/g, "''"));

/**
 * Compiles a path as {@link loadPath} does, or CEL over the variable `object`. If CEL returns a list, its items are the
 * values; a missing key gives no value. CEL that fails on an object gives no value for it, and `onError` is called
 * once for each different failure. Throws `argument` for an expression that is neither of the two, with the position.
 */
export async function loadExpression(
  text: string,
  { flag, onError }: { flag: string; onError?: ((error: Error) => void) | undefined },
): Promise<ValueExpression> {
  if (!isCel(text)) {
    const path = bound(await pathOf(text, flag));
    refuseOperators(text, flag);
    return { ...path, reads: addressesOf(text), field: fieldOf(text), seen: fieldsSeenBy(path.text) };
  }
  const { compileCel, addressesRead, fieldsSeen } = await loadCel();
  const program = compileCel(text, { flag, variables: { object: 'dyn' } });
  const reported = new Set<unknown>();
  const values = (object: unknown): unknown[] => {
    try {
      const value = program.evaluate({ object });
      return value === undefined ? [] : Array.isArray(value) ? value : [value];
    } catch (error) {
      if (!reported.has(error)) onError?.(error as Error);
      reported.add(error);
      return [];
    }
  };
  const reads = addressesRead(program.ast);
  return {
    text,
    values,
    reads,
    field: FIELD_IN_CEL.test(text) ? namesOf(reads[0]) : undefined,
    seen: fieldsSeen(program),
  };
}

/** CEL that is one field and nothing else. */
const FIELD_IN_CEL = /^\s*object(\.[A-Za-z_]\w*|\["[^"\\]+"\]|\['[^'\\]+'\])+\s*$/;

const namesOf = (address: Address | undefined) =>
  address?.every((step) => typeof step === 'string') ? (address as readonly string[]) : undefined;

/** For a text that is neither a path nor CEL over `object`, but has an operator or a call in it. */
const NEITHER =
  "a JSONPath is a path such as .spec.nodeName, with ['key'] for a key of other characters; CEL names the object: object.spec.nodeName";

async function pathOf(text: string, flag: string): Promise<PathValues> {
  try {
    return await loadPath(text, { flag });
  } catch (error) {
    if (!isInformerError(error) || error.hint !== undefined || !/[()+!?&|<>=]/.test(text)) throw error;
    throw new InformerError(error.code, error.message, { cause: error, hint: NEITHER });
  }
}

/**
 * Refuses characters that no field has and that only CEL gives a meaning: kubectl's dialect takes `size(status.phase)`
 * for a field of that name, which is in no object.
 */
function refuseOperators(text: string, flag: string): void {
  const isTemplate = text.includes('{');
  let [depth, braces, quote] = [0, 0, ''];
  for (let i = 0; i < text.length && !/^\s*\$/.test(text); i++) {
    const c = text[i] as string;
    if (c === '\\') i++;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '{') braces++;
    else if (c === '}') braces--;
    else if (isTemplate && braces === 0) continue;
    else if ((c === '"' || c === "'") && !/\w/.test(text[i - 1] ?? '')) quote = c;
    else if (c === '[') depth++;
    else if (c === ']') depth--;
    else if (depth === 0 && '()+!?&|<>=%^~;"\''.includes(c)) {
      throw new InformerError('argument', `${flag}: error parsing ${text}: unexpected ${c} at position ${i}`, {
        hint: NEITHER,
      });
    }
  }
}

/** A plain object with the methods of a path: spreading an instance of a class would lose them. */
const bound = (path: PathValues): PathValues => ({ text: path.text, values: (object) => path.values(object) });
