import { InformerError } from '../kit/error.ts';

/** A step of an {@link Address}: every item of a list, or every value of a map. */
export const EACH: unique symbol = Symbol('each');

/** A place in an object: the field names from the root to it, with {@link EACH} for all items. */
export type Address = readonly (string | typeof EACH)[];

/** The fields that the expression of one flag reads. */
export interface FieldReads {
  /** The flag, for messages: `--filter`. */
  readonly flag: string;
  readonly addresses: readonly Address[];
  /**
   * Whether the expression only prints the fields. A key of a map that no object has now (a label, for example) is then
   * no mistake.
   */
  readonly isOutput?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether an object has a value at the address. A null counts as a value. Never throws. */
export function isAt(value: unknown, address: Address, from = 0): boolean {
  const step = address[from];
  if (step === undefined) return value !== undefined;
  if (!isObject(value)) return false;
  if (step === EACH) return Object.values(value).some((item) => isAt(item, address, from + 1));
  if (Array.isArray(value)) return value.some((item) => isAt(item, address, from));
  return Object.hasOwn(value, step) && isAt(value[step], address, from + 1);
}

/** All values at an address, in order. A null counts as a value. Never throws. */
export function valuesAt(value: unknown, address: Address): unknown[] {
  let found: unknown[] = [value];
  for (const step of address) found = found.flatMap((each) => valuesBelow(each, step));
  return found.filter((each) => each !== undefined);
}

/** The values one step below a value. A name in a list is a name in each of its items, which may be lists too. */
function valuesBelow(value: unknown, step: string | typeof EACH): unknown[] {
  if (!isObject(value)) return [];
  if (step === EACH) return Object.values(value);
  if (Array.isArray(value)) return value.flatMap((item) => valuesBelow(item, step));
  return Object.hasOwn(value, step) ? [value[step]] : [];
}

/** Whether what is at the address may be a part of `metadata.managedFields`, which caches leave out unasked. */
export const isOfManagedFields = ([first, second]: Address): boolean =>
  first === 'metadata' && (second === 'managedFields' || second === EACH);

/** The address as a path: `.metadata.labels['a.b/c']`, `.spec.containers[*].image`. */
export function addressText(address: Address): string {
  return address
    .map((step) =>
      step === EACH ? '[*]' : /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `['${step.replace(/[\\']/g, '\\$&')}']`,
    )
    .join('');
}

/** A step of a path: a name, a name in quotes, or all items. */
const STEP = /\.([A-Za-z_][\w-]*)|\['((?:[^\\']|\\[\\'])*)'\]|(\[\*\])/gy;

/** The address of a path that {@link addressText} may have written. Throws `argument` for any other text. */
export function addressOf(path: string): Address {
  const address: (string | typeof EACH)[] = [];
  let end = 0;
  for (const [step, name, quoted, each] of path.matchAll(STEP)) {
    address.push(each ? EACH : (name ?? (quoted as string).replace(/\\(.)/g, '$1')));
    end += step.length;
  }
  if (end === path.length && end > 0) return address;
  throw new InformerError(
    'argument',
    `${JSON.stringify(path)} is no path of a field: position ${end + 1} is not understood`,
    {
      hint: "paths are as .status.phase, .spec.containers[*].image, and .metadata.annotations['example.com/team']",
    },
  );
}

/** The addresses without repetitions, in their first order. */
export function distinct(addresses: readonly Address[]): Address[] {
  return [...new Map(addresses.map((address) => [addressText(address), address])).values()];
}
