import { isInformerError, messageOf } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';

/** What the server said, without what was asked of it: that is the same for several types. */
export function causeText(error: unknown): string {
  const isAboutType = isInformerError(error, 'list') || isInformerError(error, 'watch');
  return statusOf(error)?.message || messageOf(isAboutType ? (error.cause ?? error) : error);
}
