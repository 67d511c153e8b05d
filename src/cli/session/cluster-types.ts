import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { clusterText } from './cluster-error.ts';
import type { Session } from './session.ts';

/** The selections of a command line in one of several clusters. */
export interface ServedSelections {
  /** At least one. */
  readonly selections: readonly ResourceSelection[];
  /** The errors of the types that this cluster does not have. They name the cluster. */
  readonly unserved: readonly InformerError[];
}

/**
 * Resolves the words of a command line in one of several clusters, which may lack some of the types. Rejects when it
 * has none of them, and as `resolve` of the session does.
 */
export async function resolveServed(words: readonly string[], session: Session): Promise<ServedSelections> {
  try {
    return { selections: await session.resolve(words), unserved: [] };
  } catch (error) {
    const requests = isUnserved(error) ? requestsOf(words) : [];
    if (requests.length < 2) throw error;
    const unserved: InformerError[] = [];
    const selections: ResourceSelection[] = [];
    for (const request of requests) {
      try {
        selections.push(...(await session.resolve(request)));
      } catch (missing) {
        if (!isUnserved(missing)) throw missing;
        unserved.push(unservedError(missing, session));
      }
    }
    if (selections.length === 0) throw error;
    return { selections, unserved };
  }
}

/** Whether the server does not have a type. */
const isUnserved = (error: unknown) => isInformerError(error, 'discovery') && !statusOf(error);

function unservedError(error: unknown, { cluster = '' }: Session): InformerError {
  const { message, hint } = errorTexts(error);
  return new InformerError('list', `${clusterText(cluster)}: ${message}`, { cause: error, hint });
}

/** The requests, one for each type: `pods,deploy web` → `pods web` and `deploy web`. */
function requestsOf(words: readonly string[]): string[][] {
  const [first = '', ...names] = words;
  if (names.some((name) => name.includes('/')) || (first.includes('/') && !first.includes(',')))
    return words.map((word) => [word]);
  return first.split(',').map((type) => [type.trim(), ...names]);
}
