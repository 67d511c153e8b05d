import { InformerError } from '../../src/kit/error.ts';

/** What a function returned, or the {@link InformerError} that it threw. */
export type Outcome<T> = { readonly value: T } | { readonly error: InformerError };

/** Runs a function that may throw an {@link InformerError} and nothing else: any other error is thrown on. */
export function outcomeOf<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof InformerError) return { error };
    throw error;
  }
}

/** As {@link outcomeOf}, for a function that returns a promise. */
export async function settled<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof InformerError) return { error };
    throw error;
  }
}

/** An outcome as data that can be compared: an error is its code and its message. */
export function comparable<T>(outcome: Outcome<T>): unknown {
  if ('value' in outcome) return outcome;
  return { code: outcome.error.code, message: outcome.error.message };
}
