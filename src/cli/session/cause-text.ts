import { isInformerError, messageOf } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';

/** The text of the server's answer without the request, which differs between types. */
export function causeText(error: unknown): string {
  const isAboutType = isInformerError(error, 'list') || isInformerError(error, 'watch');
  return statusOf(error)?.message || messageOf(isAboutType ? (error.cause ?? error) : error);
}
