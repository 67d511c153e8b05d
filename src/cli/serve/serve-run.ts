import path from 'node:path';
import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { aborted } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { type HttpAnswers, type HttpListener, listen } from '../../kit/http-listener.ts';
import { withoutLogin } from '../../kit/secret-free-text.ts';
import { isOfManagedFields } from '../../model/field-path.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { InspectedProgram } from '../../ops/inspected.ts';
import { answerPage } from '../../ops/pages.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from '../../ops/prometheus.ts';
import { VERSION } from '../../package.ts';
import { type IndexDefinition, parseIndex } from '../../query/index/index-definition.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { ServeAbout } from '../../serve/about.ts';
import { type ListenPlan, ListenToken } from '../../serve/api/listen-token.ts';
import { Lookups } from '../../serve/api/lookups.ts';
import type { ServeRoutes } from '../../serve/api/routes.ts';
import { ServeServer } from '../../serve/api/serve-server.ts';
import { type TypeStatus, typeStatus } from '../../serve/api/serve-status.ts';
import { connectionRecord } from '../../serve/connection-record.ts';
import { serveIdentity } from '../../serve/folder-key.ts';
import { KeptStates } from '../../serve/persist/kept-states.ts';
import { openServeSocket, type ServeSocket } from '../../serve/place.ts';
import { PROTOCOL_VERSION } from '../../serve/protocol.ts';
import { WatchCaches } from '../../serve/watch-cache/watch-caches.ts';
import { Redactor } from '../../stream/redact.ts';
import type { FlagValues } from '../args/flag.ts';
import { namesOf } from '../args/flag.ts';
import type { serveFlags } from '../args/serve-flags.ts';
import { loginFlags } from '../args/shared-flags.ts';
import type { Edges } from '../base-command.ts';
import { whenAvailable } from '../outage/when-available.ts';
import { cacheFolderOf } from '../session/cache-folder.ts';
import { openSession, type Session } from '../session/session.ts';
import { statePlace } from '../session/state-place.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import { type ExitCode, SeveralErrors } from '../terminal/exit-codes.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { Answering } from './answer-request.ts';
import { CachedTypes } from './cached-types.ts';
import { listenPlanOf } from './listen-flag.ts';
import { addToRunning } from './running-serve.ts';
import { ServeUi, sayUiPlace, type UiFlags, uiFlagsOf } from './serve-ui.ts';
import { WatchRoute } from './watch-route.ts';

type ServeFlagValues = FlagValues<typeof serveFlags>;

const MOST_CLIENTS = 1024;

/** Holds caches and answers questions until it is ended. */
export async function serve(
  flags: ServeFlagValues,
  words: readonly string[],
  edges: Edges,
  routes?: MoreRoutes,
): Promise<ExitCode> {
  if (words.length === 0)
    throw new InformerError('argument', 'name a type to cache', {
      hint: `for example '${edges.called} pods,deploy'`,
    });
  refuseSandbox(flags);
  const port = listenPlanOf(flags.listen, flags['allow-remote']);
  const page = uiFlagsOf(flags);
  const declared = await Promise.all((flags.index ?? []).map((text) => parseIndex(text)));
  const metrics = await createPrometheusMetrics();
  await using session = await openSession(flags, edges, { metrics });
  const selections = await wholeTypes(words, session);
  const namespaces = flags['all-namespaces'] ? [''] : flags.namespace;
  const fixed = FIXED_FLAGS.filter((name) => flags[name] !== undefined && flags[name] !== false);
  const more = { words, indexes: flags.index ?? [], namespaces, fixed, ...(page ? { page } : {}) };
  const added = await addToRunning(serveIdentity(session.config), more, session);
  if (added !== undefined) return added;
  await using states = flags.persist
    ? await KeptStates.open(session, () => statePlace(session, cacheFolderOf(flags, session.io), 'serve'))
    : undefined;
  const recorder = flags.record === undefined ? undefined : await recorderFor(flags, session);
  await using own = new Serve(session, { flags, port, page, declared, namespaces, metrics, states, recorder, routes });
  await own.open();
  await own.hold(selections);
  return exitCodeOfEnd(session.signal.reason, { isSynced: true, isWaiting: false });
}

async function recorderFor(flags: ServeFlagValues, session: Session): Promise<Recorder | undefined> {
  const { recorderOf } = await import('../record/recorder-of.ts');
  return recorderOf(flags, session, 'serve');
}

/** Further paths at which a serve answers, from its caches and the file of its recording. */
export type MoreRoutes = (
  caches: { readonly session: Session; readonly recording: string | undefined } & Pick<Serve, 'types' | 'redactor'>,
) => ServeRoutes;

export interface ServePlan {
  readonly flags: ServeFlagValues;
  readonly port: ListenPlan | undefined;
  readonly page: UiFlags | undefined;
  readonly declared: readonly IndexDefinition[];
  readonly namespaces: readonly string[] | undefined;
  readonly metrics: PrometheusMetrics;
  readonly states: KeptStates | undefined;
  readonly recorder: Recorder | undefined;
  readonly routes?: MoreRoutes | undefined;
}

