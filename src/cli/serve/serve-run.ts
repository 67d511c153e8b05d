import path from 'node:path';
import { abortable, aborted } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { type HttpListener, listen } from '../../kit/http-listener.ts';
import { withoutLogin } from '../../kit/secret-free-text.ts';
import { isOfManagedFields } from '../../model/field-path.ts';
import { formatGvr } from '../../model/gvr.ts';
import { createPrometheusMetrics } from '../../ops/prometheus.ts';
import { VERSION } from '../../package.ts';
import { parseIndex } from '../../query/index/index-definition.ts';
import type { ServeAbout } from '../../serve/about.ts';
import { connectionRecord } from '../../serve/connection-record.ts';
import { serveIdentity } from '../../serve/identity.ts';
import { openServeSocket } from '../../serve/place.ts';
import { PROTOCOL_VERSION } from '../../serve/protocol.ts';
import { WatchCaches } from '../../serve/watch-cache/watch-caches.ts';
import { Redactor } from '../../stream/redact.ts';
import type { FlagValues } from '../args/flag.ts';
import { namesOf } from '../args/flag.ts';
import type { serveFlags } from '../args/serve-flags.ts';
import { loginFlags } from '../args/shared-flags.ts';
import type { Edges } from '../base-command.ts';
import { cacheFolderOf } from '../session/cache-folder.ts';
import { openSession, type Session } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { whenAvailable } from '../session/when-available.ts';
import { type ExitCode, SeveralErrors } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd } from '../terminal/stream-ending.ts';
import { Answering } from './answer-request.ts';
import { HeldTypes } from './held-types.ts';
import { KeptStates } from './kept-states.ts';
import { ListenToken, listenPlanOf } from './listen-flag.ts';
import { Lookups } from './lookups.ts';
import { addToRunning } from './running-serve.ts';
import { ServeServer } from './serve-server.ts';
import { typeStatuses } from './serve-status.ts';
import { ServeUi, sayUiPlace, uiAskedOf } from './serve-ui.ts';
import { WatchRoute } from './watch-route.ts';

type ServeFlagValues = FlagValues<typeof serveFlags>;

/** How a cache without a connection is judged: the readiness page turns false after this time, ms. */
const STALE_AFTER_MS = 60_000;

const MOST_CLIENTS = 1024;

