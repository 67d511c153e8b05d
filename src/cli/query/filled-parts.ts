import { InformerError, isInformerError } from '../../kit/error.ts';
import type { PushedDownCaches } from '../../query/answer/pushed-down-caches.ts';
import type { ScopedQuery } from '../../query/answer/query.ts';
import type { Session, Sessions } from '../session/session.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import { hasStaleType } from '../terminal/stale-type.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import type { FilledCaches } from './filled-caches.ts';

/** The types and namespaces that a query means in one cluster. */
export interface QueryPart {
  readonly session: Session;
  readonly query: ScopedQuery;
  /** Why the query cannot be answered there, or not in whole. */
  readonly errors: readonly unknown[];
}

/** A cluster that was asked, with caches of all that may be read there. */
export interface FilledPart extends QueryPart {
  readonly caches: FilledCaches;
  /** The caches hold only the objects that the server selected. */
  readonly pushedDownCaches?: PushedDownCaches | undefined;
}

/** The parts that were asked, and the errors of those that could not be. */
export interface FilledParts {
  readonly filled: readonly FilledPart[];
  readonly errors: readonly unknown[];
}

/** Waits for all parts. When one rejects, the others end. */
export async function together(sessions: Sessions, asked: readonly Promise<FilledPart>[]): Promise<FilledPart[]> {
  try {
    return await Promise.all(asked);
  } catch (error) {
    for (const session of sessions.all) session.end(new StreamEnd('done'));
    for (const each of await Promise.allSettled(asked))
      if (each.status === 'fulfilled') await each.value.caches.running;
    throw error;
  }
}

/**
 * All that is missing of an answer, as one error. Throws it before anything is printed where a type is gone that a kept
 * discovery has: the command is run again. `answered` are the parts that the answer has.
 */
export function refusalOfAll({ filled, errors }: FilledParts, [answered]: readonly FilledPart[]): unknown {
  const all = [
    ...errors,
    ...filled.flatMap((part) => [...part.errors, ...(part.caches.refusal === undefined ? [] : [part.caches.refusal])]),
  ];
  if (all.some(hasStaleType)) throw SeveralErrors.of(all);
  const isOneOfSeveral = answered?.session.cluster !== undefined;
  return SeveralErrors.of(isOneOfSeveral ? all.map(ofOneCluster) : all);
}

/** A type that another cluster has is not a typing error: one cluster fails. */
function ofOneCluster(error: unknown): unknown {
  if (!isInformerError(error, 'discovery')) return error;
  return new InformerError('list', error.message, { cause: error, hint: error.hint });
}
