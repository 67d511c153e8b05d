import { InformerError } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { type GroupVersionResource, isSecretResource } from '../../model/gvr.ts';

/**
 * Throws `hook` for a body that would write digests into a Secret, or let the server show its values. Hooks get the
 * values of Secrets as digests, so a hook that returns a whole Secret would overwrite the values with them. A JSON patch
 * can copy a value to a place where it is no longer hidden, and test for one; a hook with `maySeeSecrets` may do that.
 */
export function checkSecretBody(
  body: unknown,
  gvr: Pick<GroupVersionResource, 'group' | 'resource'>,
  { maySeeSecrets = false }: { maySeeSecrets?: boolean | undefined } = {},
): void {
  if (!isSecretResource(gvr)) return;
  if (/"hmac:[0-9a-f]{8}"/.test(jsonText(body) ?? ''))
    throw new InformerError('hook', 'this would write redacted values into a Secret', {
      hint: 'send only the fields that are to change, or run with --show-secrets',
    });
  if (maySeeSecrets || !Array.isArray(body)) return;
  for (const operation of body) {
    const { op, path, from } = Object(operation) as { op?: unknown; path?: unknown; from?: unknown };
    const isShown = (op === 'copy' || op === 'move') && hides(from) && !isValue(path);
    if (!isShown && !(op === 'test' && isHidden(path))) continue;
    throw new InformerError(
      'hook',
      `this JSON patch would show a value of a Secret: ${op} ${String(op === 'test' ? path : from)}`,
      { hint: 'copy values only within data, or run with --show-secrets' },
    );
  }
}

/** The places of a Secret whose values are hidden, as JSON pointers. */
const HIDDEN = ['/data', '/stringData', '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration'];

/** The places on the way of a pointer. A server ignores what is before the first slash. */
const placeOf = (pointer: unknown) => `${String(pointer).replace(/^[^/]*/, '')}/`;

/** Whether a JSON pointer leads to a hidden place, or below one. */
const isHidden = (pointer: unknown) => HIDDEN.some((each) => placeOf(pointer).startsWith(`${each}/`));

/** True if the value at a JSON pointer contains a hidden place, or is inside one. */
const hides = (pointer: unknown) => isHidden(pointer) || HIDDEN.some((each) => `${each}/`.startsWith(placeOf(pointer)));

/** Whether a JSON pointer leads to one value of a Secret. */
const isValue = (pointer: unknown) => /^\/(?:data|stringData)\/[^/]+$/.test(String(pointer));
