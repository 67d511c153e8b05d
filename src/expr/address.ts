/** Stands for every item of a list, or every value of a map. */
export const EACH: unique symbol = Symbol('each');

/** Where an expression looks in an object: field names and {@link EACH}, from the root. */
export type Address = readonly (string | typeof EACH)[];

/** What one flag's expression reads of objects. */
export interface FieldReads {
  /** `--filter`, for messages. */
  readonly flag: string;
  readonly addresses: readonly Address[];
  /** It prints what it reads, so a key that a map may have at another time (a label, say) is no mistake. */
  readonly isOutput?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether there is anything at the address; null counts, as it was written. Never throws. */
export function isAt(value: unknown, address: Address, from = 0): boolean {
  const step = address[from];
  if (step === undefined) return value !== undefined;
  if (!isObject(value)) return false;
  if (step === EACH) return Object.values(value).some((item) => isAt(item, address, from + 1));
  if (Array.isArray(value)) return value.some((item) => isAt(item, address, from));
  return Object.hasOwn(value, step) && isAt(value[step], address, from + 1);
}

/** Every value at an address. */
export function valuesAt(value: unknown, address: Address): unknown[] {
  let found: unknown[] = [value];
  for (const step of address) {
    found = found.flatMap((each) => {
      if (!isObject(each)) return [];
      if (step === EACH) return Object.values(each);
      if (Array.isArray(each)) return each.filter(isObject).map((item) => item[step]);
      return Object.hasOwn(each, step) ? [each[step]] : [];
    });
  }
  return found.filter((each) => each !== undefined);
}

/** The address as a path: `.metadata.labels['a.b/c']`, `.spec.containers[*].image`. */
export function addressText(address: Address): string {
  return address
    .map((step) => (step === EACH ? '[*]' : /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `['${step.replace(/[\\']/g, '\\$&')}']`))
    .join('');
}

/** Each address once, in order. */
export function distinct(addresses: readonly Address[]): Address[] {
  return [...new Map(addresses.map((address) => [addressText(address), address])).values()];
}
