import type { Client, ResourceStats } from '../../client/client.ts';
import { thousands } from '../../kit/thousands.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';
import type { Session } from './session.ts';

/** A sync that is quicker needs no progress. */
const FIRST_AFTER_MS = 1000;
const EVERY_MS = 250;

/**
 * Shows the progress of the initial lists until it is disposed: objects, bytes, pages, and the time left where the
 * server says how many objects remain. Another text that replaced the progress by then stays.
 */
export function showSyncProgress(
  session: Pick<Session, 'clock' | 'startedAt'> & { readonly client: Pick<Client, 'stats'> },
  status: StatusDisplay,
): Disposable {
  const { clock, client } = session;
  let shown: string | undefined;
  const show = () => {
    shown = syncText(client.stats(), clock.monotonic() - session.startedAt);
    status.show(shown);
    timer = clock.after(EVERY_MS, show);
  };
  let timer = clock.after(FIRST_AFTER_MS, show);
  return {
    [Symbol.dispose]() {
      timer.cancel();
      if (shown !== undefined) status.clear(shown);
    },
  };
}

/** `syncing pods: 12,345 objects, 78.1 MB, 3s`. */
export function syncText(stats: readonly ResourceStats[], elapsedMs: number): string {
  const names = [...new Set(stats.map(({ gvr }) => formatGroupResource(gvr)))].join(', ');
  const sum = (of: (each: ResourceStats) => number) => stats.reduce((total, each) => total + of(each), 0);
  const objects = sum((each) => each.objects);
  const left = sum((each) => each.remaining ?? 0);
  const pages = sum((each) => each.requests);
  const parts = [
    `${thousands(objects)}${left > 0 ? ` of ${thousands(objects + left)}` : ''} objects`,
    `${(sum((each) => each.bytes) / 1e6).toFixed(1)} MB`,
    ...(pages > stats.length ? [`${pages} pages`] : []),
    `${Math.floor(elapsedMs / 1000)}s`,
    ...(left > 0 && objects > 0 ? [`about ${Math.ceil(((elapsedMs / objects) * left) / 1000)}s to go`] : []),
  ];
  return `syncing ${names}: ${parts.join(', ')}`;
}
