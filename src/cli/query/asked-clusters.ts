import { InformerError, isInformerError } from '../../kit/error.ts';
import type { ScopedQuery } from '../../query/answer/query.ts';
import type { Session } from '../session/session.ts';
import { hasStaleType, SeveralErrors } from '../terminal/exit-codes.ts';

/** The types and namespaces that a query means in one cluster. */
export interface QueryPart {
  readonly session: Session;
  readonly query: ScopedQuery;
  /** Why the query cannot be answered there, or not in whole. */
  readonly errors: readonly unknown[];
}

/** The clusters that are asked, and what is missing. */
export interface AskedClusters {
  readonly parts: readonly QueryPart[];
  readonly errors: readonly unknown[];
}

/**
 * All that is missing of an answer, as one error. Throws it before anything is printed where a type is gone that a kept
 * discovery has: the command is run again.
 */
export function refusalOfAll(errors: readonly unknown[], [answered]: readonly Pick<QueryPart, 'session'>[]): unknown {
  if (errors.some(hasStaleType)) throw SeveralErrors.of(errors);
  const isOneOfSeveral = answered?.session.cluster !== undefined;
  return SeveralErrors.of(isOneOfSeveral ? errors.map(ofOneCluster) : errors);
}

/** A type that another cluster has is not a typing error: one cluster fails. */
function ofOneCluster(error: unknown): unknown {
  if (!isInformerError(error, 'discovery')) return error;
  return new InformerError('list', error.message, { cause: error, hint: error.hint });
}
