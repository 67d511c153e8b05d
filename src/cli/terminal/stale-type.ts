import { InformerError, isInformerError } from '../../kit/error.ts';
import { SeveralErrors } from './exit-codes.ts';

/** A type that was found in a kept discovery and is not served any more; the discovery has been forgotten. */
export class StaleType extends InformerError {
  override readonly name = 'StaleType';
}

export function hasStaleType(error: unknown): boolean {
  return error instanceof StaleType || (error instanceof SeveralErrors && error.errors.some(hasStaleType));
}

/**
 * Runs a command, once more where a type that it found in a kept discovery is gone: the type may be served in another
 * version by now. When the type is not found at all, the first error is thrown.
 */
export async function withFreshTypes<R>(run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (stale) {
    if (!hasStaleType(stale)) throw stale;
    try {
      return await run();
    } catch (error) {
      throw isInformerError(error, 'discovery') ? stale : error;
    }
  }
}
