/** Says after each step of a long work whether other code may run now: true for every `count`-th call. */
export function everyNth(count: number): () => boolean {
  let calls = 0;
  return () => ++calls % count === 0;
}
