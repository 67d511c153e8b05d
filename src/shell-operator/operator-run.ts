import path from 'node:path';
import type { CommandLine } from '../cli/args/argv.ts';
import type { FlagValues } from '../cli/args/flag.ts';
import type { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { idleMsOf } from '../cli/args/shared-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { outageText } from '../cli/outage/outage-text.ts';
import { createElection } from '../cli/reconcile/election.ts';
import { showOutput } from '../cli/reconcile/hook-output.ts';
import { hookCredentials } from '../cli/reconcile/hook-run.ts';
import { reconcileLogger } from '../cli/reconcile/log.ts';
import { colorLevel } from '../cli/session/output.ts';
import { openSession, type Session } from '../cli/session/session.ts';
import { exitCodeOfEnd } from '../cli/terminal/exit-code-of-end.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import { StreamEnd, wordsOfEnd } from '../cli/terminal/stream-ending.ts';
import type { Transport } from '../client/http/transport.ts';
import { AccessRecord } from '../hooks/access/observed-access.ts';
import { observedTransport } from '../hooks/access/request-access.ts';
import { readWriteLimit } from '../hooks/manifest.ts';
import { ProgramGuard } from '../hooks/run/program-guard.ts';
import { onAbort } from '../kit/abort.ts';
import { humanDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';
import { actionText } from '../output/action-report.ts';
import { neutralised } from '../output/escape.ts';
import { loadPainter } from '../output/painter.ts';
import { outagesOf } from '../stream/outage.ts';
import { HookMetrics } from './hook-metrics.ts';
import { LiveOperator } from './live-operator.ts';
import type { Operator } from './operator.ts';
import { type OperatorMetrics, openPages, operatorMetrics } from './operator-pages.ts';
import { OperatorView } from './operator-view.ts';
import { environmentOf, operatorLease, type ReadOperator, readOperator } from './read-operator.ts';
import { RunFolder } from './run-files.ts';

type Flags = FlagValues<typeof reconcileFlags>;

/** Runs the hooks of a folder as shell-operator does, until the command is to end. */
export async function runShellOperator(line: CommandLine, flags: Flags, edges: Edges): Promise<ExitCode> {
  const read = await readOperator(line, flags, edges);
  const hookMetrics = new HookMetrics();
  const metrics = await operatorMetrics(flags.metrics, () => hookMetrics.text());
  const record =
    flags.observe === undefined
      ? undefined
      : new AccessRecord(flags.observe, (error) =>
          edges.io.stderr.write(`${neutralised(error.message)}; it stays incomplete (reported once)\n`),
        );
  const through = record && ((transport: Transport) => observedTransport(transport, (access) => record.add(access)));
  await using session = await openSession(flags, edges, { metrics: metrics.provider, through });
  await using folder = await RunFolder.make();
  session.atOnce.add(() => folder.removeNow());
  return await work({ session, flags, read, folder, hookMetrics, metrics });
}

interface RunOptions {
  readonly session: Session;
  readonly flags: Flags;
  readonly read: ReadOperator;
  readonly folder: RunFolder;
  readonly hookMetrics: HookMetrics;
  readonly metrics: OperatorMetrics;
}

/** The tasks at once with --per-object. */
const DEFAULT_WORKERS = 4;

async function work({ session, flags, read, folder, hookMetrics, metrics }: RunOptions): Promise<ExitCode> {
  const { clock, io } = session;
  const startedAt = clock.monotonic();
  const lease = operatorLease(flags, read.folder, session.config.namespace);
  const election = lease && createElection(session, lease);
  await using credentials = await hookCredentials(session, { passCredentials: flags['pass-credentials'] });
  using guard =
    election &&
    new ProgramGuard({ leaseOfRun: () => election.leaseLeft, clock, onFailure: (error) => session.end(error) });
  const painter = await loadPainter(colorLevel(flags.color, io));
  await using live = new LiveOperator({
    session,
    read,
    folder,
    env: environmentOf(flags, io.env, credentials?.env),
    client: election?.client ?? session.client,
    guard,
    mode: modeOf(flags),
    maxWrites: writeLimitOf(flags['max-writes']),
    maySeeSecrets: flags['show-secrets'],
    hotLoopRuns: flags['hot-loop'],
    perObject: flags['per-object'] ? (flags.workers ?? DEFAULT_WORKERS) : undefined,
    graceMs: flags.grace,
    hookTimeoutMs: flags['hook-timeout'],
    idleMs: idleMsOf(flags['idle-timeout']),
    metrics: metrics.provider,
    hookMetrics,
    logger: reconcileLogger(io, flags.v),
    onLine: (hook, text, stream) => showOutput(io, hook, text, stream),
    report: (outcomes) => io.stdout.write(actionText(outcomes, painter)),
  });
  const { operator, caches, ownWrites } = live;
  const name = path.basename(read.folder);
  const shown = {
    name,
    controllers: [new OperatorView(name, operator, ownWrites, clock)],
    informers: caches.informers,
    unready: () => (operator.hasStarted ? undefined : 'hooks have not seen the whole state of their bindings'),
  };
  await using _pages = await openPages(session, shown, { address: flags.metrics, page: metrics.page });
  sayStart(session, read, flags);
  await using _webhooks = await live.serve();
  let outages = '';
  using _end = onAbort(session.signal, () => {
    outages = outageText(outagesOf(caches.targets, clock.now()), caches.targets);
  });
  try {
    await (election ? election.run([], (signal) => operator.run(signal)) : operator.run(session.signal));
  } finally {
    session.end(new StreamEnd('done'));
    guard?.[Symbol.dispose]();
    await live.end();
  }
  sayEnd(session, operator, startedAt);
  if (outages !== '') session.notice(`${outages}; hooks did not see what changed meanwhile`);
  return exitCodeOfEnd(session.signal.reason, {
    isSynced: operator.hasStarted || operator.runCount > 0 || election !== undefined,
    isWaiting: false,
  });
}

const modeOf = (flags: Flags) => (flags['dry-run'] ? 'dry-run' : flags['allow-write'] ? 'write' : 'describe');

function writeLimitOf(given: string | undefined) {
  if (given === undefined) return undefined;
  const limit = readWriteLimit(given);
  if (!('expected' in limit)) return limit;
  throw new InformerError('argument', `invalid argument "${given}" for "--max-writes": expected ${limit.expected}`);
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

function sayStart(session: Session, { remarks, hooks, folder }: ReadOperator, flags: Flags): void {
  for (const remark of remarks) session.notice(remark);
  session.notice(`${counted(hooks.length, 'hook')} of ${folder}: ${hooks.map(({ name }) => name).join(', ')}`);
  const credentials = flags['pass-credentials'];
  if (!credentials)
    session.notice('a kubectl in a hook reaches no cluster (its KUBECONFIG is empty): --pass-credentials gives it one');
  const mode = modeOf(flags);
  if (mode === 'describe')
    session.notice(
      'what hooks write to KUBERNETES_PATCH_PATH is shown, not sent; --allow-write sends it, --dry-run lets the server check it',
    );
  else if (mode === 'dry-run' && credentials)
    session.notice(
      'hooks have your credentials: what a kubectl in them does is done, and only KUBERNETES_PATCH_PATH is checked',
    );
}

function sayEnd(session: Session, { runCount, failureCount }: Operator, startedAt: number): void {
  const { signal, clock } = session;
  const failed = failureCount === 0 ? '' : `, ${counted(failureCount, 'failure')}`;
  const runs = `${counted(runCount, 'run')} of hooks${failed}`;
  session.notice(`${wordsOfEnd(signal.reason)} after ${humanDuration(clock.monotonic() - startedAt)}: ${runs}`);
}
