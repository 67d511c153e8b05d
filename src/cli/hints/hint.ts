import type { Sample } from '../../query/answer/samples.ts';
import type { Session } from '../session/session.ts';

/**
 * Advises a person on what a command found: one line for each thing, none where all is well. Most hints need only what
 * the command has read. A hint that asks the server asks only where its line may be needed, and not for long. It never
 * rejects.
 */
export type Hint<F> = (facts: F) => Promise<readonly string[]>;

/** Hints ask a server through these. */
export type Asking = Pick<Session, 'client' | 'clock' | 'signal'>;

/** The objects that a command has read, type by type. */
export interface FoundFacts {
  /** The objects in the caches. */
  readonly cached: readonly Sample[];
  /** The objects that the user's own selectors give: more than the cached ones where the server selected by more. */
  readonly samples: readonly Sample[];
  readonly session: Asking;
}

/** A hint on an answer without objects. */
export const whenEmpty =
  <F>(hint: Hint<F>): Hint<F & { readonly isEmpty: boolean }> =>
  async (facts) =>
    facts.isEmpty ? await hint(facts) : [];

/**
 * Prints what hints say of the facts, in their order. This is the one place where hints reach a person, and where they
 * are hushed: nothing is printed once the command ends.
 */
export async function giveHints<F>(
  hints: readonly Hint<F>[],
  facts: F,
  { signal, notice }: Pick<Session, 'signal' | 'notice'>,
): Promise<void> {
  for (const hint of hints) {
    if (signal.aborted) return;
    const lines = await hint(facts);
    for (const line of lines) if (!signal.aborted) notice(line);
  }
}
