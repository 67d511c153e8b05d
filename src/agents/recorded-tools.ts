import { valuesOf } from '../cli/args/flag.ts';
import { mcpFlags } from '../cli/args/mcp-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { PAGE_READING } from '../cli/record/recorded-page.ts';
import { recordedServer } from '../cli/record/recorded-server.ts';
import { answerReading, type RecordingReader } from '../cli/record/recording-reader.ts';
import { CachedTypes } from '../cli/serve/cached-types.ts';
import { openSession } from '../cli/session/session.ts';
import { createPrometheusMetrics } from '../ops/prometheus.ts';
import { WatchCaches } from '../serve/watch-cache/watch-caches.ts';
import { Redactor } from '../stream/redact.ts';
import { AgentCaches } from './agent-caches.ts';
import { historyInRecording, storyInRecording } from './past-tools.ts';
import { RecentChanges } from './recent-changes.ts';
import type { ToolContext } from './tool.ts';
import { Arguments, SCHEMAS, type ToolName } from './tool-schemas.ts';
import { TOOLS } from './tools.ts';

/** A call of a tool that a recording may answer. */
export interface RecordedCall {
  readonly tool: ToolName;
  readonly given: Readonly<Record<string, unknown>>;
  readonly budget: number;
}

/** Answers calls of tools from a recording; undefined for what the recording does not have. */
export type PastAnswers = (call: RecordedCall, signal: AbortSignal) => Promise<string | undefined>;

/** Whether a call is about what was: with `at` it is about nothing else. */
export const isOfPast = ({ tool, given }: Pick<RecordedCall, 'tool' | 'given'>): boolean =>
  tool === 'history' || tool === 'story' || Boolean(given.at);

/** Answers from a recording in processes of their own. */
export const pastInProcesses =
  (reader: RecordingReader, file: string): PastAnswers =>
  async ({ tool, given, budget }, signal) =>
    (await reader.text({ kind: 'tool', file, tool, given, budget }, signal)) || undefined;

/** Answers from the recording of these caches in this process, which does nothing else meanwhile. */
export const pastHere =
  (parts: Pick<ToolContext, 'caches' | 'changes'>): PastAnswers =>
  async ({ tool, given, budget }, signal) => {
    const args = new Arguments(given, SCHEMAS[tool]);
    const context = { ...parts, budget, signal, progress: undefined };
    if (tool === 'history') return await historyInRecording(args, context);
    if (tool === 'story') return await storyInRecording(args, context);
    return await TOOLS[tool](args, context);
  };

/** Answers the one question for which this process was started, of an agent or of a page. */
export const answerAsReader = (edges: Edges) => answerReading({ ...PAGE_READING, tool: toolReading }, edges);

async function* toolReading({ file, ...call }: RecordedCall & { readonly file: string }, edges: Edges) {
  using recorded = await recordedServer({ from: file }, new Map(), edges.io);
  await using session = await openSession(valuesOf(mcpFlags, new Map()), edges, { once: true, instead: recorded });
  using types = new CachedTypes({
    session,
    namespaces: undefined,
    keepManagedFields: false,
    metrics: await createPrometheusMetrics(),
    caches: new WatchCaches({ clock: session.clock }),
    declared: [],
  });
  const caches = new AgentCaches({ session, types, redactor: new Redactor({ showSecrets: false }), recording: file });
  using changes = new RecentChanges(caches);
  const text = await pastHere({ caches, changes })(call, session.signal);
  if (text !== undefined) yield text;
}
