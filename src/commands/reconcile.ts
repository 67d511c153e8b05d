import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { idleMsOf } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { checkFinalizer, ignoredNotice, mergedConfig } from '../cli/reconcile/config.ts';
import { graceMsOf } from '../cli/reconcile/drain.ts';
import { loadHook } from '../cli/reconcile/hook-loading.ts';
import { shownOnStderr } from '../cli/reconcile/hook-output.ts';
import { mappedType } from '../cli/reconcile/key-map.ts';
import { leasePlanOf } from '../cli/reconcile/lease-plan.ts';
import { reconcileLogger } from '../cli/reconcile/log.ts';
import { AccessRecord } from '../cli/reconcile/observed-access.ts';
import { onlyOne } from '../cli/reconcile/only-one.ts';
import { Operations } from '../cli/reconcile/operations.ts';
import { observedTransport } from '../cli/reconcile/request-access.ts';
import { reconcile } from '../cli/reconcile/run.ts';
import { snapshotPlans } from '../cli/reconcile/snapshots.ts';
import { triggersOf } from '../cli/reconcile/trigger-checks.ts';
import { resolveWhenThere } from '../cli/session/crd-wait.ts';
import { colorLevel } from '../cli/session/output.ts';
import { checkRollouts } from '../cli/session/rollout-check.ts';
import { checkSelectors, namespacesOf, openSession } from '../cli/session/session.ts';
import { checkWheres } from '../cli/session/where-check.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import type { Transport } from '../client/http/transport.ts';
import { neutralised } from '../output/escape.ts';
import { loadPainter } from '../output/painter.ts';
import { parseIndex } from '../query/index-definition.ts';

export default class ReconcileCommand extends BaseCommand {
  static override summary = 'Run your hook for every object that changes';
  static override description =
    `Keeps a cache of the type and queues a key for every change. The hook runs for one key at a time (with --workers, for several different keys), and again with back-off when it fails. What it asks for is shown, and is sent only with --allow-write.

A hook is a JS or TS module; an executable, which gets JSON on stdin (exit code 0 done, 64 bad configuration, 65 give up, any other: retry); or a command line with {{.placeholders}}.`;
  static override usage = 'reconcile TYPE (--hook FILE | --exec COMMAND) [FLAGS]';
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
    const hook = await loadHook(flags, shownOnStderr(this.edges.io));
    const config = mergedConfig(flags, hook);
    checkSelectors({ selector: config.selector, 'field-selector': config.fieldSelector });
    checkFinalizer(config);
    const indexes = await Promise.all((flags.index ?? []).map((text) => parseIndex(text, this.failed)));
    const { filters, snapshots, schedules, retries } = await triggersOf(config, hook, flags);
    const graceMs = graceMsOf(flags.grace);
    await using operations = await Operations.open(flags.metrics, this.edges);
    const record = flags.observe === undefined ? undefined : new AccessRecord(flags.observe, this.unrecorded);
    const through = record && ((transport: Transport) => observedTransport(transport, (access) => record.add(access)));
    await using session = await openSession(flags, this.edges, { metrics: operations.metrics, through });
    const ignored = ignoredNotice(flags, hook);
    if (ignored !== undefined) session.notice(ignored);
    const primary = onlyOne(await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words)));
    const scope = {
      namespace: config.namespace ? [...config.namespace] : undefined,
      'all-namespaces': config.allNamespaces ?? false,
    };
    const namespaces = namespacesOf(scope, session.config);
    await checkWheres(filters.wheres, [primary.type], namespaces.length === 1 ? namespaces[0] : undefined, session);
    checkRollouts(filters.filters, [], [primary.type]);
    const { showSecrets = false } = config;
    const mapping = { primary: primary.type, indexes, showSecrets, onError: this.failed };
    return await reconcile(session, {
      hook,
      primary,
      owns: config.owns?.length ? await session.resolve([config.owns.join(',')]) : [],
      watches: await Promise.all((config.watches ?? []).map((watch) => mappedType(watch, session, mapping))),
      snapshots: await snapshotPlans(snapshots, session),
      filters,
      indexes,
      namespaces,
      selector: config.selector,
      fieldSelector: config.fieldSelector,
      everyMs: config.everyMs,
      schedules,
      idleMs: idleMsOf(flags['idle-timeout']),
      lease: leasePlanOf(flags, {
        hook: hook.name,
        gvr: primary.type.gvr,
        isNamespaced: primary.type.namespaced,
        namespaces,
        current: session.config.namespace,
      }),
      workers: config.workers ?? 1,
      maxRetries: config.maxRetries,
      retries,
      hookTimeoutMs: config.hookTimeoutMs,
      finalizer: config.finalizer,
      mode: config.dryRun ? 'dry-run' : config.allowWrite ? 'write' : 'describe',
      maxWrites: config.maxWrites,
      journal: flags.journal,
      hotLoopRuns: config.hotLoop ?? 10,
      passCredentials: config.passCredentials ?? false,
      showSecrets,
      painter: await loadPainter(colorLevel(flags.color, session.io)),
      logger: reconcileLogger(session.io, flags.v ?? 0),
      graceMs,
      operations,
    });
  }

  private readonly unrecorded = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it stays incomplete (reported once)\n`);
  };

  /** An expression that fails on an object finds nothing there, which is said once. */
  private readonly failed = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it counts as no value (reported once)\n`);
  };
}
