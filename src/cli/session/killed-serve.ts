import { systemClock } from '../../kit/clock.ts';
import { isInformerError } from '../../kit/error.ts';
import type { FoundServe } from '../../serve/find.ts';

/**
 * Removes the socket that a killed serve left, which it could not do itself. Returns a line that says so; undefined if
 * another serve listens there meanwhile.
 */
export async function forgetKilled({ folder, about }: FoundServe): Promise<string | undefined> {
  const { removeStale } = await import('../../serve/place.ts');
  const killed = `the serve with pid ${about.pid} was killed`;
  try {
    if (!(await removeStale(folder, systemClock))) return undefined;
    return `${killed}: its socket is removed, and the cluster is asked`;
  } catch (error) {
    if (!isInformerError(error)) throw error;
    return `${killed}, and the cluster is asked: ${error.message}`;
  }
}
