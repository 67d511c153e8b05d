import { statusOf } from '../model/status.ts';
import { isInitialEventsEnd } from '../model/watch-event.ts';
import { type CheckResult, failed, ok, problem, skipped } from './finding.ts';
import type { CheckedType } from './type-reads.ts';

/** A name that no object has, so that no object is sent, whatever the size of the collection. */
const NO_OBJECT = { fieldSelector: 'metadata.name=kubectl-informer-doctor.none' };

/** How long the server keeps a watch of a check open, s. */
const WATCH_SECONDS = 30;
/** How long a plain watch is given to send a bookmark, ms. */
const BOOKMARK_MS = 5_000;

/** Whether the server accepts a watch from the version of a list. */
export async function watchFound(
  { client, type, namespace, signal }: CheckedType,
  version: string,
): Promise<CheckResult> {
  const api = client.resource(type.gvr, { namespace, as: 'metadata' });
  const options = { ...NO_OBJECT, resourceVersion: version, timeoutSeconds: WATCH_SECONDS };
  const events = await api.watch(options, { signal });
  await events.return?.();
  return ok('a watch works');
}

/** The bookmarks that a streaming list has sent. */
export interface StreamedList {
  readonly isSupported: boolean;
  readonly hasBookmark: boolean;
}

/**
 * Whether the server sends the initial list as a stream. Its end is a bookmark, so this also shows that bookmarks come,
 * and that nothing in between keeps the stream back.
 */
export async function streamingListFound(
  { client, type, namespace, signal }: CheckedType,
  onList: (list: StreamedList) => void,
): Promise<CheckResult> {
  const options = {
    ...NO_OBJECT,
    allowWatchBookmarks: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    timeoutSeconds: WATCH_SECONDS,
  } as const;
  let isOpened = false;
  try {
    const batches = await client.resource(type.gvr, { namespace, as: 'metadata' }).watch(options, { signal });
    isOpened = true; // what ends it from now on is in between
    for await (const batch of batches) {
      for (const event of batch) {
        if (event.type === 'ERROR') {
          // as a kube-apiserver does whose etcd cannot report progress
          onList({ isSupported: false, hasBookmark: false });
          const why = event.object.message ?? 'an error';
          return ok(`the server streams no initial lists: a LIST comes first, and nothing is missed (${why})`);
        }
        if (event.type !== 'BOOKMARK' || !isInitialEventsEnd(event.object)) continue;
        onList({ isSupported: true, hasBookmark: true });
        return ok('the server sends initial lists as a stream');
      }
    }
    return problem('the stream ended before the bookmark that ends the initial list', PROXY);
  } catch (error) {
    signal.throwIfAborted();
    const { code = 0 } = statusOf(error) ?? {};
    if (code < 400 || code >= 500 || code === 401 || code === 403 || code === 429)
      return failed(error, isOpened ? PROXY : undefined);
    onList({ isSupported: false, hasBookmark: false });
    return ok('the server has no streaming lists (feature gate WatchList): a LIST comes first, and nothing is missed');
  }
}

export const PROXY =
  'does a proxy or load balancer in between keep streams back? try --server with the address of the API server itself';

/** Whether a watch gets bookmarks, by which it resumes without a new list. */
export async function bookmarksFound(
  { client, type, namespace, signal }: CheckedType,
  version: string,
  streamed: StreamedList | undefined,
): Promise<CheckResult> {
  if (streamed?.hasBookmark) return ok('the server sends bookmarks');
  const waited = AbortSignal.timeout(BOOKMARK_MS);
  const options = {
    ...NO_OBJECT,
    allowWatchBookmarks: true,
    resourceVersion: version,
    timeoutSeconds: BOOKMARK_MS / 1000,
  };
  try {
    const api = client.resource(type.gvr, { namespace, as: 'metadata' });
    const batches = await api.watch(options, { signal: AbortSignal.any([signal, waited]) });
    for await (const batch of batches)
      if (batch.some((event) => event.type === 'BOOKMARK')) return ok('the server sends bookmarks');
  } catch (error) {
    signal.throwIfAborted();
    if (!waited.aborted) return failed(error);
  }
  return skipped(`none came within ${BOOKMARK_MS / 1000}s; most servers send one a minute`);
}
