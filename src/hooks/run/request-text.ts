import { TerminalError } from '../../controller/reconciler.ts';
import { TOO_DEEP } from '../../kit/depth.ts';
import { InformerError } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { HookRequest } from '../hook.ts';

/** A request in warm mode. The reply has the same id. */
export type WarmRequest = HookRequest & { readonly id: string };

/**
 * The request as one line of JSON. Parks the key of an object that is nested too deep for that: no later run can
 * succeed.
 */
export function requestText(request: HookRequest | WarmRequest): string {
  try {
    return jsonText(request);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TerminalError(
      new InformerError('hook', `the object cannot be passed to the hook: ${TOO_DEEP}`, { cause }),
    );
  }
}
