import { formatGvr } from '../../model/gvr.ts';
import { VERSION } from '../../package.ts';
import { IndexCatalog } from '../../query/index-catalog.ts';
import type { IndexDefinition } from '../../query/index-definition.ts';
import type { UiCache } from '../../serve/ui/ui-program.ts';
import { startUi } from '../../serve/ui/ui-server.ts';
import { privateFile } from '../reconcile/private-file.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { readUiPage } from './ui-page.ts';
import { compileConditions, uiTexts } from './ui-texts.ts';

/** The caches of a serve, as they are now. */
export interface ServedCaches {
  /** Their objects should be whole, with their table rows and managedFields. */
  targets(): readonly Pick<WatchTarget, 'type' | 'informer'>[];
  /** The indexes that were declared beside the built-in ones. */
  declared(): readonly IndexDefinition[];
  /** Calls back after a type was added. */
  onTargets?(changed: () => void): Disposable;
}

type UiSession = Pick<Session, 'io' | 'clock' | 'notice' | 'atOnce' | 'config'>;

/**
 * Serves the page of `--ui` until disposal, and says on stderr how to open it. The URL has the token in it, so it is
 * printed on a terminal only: stderr may be a log. Elsewhere it is in a file that only this user can read. `port` 0
 * means a free one.
 */
export async function serveUi(session: UiSession, caches: ServedCaches, port: number): Promise<AsyncDisposable> {
  const { io, clock, config, atOnce } = session;
  const catalog = () => new IndexCatalog(caches.declared());
  await using stack = new AsyncDisposableStack();
  const ui = stack.use(
    await startUi({
      port,
      page: readUiPage(),
      program: {
        name: `kubectl-informer ${VERSION}`,
        server: config.context ?? config.server,
        startedAt: clock.now(),
        clock,
        texts: uiTexts,
        caches: () => caches.targets().map(cacheOf),
        ...(caches.onTargets ? { onCaches: (changed) => caches.onTargets?.(changed) ?? NOTHING } : {}),
        indexNames: () => catalog().names(),
        index: (name) => catalog().get(name),
        compile: compileConditions,
      },
    }),
  );
  if (io.stderr.isTerminal && !io.stderr.isJson) session.notice(`the page: ${ui.url}\n${withoutBrowser(ui.address)}`);
  else {
    const file = stack.use(await privateFile('ui-url', `${ui.url}\n`));
    atOnce.add(file.removeNow);
    stack.defer(() => void atOnce.delete(file.removeNow));
    session.notice(`the page: ${ui.address}, to be opened with its token: the whole URL is in ${file.path}`);
  }
  return stack.move();
}

const NOTHING: Disposable = { [Symbol.dispose]() {} };

/** The ids of caches. That of a type whose version is replaced while it is watched stays the same. */
const IDS = new WeakMap<object, string>();

function cacheOf({ type, informer }: Pick<WatchTarget, 'type' | 'informer'>): UiCache {
  const id = IDS.get(informer) ?? formatGvr(type.gvr);
  IDS.set(informer, id);
  return { id, type, informer };
}

function withoutBrowser(address: string): string {
  const { port } = new URL(address);
  return `only a browser on this machine can open it; from another one: ssh -L ${port}:127.0.0.1:${port} HOST, then the same URL`;
}
