/**
 * The objects that a source may leave out before they are decoded. It need not: its caller tests every object again.
 * Called for an object whose uid, or namespace and name, can be read without decoding it.
 */
export interface UnwantedObjects {
  readonly by: 'uid' | 'namespace' | 'name';
  /** Whether an object with this uid, namespace, or key is not wanted. It is then counted as left out. */
  leavesOut(value: string): boolean;
}