/** One serve: the caches that it holds, and the places where it answers from them. Must be disposed of. */
export class Serve implements AsyncDisposable {
  readonly #session: Session;
  readonly #plan: ServePlan;
  readonly #about: ServeAbout;
  /** The caches that it holds. */
  readonly types: CachedTypes;
  /** Marks values of Secrets in all answers: equal values have equal marks. */
  readonly redactor = new Redactor({ showSecrets: false });
  readonly #ui: ServeUi;
  readonly #server: ServeServer;
  /** The opened parts, to be closed in the reverse order. */
  readonly #opened: (Disposable | AsyncDisposable)[] = [];
  #folder = '';

  constructor(session: Session, plan: ServePlan) {
    this.#session = session;
    this.#plan = plan;
    this.#about = aboutOf(session, plan.flags);
    const { flags, declared, namespaces, metrics, states, recorder } = plan;
    const caches = new WatchCaches({ clock: session.clock });
    const readsManagedFields = declared.some(({ reads }) => reads?.some(isOfManagedFields));
    const keepManagedFields = flags['show-managed-fields'] || flags.ui || recorder !== undefined || readsManagedFields;
    this.types = new CachedTypes({
      states,
      recorder,
      session,
      caches,
      namespaces,
      keepManagedFields,
      metrics,
      declared,
    });
    this.#ui = new ServeUi(session, this.types, {
      file: () => path.join(this.#folder, 'ui-url'),
      recordedIn: flags.record,
    });
    this.#server = this.#answering(caches);
  }

  /** Opens the socket on which commands find it, the port of `--listen` and the page of `--ui`. */
  async open(): Promise<void> {
    const [session, plan] = [this.#session, this.#plan];
    const socket = this.#keep(await this.#openSocket());
    this.#folder = path.dirname(socket.path);
    session.atOnce.add(() => {
      this.#ui.removeNow();
      socket.removeNow();
    });
    const token = plan.port && this.#keep(new ListenToken(path.join(this.#folder, 'token')));
    const port = plan.port && token && this.#keep(await listening(plan.port, token, this.#server));
    const { server, user } = this.#about;
    const who = user === undefined ? '' : ` as ${JSON.stringify(user)}`;
    session.notice(`serve (pid ${process.pid}) for ${server}${who}`);
    if (port && token)
      session.notice(`listening on http://${port.address}; the token for "Authorization: Bearer" is in ${token.file}`);
    if (plan.page) sayUiPlace(session, await this.#ui.open(plan.page.port));
    const idle = plan.flags['idle-exit'];
    if (idle !== undefined)
      this.#keep(idleExit(() => Math.min(this.#server.idleMs, this.#ui.idleMs ?? this.#server.idleMs), idle, session));
  }

  /** Holds types until the session ends. */
  async hold(selections: readonly ResourceSelection[]): Promise<void> {
    const session = this.#session;
    const recording = this.#plan.recorder?.run(session.signal);
    try {
      using progress = showSyncProgress(session, session.status);
      const held = await Promise.allSettled(selections.map((selection) => this.#add(selection)));
      progress[Symbol.dispose]();
      const errors = held.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      session.signal.throwIfAborted();
      if (errors.length === held.length) throw SeveralErrors.of(errors);
      for (const error of errors) session.notice(`left out: ${messageOf(error)}`);
      session.notice(`ready: query and watch of this cluster use it by themselves; Ctrl-C or 'serve stop' ends it`);
      await aborted(session.signal);
    } catch (error) {
      if (!session.signal.aborted) throw error;
    } finally {
      session.end(new StreamEnd('done'));
      await this.types.ended();
      await recording;
    }
  }

  /** Closes what was opened. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _types = this.types;
    await using _ui = this.#ui;
    for (const each of this.#opened.reverse())
      await (Symbol.asyncDispose in each ? each[Symbol.asyncDispose]() : each[Symbol.dispose]());
  }

  #keep<T extends Disposable | AsyncDisposable>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  #openSocket(): Promise<ServeSocket> {
    const { config, io, clock } = this.#session;
    return openServeSocket({
      identity: serveIdentity(config),
      about: this.#about,
      env: io.env,
      clock,
      listen: (at) =>
        listen(
          { path: at },
          { answer: (request) => this.#server.answer(request, 'private') },
          { mostConnections: MOST_CLIENTS, requestMs: 0 },
        ),
    });
  }

  /** The server on the socket and on the port. */
  #answering(caches: WatchCaches): ServeServer {
    const [session, types, showsSecrets] = [this.#session, this.types, this.#plan.flags['show-secrets']];
    const { redactor } = this;
    const program = inspected(session, types, this.#plan.metrics);
    const watching = new WatchRoute({ session, types, redactor, showsSecrets });
    return new ServeServer({
      clock: session.clock,
      caches,
      questions: new Answering(session, types, redactor),
      lookups: new Lookups((words) => session.resolve(words), types, redactor),
      showsSecrets,
      routes: {
        ...this.#ui.routes,
        ...this.#plan.routes?.({ session, types, redactor, recording: this.#about.recording }),
        '/v1/watch': { methods: ['GET'], answer: (_, url, access) => watching.answer(url, access) },
      },
      other: (request) => answerPage(program, request, 'local'),
      status: () => this.#status(),
      add: (words, indexes) => this.#addMore(words, indexes),
      stop: () => session.end(new StreamEnd('done')),
    });
  }

  #status(): object {
    const { place } = this.#ui;
    return {
      ...this.#about,
      record: undefined,
      types: this.#typeStatuses(),
      indexes: this.types.declared.map(({ name, from }) => ({ name, from })),
      rssBytes: process.memoryUsage.rss(),
      ...(place ? { page: { address: place.address, file: place.file } } : {}),
    };
  }

  #typeStatuses(): TypeStatus[] {
    const now = this.#session.clock.now();
    return this.types.targets.map((target) => typeStatus(target, now));
  }

  /** Holds more types and indexes, as another `serve` asks. */
  async #addMore(words: readonly string[], indexes: readonly string[]): Promise<object> {
    for (const text of indexes) this.types.declare(await parseIndex(text));
    const selections = await this.#session.resolve(words);
    await Promise.all(selections.map((selection) => this.#add(selection)));
    return { types: this.#typeStatuses() };
  }

  async #add(selection: ResourceSelection): Promise<void> {
    const { informer, namespaces } = await this.types.add(selection);
    const where = namespaces === undefined || namespaces.includes('') ? '' : ` in ${namespaces.join(', ')}`;
    const { size } = informer.lister;
    this.#session.notice(`${formatGvr(selection.type.gvr)}: ${size} object${size === 1 ? '' : 's'}${where}`);
  }
}

/** Flags of a running serve that a second one cannot change. */
const FIXED_FLAGS = [
  'persist',
  'record',
  'show-managed-fields',
  'idle-exit',
  'listen',
  'allow-remote',
  'show-secrets',
] as const;

/** The types that words name. Throws `argument` for the name of a single object. */
async function wholeTypes(words: readonly string[], session: Session): Promise<readonly ResourceSelection[]> {
  const selections = await whenAvailable(session, () => session.resolve(words));
  const named = selections.find(({ names }) => names.length > 0);
  if (!named) return selections;
  throw new InformerError('argument', `serve holds whole types, and no single ${named.type.gvr.resource}`, {
    hint: `leave ${named.names.join(', ')} out; 'query' asks for single objects`,
  });
}

function aboutOf({ config, clock, io }: Session, flags: ServeFlagValues): ServeAbout {
  return {
    protocol: PROTOCOL_VERSION,
    version: VERSION,
    pid: process.pid,
    started: new Date(clock.now()).toISOString(),
    server: withoutLogin(config.server),
    context: config.context,
    user: config.user,
    record: connectionRecord(Object.fromEntries(namesOf(loginFlags).map((name) => [name, flags[name]])), io.env),
    recording: flags.record === undefined ? undefined : path.resolve(flags.record),
    anyAccount: !['exec', 'provider', undefined].includes(config.login?.kind),
  };
}

const inspected = ({ clock, signal }: Session, types: CachedTypes, metrics: PrometheusMetrics): InspectedProgram => ({
  controllers: [],
  objects: [],
  get informers() {
    return types.targets.map(({ informer }) => informer);
  },
  metrics,
  liveChecks: [],
  readyChecks: [],
  clock,
  ending: signal,
});

async function listening(plan: ListenPlan, token: ListenToken, server: ServeServer): Promise<HttpListener> {
  let { port } = plan;
  const answer: HttpAnswers['answer'] = async (request) =>
    token.refusal(request, { ...plan, port }) ?? server.answer(request, 'token');
  const listener = await listen(plan, { answer }, { mostConnections: MOST_CLIENTS });
  port = Number(listener.address.slice(listener.address.lastIndexOf(':') + 1));
  return listener;
}

/** Ends the serve when no client has been there for a time. */
function idleExit(unused: () => number, idleMs: number, session: Session): Disposable {
  const check = () => {
    const left = idleMs - unused();
    if (left > 0) {
      timer = session.clock.after(Math.max(left, 100), check);
      return;
    }
    session.notice(`ends: no client for ${humanDuration(idleMs)} (--idle-exit)`);
    session.end(new StreamEnd('done'));
  };
  let timer = session.clock.after(idleMs, check);
  return { [Symbol.dispose]: () => timer.cancel() };
}

function refuseSandbox(flags: ServeFlagValues): void {
  if (!flags.sandbox && flags.scenario === undefined) return;
  throw new InformerError('argument', 'serve --sandbox would hold caches of a server that no other command can find', {
    hint: "'sandbox --kubeconfig FILE' starts a server for several commands; KUBECONFIG=FILE leads all of them to it",
  });
}
