import { rmSync, writeFileSync } from 'node:fs';
import { InformerError } from '../../kit/error.ts';
import { formatGvr } from '../../model/gvr.ts';
import { VERSION } from '../../package.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { json, type ServeRoutes } from '../../serve/api/routes.ts';
import type { UiCache } from '../../serve/ui/ui-program.ts';
import { startUi, type UiServer } from '../../serve/ui/ui-server.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { readUiPage } from './ui-page.ts';
import { compileConditions, uiTexts } from './ui-texts.ts';

/** The caches of a serve, as they are now. */
export interface ServedCaches {
  /** Their objects are whole, with their table rows. Without managedFields no change has its author. */
  readonly targets: readonly Pick<WatchTarget, 'type' | 'informer' | 'namespaces' | 'isLeftOut'>[];
  /** The indexes that were declared beside the built-in ones. */
  readonly declared: readonly IndexDefinition[];
  readonly keepsManagedFields: boolean;
  /** Calls back after a type was added, replaced or given up. */
  onTargets(changed: () => void): Disposable;
}

/** Where the page is. */
export interface UiPlace {
  /** The address without the token. */
  readonly address: string;
  /** The address with the token. */
  readonly url: string;
  /** A file that only this user can read. It has the URL. */
  readonly file: string;
  /** Changes are shown with who made them. */
  readonly hasAuthors: boolean;
}

/** Where the page is asked for: `--ui-port`; 0 means a free port. */
export interface UiFlags {
  readonly port: number;
}

/** The path at which a running serve is asked for its page, on its private socket. */
export const UI_PATH = '/v1/ui';

/** Reads `--ui` and `--ui-port`. Undefined if there shall be no page. Throws `argument` for a port without a page. */
export function uiFlagsOf(flags: { ui: boolean; 'ui-port': number | undefined }): UiFlags | undefined {
  const port = flags['ui-port'];
  if (flags.ui) return { port: port ?? 0 };
  if (port === undefined) return undefined;
  throw new InformerError('argument', '--ui-port does nothing without --ui', {
    hint: '--ui opens the page; --listen is for programs',
  });
}

type UiSession = Pick<Session, 'clock' | 'config' | 'io'>;

interface UiFiles {
  /** Where the URL is written, for this user alone. */
  readonly file: () => string;
  /** The recording that the serve makes. */
  readonly recordedIn: string | undefined;
}

/** The page of a serve: it is opened at once with `--ui`, or later by another `serve --ui`. */
export class ServeUi implements AsyncDisposable {
  readonly #session: UiSession;
  readonly #caches: ServedCaches;
  readonly #file: () => string;
  readonly #recordedIn: string | undefined;
  readonly #startedAt: number;
  #opening: Promise<UiServer> | undefined;
  #server: UiServer | undefined;

  constructor(session: UiSession, caches: ServedCaches, { file, recordedIn }: UiFiles) {
    this.#session = session;
    this.#caches = caches;
    this.#file = file;
    this.#recordedIn = recordedIn;
    this.#startedAt = session.clock.now();
  }

  /** How long no page has been open, ms; undefined if there is none to open. */
  get idleMs(): number | undefined {
    return this.#server?.idleMs;
  }

  /** Where the page is; undefined if it was not asked for yet. */
  get place(): UiPlace | undefined {
    const { address, url } = this.#server ?? {};
    if (address === undefined || url === undefined) return undefined;
    return { address, url, file: this.#file(), hasAuthors: this.#caches.keepsManagedFields };
  }

  /** The routes of a running serve for another `serve --ui`. */
  get routes(): ServeRoutes {
    return {
      [UI_PATH]: {
        methods: ['POST'],
        access: 'private',
        answer: async (request) => json(await this.open(readUiFlags(await request.text()).port)),
      },
    };
  }

  /** Opens the page on a port; 0 means a free one. A page that is open already stays on its port. */
  async open(port: number): Promise<UiPlace> {
    this.#opening ??= this.#start(port);
    this.#server = await this.#opening.catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.place as UiPlace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.#opening?.catch(() => undefined);
    this.removeNow();
    await server?.[Symbol.asyncDispose]();
  }

  /** Removes the file at once, when there is no time to wait. */
  removeNow(): void {
    if (this.#server) rmSync(this.#file(), { force: true });
  }

  async #start(port: number): Promise<UiServer> {
    const { clock, config } = this.#session;
    const caches = this.#caches;
    const file = this.#recordedIn;
    const past = file === undefined ? undefined : await pastIn(file, this.#session);
    const catalog = () => new IndexCatalog(caches.declared);
    const server = await startUi({
      port,
      page: readUiPage(),
      program: {
        name: `kubectl-informer ${VERSION}`,
        server: config.context ?? config.server,
        startedAt: this.#startedAt,
        clock,
        texts: uiTexts,
        caches: () => caches.targets.map(cacheOf),
        onCaches: (changed) => caches.onTargets(changed),
        ...(past && { past }),
        indexNames: () => catalog().names(),
        index: (name) => catalog().get(name),
        compile: compileConditions,
      },
    });
    rmSync(this.#file(), { force: true });
    writeFileSync(this.#file(), `${server.url}\n`, { mode: 0o600, flag: 'wx' });
    return server;
  }
}

/** The recording of this serve, read by processes of their own: the serve goes on answering meanwhile. */
async function pastIn(file: string, { io }: UiSession) {
  const { RecordedPage } = await import('../record/recorded-page.ts');
  const { RecordingReader } = await import('../record/recording-reader.ts');
  return new RecordedPage(file, { reader: new RecordingReader(io.env) });
}

function readUiFlags(text = ''): UiFlags {
  const { port = 0 } = (JSON.parse(text) ?? {}) as { port?: unknown };
  if (typeof port !== 'number') throw new InformerError('argument', 'the port is a number');
  return { port };
}

/** The ids of caches. That of a type whose version is replaced while it is watched stays the same. */
const IDS = new WeakMap<object, string>();

function cacheOf(target: ServedCaches['targets'][number]): UiCache {
  const { type, informer, namespaces } = target;
  const isLeftOut = target.isLeftOut && ((source: number) => target.isLeftOut?.(source) === true);
  const id = IDS.get(informer) ?? formatGvr(type.gvr);
  IDS.set(informer, id);
  return { id, type, informer, namespaces, ...(isLeftOut ? { isLeftOut } : {}) };
}

/**
 * Says on stderr how to open the page. The URL has the token in it, so it is printed on a terminal only: elsewhere
 * stderr may be a log.
 */
export function sayUiPlace({ io, notice }: Pick<Session, 'io' | 'notice'>, place: UiPlace): void {
  const { address, url, file, hasAuthors } = place;
  const { port } = new URL(address);
  const isTerminal = io.stderr.isTerminal && !io.stderr.isJson;
  notice(isTerminal ? `the page: ${url}` : `the page: ${address}; the URL with its token is in ${file}`);
  if (isTerminal)
    notice(
      `only a browser on this machine can open it; from another one: ssh -L ${port}:127.0.0.1:${port} HOST, then the same URL there`,
    );
  if (!hasAuthors) notice('changes are shown without who made them, because the serve was started without --ui');
}
