/** A function that computes each answer once. */
export function remember<K, V>(compute: (key: K) => V): (key: K) => V;