/** Holds caches and answers questions until it is ended. */
export async function serve(flags: ServeFlagValues, words: readonly string[], edges: Edges): Promise<ExitCode> {
  if (words.length === 0)
    throw new InformerError('argument', 'there is no type to hold', {
      hint: `for example '${edges.called} pods,deploy'`,
    });
  refuseSandbox(flags);
  const plan = listenPlanOf(flags.listen, flags['allow-remote']);
  const page = uiAskedOf(flags);
  const declared = await Promise.all((flags.index ?? []).map((text) => parseIndex(text)));
  const metrics = await createPrometheusMetrics();
  await using session = await openSession(flags, edges, { metrics });
  const identity = serveIdentity(session.config);
  const selections = await whenAvailable(session, () => session.resolve(words));
  const named = selections.find(({ names }) => names.length > 0);
  if (named)
    throw new InformerError('argument', `serve holds whole types, and no single ${named.type.gvr.resource}`, {
      hint: `leave ${named.names.join(', ')} out; 'query' asks for single objects`,
    });
  const namespaces = flags['all-namespaces'] ? [''] : flags.namespace;
  const fixed = FIXED_FLAGS.filter((name) => flags[name] !== undefined && flags[name] !== false);
  const more = { words, indexes: flags.index ?? [], namespaces, fixed, ...(page ? { page } : {}) };
  const added = await addToRunning(identity, more, session);
  if (added !== undefined) return added;
  const caches = new WatchCaches({ clock: session.clock });
  await using states = flags.persist ? await KeptStates.open(session, cacheFolderOf(flags, session.io)) : undefined;
  using types = new HeldTypes({
    states,
    session,
    caches,
    namespaces,
    keepManagedFields:
      flags['show-managed-fields'] || flags.ui || declared.some(({ reads }) => reads?.some(isOfManagedFields)),
    metrics,
    declared,
  });
  const started = new Date(session.clock.now()).toISOString();
  const about: ServeAbout = {
    protocol: PROTOCOL_VERSION,
    version: VERSION,
    pid: process.pid,
    started,
    server: withoutLogin(session.config.server),
    context: session.config.context,
    user: session.config.user,
    record: connectionRecord(
      Object.fromEntries(namesOf(loginFlags).map((name) => [name, flags[name]])),
      session.io.env,
    ),
    anyAccount: !['exec', 'provider', undefined].includes(session.config.login?.kind),
  };
  let folder = '';
  await using ui = new ServeUi(session, types, () => path.join(folder, 'ui-url'));
  const redactor = new Redactor({ showSecrets: false }); // one for all answers: equal values have equal marks
  const watching = new WatchRoute({ session, types, redactor, showsSecrets: flags['show-secrets'] });
  const server = new ServeServer({
    clock: session.clock,
    caches,
    answering: new Answering(session, types, redactor),
    lookups: new Lookups(session, types, redactor),
    showsSecrets: flags['show-secrets'],
    routes: {
      ...ui.routes,
      '/v1/watch': { methods: ['GET'], answer: (_, url, access) => watching.answer(url, access) },
    },
    program: {
      controllers: [],
      objects: [],
      get informers() {
        return types.targets.map(({ informer }) => informer);
      },
      metrics,
      liveChecks: [],
      readyChecks: [],
      clock: session.clock,
      staleAfterMs: STALE_AFTER_MS,
      ending: session.signal,
    },
    status: () => ({
      ...about,
      record: undefined,
      types: typeStatuses(types, session),
      indexes: types.declared.map(({ name, from }) => ({ name, from })),
      rssBytes: process.memoryUsage.rss(),
      ...(ui.place ? { page: { address: ui.place.address, file: ui.place.file } } : {}),
    }),
    async add(moreWords, moreIndexes) {
      for (const text of moreIndexes) types.declare(await parseIndex(text));
      const more = await session.resolve(moreWords);
      await Promise.all(more.map((selection) => hold(types, selection, session)));
      return { types: typeStatuses(types, session) };
    },
    stop: () => session.end(new StreamEnd('done')),
  });
  await using socket = await openServeSocket({
    identity,
    about,
    env: session.io.env,
    clock: session.clock,
    listen: (at) =>
      listen(
        { path: at },
        { answer: (request) => server.answer(request, 'private') },
        { mostConnections: MOST_CLIENTS, requestMs: 0 },
      ),
  });
  folder = path.dirname(socket.path);
  session.atOnce.add(() => {
    ui.removeNow();
    socket.removeNow();
  });
  using token = plan && new ListenToken(path.join(path.dirname(socket.path), 'token'));
  await using port = await opened(plan, token, server);
  const who = about.user === undefined ? '' : ` as ${JSON.stringify(about.user)}`;
  session.notice(`serve (pid ${process.pid}) for ${about.server}${who}`);
  if (port && token)
    session.notice(`listening on http://${port.address}; the token for "Authorization: Bearer" is in ${token.file}`);
  if (page) sayUiPlace(session, await ui.open(page.port));
  const idle = flags['idle-exit'];
  using _idle =
    idle === undefined ? undefined : idleExit(() => Math.min(server.idleMs, ui.idleMs ?? server.idleMs), idle, session);
  try {
    using _progress = showSyncProgress(session, session.status);
    const held = await Promise.allSettled(selections.map((selection) => hold(types, selection, session)));
    _progress[Symbol.dispose]();
    const errors = held.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    session.signal.throwIfAborted();
    if (errors.length === held.length) throw SeveralErrors.of(errors);
    for (const error of errors) session.notice(`left out: ${messageOf(error)}`);
    session.notice(`ready: query and watch of this cluster use it by themselves; Ctrl-C or 'serve stop' ends it`);
    await abortable(aborted(session.signal), session.signal).catch(() => {});
  } catch (error) {
    if (!session.signal.aborted) throw error;
  } finally {
    session.end(new StreamEnd('done'));
    await types.ended();
  }
  return exitCodeOfEnd(session.signal.reason, { isSynced: true, isWaiting: false });
}

/** What a serve is started with, and a second one cannot change. */
const FIXED_FLAGS = ['persist', 'show-managed-fields', 'idle-exit', 'listen', 'allow-remote', 'show-secrets'] as const;

async function hold(types: HeldTypes, selection: Parameters<HeldTypes['add']>[0], session: Session): Promise<void> {
  const { informer, namespaces } = await types.add(selection);
  const where = namespaces === undefined || namespaces.includes('') ? '' : ` in ${namespaces.join(', ')}`;
  const { size } = informer.lister;
  session.notice(`${formatGvr(selection.type.gvr)}: ${size} object${size === 1 ? '' : 's'}${where}`);
}

async function opened(
  plan: ReturnType<typeof listenPlanOf>,
  token: ListenToken | undefined,
  server: ServeServer,
): Promise<HttpListener | undefined> {
  if (!plan || !token) return undefined;
  let { port } = plan;
  const listener = await listen(plan, {
    answer: async (request) => token.refusal(request, { ...plan, port }) ?? server.answer(request, 'token'),
  });
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
