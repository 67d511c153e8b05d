import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { type FlagValues, valuesOf } from '../cli/args/flag.ts';
import type { mcpFlags } from '../cli/args/mcp-flags.ts';
import { serveFlags } from '../cli/args/serve-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { RecordingReader } from '../cli/record/recording-reader.ts';
import { CachedTypes } from '../cli/serve/cached-types.ts';
import { askRunning, runningServe } from '../cli/serve/running-serve.ts';
import { Serve } from '../cli/serve/serve-run.ts';
import { openSession, type Session } from '../cli/session/session.ts';
import { exitCodeOfEnd } from '../cli/terminal/exit-code-of-end.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import type { TextSink } from '../cli/terminal/io.ts';
import { StreamEnd } from '../cli/terminal/stream-ending.ts';
import { aborted } from '../kit/abort.ts';
import { isInformerError, messageOf } from '../kit/error.ts';
import { createPrometheusMetrics } from '../ops/prometheus.ts';
import { parseIndex } from '../query/index/index-definition.ts';
import { isListening } from '../serve/client/listening.ts';
import type { FoundServe } from '../serve/find.ts';
import { serveIdentity } from '../serve/folder-key.ts';
import { WatchCaches } from '../serve/watch-cache/watch-caches.ts';
import { Redactor } from '../stream/redact.ts';
import { AgentCaches } from './agent-caches.ts';
import { AgentDoor, agentLog } from './agent-door.ts';
import { loadMcpSdk } from './mcp-sdk.ts';
import { RecentChanges } from './recent-changes.ts';
import { pastInProcesses } from './recorded-tools.ts';

type McpFlagValues = FlagValues<typeof mcpFlags>;

/** Answers one agent over stdin and stdout until it ends. */
export async function mcp(flags: McpFlagValues, words: readonly string[], edges: Edges): Promise<ExitCode> {
  const sdk = loadMcpSdk();
  const file = flags['log-file'] === undefined ? undefined : openSync(flags['log-file'], 'a', 0o600);
  await using session = await openSession(flags, edges, { serve: { needsManagedFields: false, isQuiet: true } });
  try {
    await using held = await answeringCaches(flags, session);
    const { caches, recording } = held;
    const past = recording === undefined ? undefined : pastInProcesses(new RecordingReader(session.io.env), recording);
    using changes = new RecentChanges(caches);
    const log = agentLog((text) => session.notice(text), file === undefined ? undefined : { fd: file, now: () => session.clock.now() }); // biome-ignore format: one call
    const server = new AgentDoor({ sdk, caches, changes, log, past }).open('agent');
    const end = () => session.end(new StreamEnd('done'));
    process.stdin.once('end', end).once('close', end);
    await server.connect(sdk.stdio(process.stdin, writableOf(session.io.stdout)));
    for (const word of words)
      void caches.targetsOf(word).catch((error) => {
        if (isInformerError(error, 'discovery')) session.end(error);
        else if (!session.signal.aborted) session.notice(`left out: ${messageOf(error)}`);
      });
    await aborted(session.signal);
    await server.close();
    await held.types.ended();
  } finally {
    process.stdin.pause();
    if (file !== undefined) closeSync(file);
  }
  return exitCodeOfEnd(session.signal.reason, { isSynced: true, isWaiting: false });
}

interface AnsweringCaches extends AsyncDisposable {
  readonly caches: AgentCaches;
  readonly types: CachedTypes;
  /** The recording that the serve makes from which the caches read. */
  readonly recording?: string | undefined;
}

/**
 * The caches of this process. Where a serve runs they read from it, and it holds their types too; else this process is
 * the serve that other commands and agents find. No other command finds a sandbox of its own.
 */
async function answeringCaches(flags: McpFlagValues, session: Session): Promise<AnsweringCaches> {
  const namespaces = flags['all-namespaces'] ? [''] : flags.namespace;
  const declared = await Promise.all((flags.index ?? []).map((text) => parseIndex(text)));
  const isSandbox = flags.sandbox || flags.scenario !== undefined;
  const running = isSandbox ? undefined : await runningServe(serveIdentity(session.config), session.io.env);
  const metrics = await createPrometheusMetrics();
  if (!running && !isSandbox) {
    const given = { ...valuesOf(serveFlags, new Map()), ...flags, 'show-managed-fields': true };
    const own = new Serve(session, { flags: given, port: undefined, page: undefined, declared, namespaces, metrics, states: undefined, recorder: undefined }); // biome-ignore format: one call
    try {
      await own.open();
      const { types, redactor } = own;
      const caches = new AgentCaches({ session, types, redactor });
      return { caches, types, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
    } catch (error) {
      await own[Symbol.asyncDispose]();
      if (!isInformerError(error)) throw error;
      session.notice(`other commands do not find these caches: ${error.message}`);
    }
  }
  const watchCaches = new WatchCaches({ clock: session.clock });
  const types = new CachedTypes({
    session,
    namespaces,
    keepManagedFields: true,
    metrics,
    caches: watchCaches,
    declared,
  });
  const share = running && {
    share: (word: string) => shareWith(running, word, session.clock),
  };
  const caches = new AgentCaches({ session, types, redactor: new Redactor({ showSecrets: false }), ...share }); // biome-ignore format: one call
  return {
    caches,
    types,
    recording: running?.about.recording,
    async [Symbol.asyncDispose]() {
      types[Symbol.dispose]();
    },
  };
}

/** How often a serve that is silent is asked again: to read a large type takes it longer than an answer may take. */
const MOST_TRIES = 12;

/** Lets a serve hold a type. Where it cannot, the cluster is read. */
async function shareWith(running: FoundServe, word: string, clock: Session['clock']): Promise<void> {
  const request = { path: '/v1/types', method: 'POST', body: JSON.stringify({ words: [word], indexes: [] }) } as const;
  for (let i = 0; i < MOST_TRIES; i++)
    try {
      await askRunning(running, request, clock);
      return;
    } catch (error) {
      if (!isInformerError(error, 'transport') || !(await isListening(running.socket))) return;
    }
}

/** The SDK's messages go the way of all text that a command prints. */
function writableOf(sink: TextSink): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      if (sink.write(text)) done();
      else void sink.ready().then(() => done(), done);
    },
  });
}
