import type { FlagValues } from '../cli/args/flag.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { refuseBeside, refuseWithout } from '../cli/args/useless-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { whenAvailable } from '../cli/outage/when-available.ts';
import { ignoredNotice } from '../cli/reconcile/config.ts';
import { reconcileLogger } from '../cli/reconcile/log.ts';
import { Operations } from '../cli/reconcile/operations.ts';
import { readReconcile, resolvedPlan } from '../cli/reconcile/read-plan.ts';
import { reconcile } from '../cli/reconcile/reconcile-run.ts';
import { colorLevel } from '../cli/session/output.ts';
import { openSession, type Session } from '../cli/session/session.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import type { Transport } from '../client/http/transport.ts';
import { AccessRecord } from '../hooks/access/observed-access.ts';
import { observedTransport } from '../hooks/access/request-access.ts';
import { InformerError } from '../kit/error.ts';
import { neutralised } from '../output/escape.ts';
import { loadPainter } from '../output/painter.ts';

/** Flags that say nothing about a recording. */
const NOT_OF_RECORDINGS = [
  ...[
    'allow-write',
    'dry-run',
    'pass-credentials',
    'leader-elect',
    'shards',
    'journal',
    'observe',
    'wait-for-crd',
    'record',
  ],
  ...['context', 'kubeconfig', 'server', 'sandbox', 'scenario', 'idle-timeout', 'shell-operator'],
];

export default class ReconcileCommand extends BaseCommand {
  static override summary = 'Run your hook for every object that changes';
  static override description =
    `Keeps a cache of the type and queues a key for every change. The hook runs for one key at a time (with --workers, for several different keys), and again with back-off when it fails. What it asks for is shown, and is sent only with --allow-write.

A hook is a JS or TS module; an executable, which gets JSON on stdin (exit code 0 done, 64 bad configuration, 65 give up, any other: retry); or a command line with {{.placeholders}}.`;
  static override usage = 'reconcile (TYPE (--hook FILE | --exec COMMAND) | --shell-operator DIR) [FLAGS]';
  static override examples = [
    {
      description: 'A TypeScript hook for Deployments: show what it would do',
      command: '<%= config.bin %> reconcile deployments -n shop --hook ./scale-guard.ts',
    },
    {
      description: 'Let it write, with four keys at the same time',
      command: '<%= config.bin %> reconcile deployments -n shop --hook ./scale-guard.ts --allow-write --workers 4',
    },
    {
      description: 'A command for every pod',
      command: `<%= config.bin %> reconcile pods -n shop --pass-credentials --exec 'kubectl annotate pod {{.metadata.name}} -n {{.metadata.namespace}} seen=yes'`,
    },
    {
      description: 'Without a cluster',
      command: '<%= config.bin %> reconcile deployments -A --sandbox --hook ./scale-guard.ts',
    },
  ];
  static override flags = reconcileFlags;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(reconcileFlags);
    if (flags['shell-operator'] !== undefined)
      return await (await import('../shell-operator/operator-run.ts')).runShellOperator(this.line, flags, this.edges);
    refuseWithout(this.line.given, ['per-object', 'pass-env'], ['shell-operator']);
    if (words.length === 0 && flags.hook === undefined && flags.exec === undefined)
      throw new InformerError('argument', 'reconcile needs a TYPE, and one of --hook FILE and --exec COMMAND', {
        hint: "for example reconcile deployments --hook ./reconcile.ts, or reconcile pods --exec 'echo {{.metadata.name}}'",
      });
    const read = await readReconcile(flags, this.edges.io, this.failed);
    await using operations = await Operations.open(flags.metrics, this.edges);
    const record = flags.observe === undefined ? undefined : new AccessRecord(flags.observe, this.unrecorded);
    const through = record && ((transport: Transport) => observedTransport(transport, (access) => record.add(access)));
    using replayed = await this.#replayed(flags);
    await using session = await openSession(flags, this.edges, {
      metrics: operations.metrics,
      through,
      instead: replayed,
    });
    replayed?.play(session);
    await using recording = await this.#recording(flags, session);
    const ignored = ignoredNotice(flags, read.hook);
    if (ignored !== undefined) session.notice(ignored);
    return await reconcile(session, {
      ...(await whenAvailable(session, () => resolvedPlan(read, words, session))),
      painter: await loadPainter(colorLevel(flags.color, session.io)),
      logger: reconcileLogger(session.io, flags.v ?? 0),
      operations,
      replay: replayed,
      recording,
    });
  }

  async #recording(flags: FlagValues<typeof reconcileFlags>, session: Session) {
    const { given } = this.line;
    refuseWithout(given, ['record-keep', 'record-size', 'record-key'], ['record']);
    refuseBeside(given, ['record'], ['shards'], 'a replica sees its part of the objects alone: record with watch');
    if (flags.record === undefined) return undefined;
    return (await import('../cli/record/run-recording.ts')).RunRecording.open(flags, session);
  }

  async #replayed({ from, ...flags }: FlagValues<typeof reconcileFlags>) {
    const { given } = this.line;
    refuseWithout(given, ['seek', 'speed'], ['from']);
    refuseBeside(given, NOT_OF_RECORDINGS, ['from'], 'a recording takes no writes, and is read in place of a cluster');
    if (from === undefined) return undefined;
    const { replayedServer } = await import('../cli/record/replayed-server.ts');
    const speed = Number.POSITIVE_INFINITY;
    return await replayedServer({ flags: { ...flags, from }, given, speed, once: false }, this.edges.io);
  }

  private readonly unrecorded = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it stays incomplete (reported once)\n`);
  };

  /** An expression that fails on an object finds nothing there, which is said once. */
  private readonly failed = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it counts as no value (reported once)\n`);
  };
}
