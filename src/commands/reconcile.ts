import { BaseCommand } from '../cli/base-command.ts';
import { resolveWhenThere } from '../cli/crd-wait.ts';
import type { ExitCode } from '../cli/exit.ts';
import { bool, choice, connectionFlags, count, duration, idleMsOf, list, selectionFlags, text } from '../cli/flags.ts';
import { loadHook } from '../cli/hook-loading.ts';
import { stderrLogger } from '../cli/logging.ts';
import { checkFinalizer, ignoredNotice, mappedTypes, mergedConfig, onlyOne, predicatesOf } from '../cli/reconcile-config.ts';
import { reconcile } from '../cli/reconciling.ts';
import { checkSelectors, namespacesOf, openSession } from '../cli/session.ts';
import { neutralised } from '../output/escape.ts';
import { parseIndex } from '../query/index-definition.ts';

export default class ReconcileCommand extends BaseCommand {
  static override summary = 'run a hook of yours for every object that changes, from a work queue';
  static override description =
    'Keeps a cache of the type and queues a key for every change; the hook is run for one key at a time, for different keys at once with --workers, and again with back-off when it fails. What it asks for is shown, and sent only with --allow-write. A hook is a JS or TS module, an executable (JSON on stdin; exit 0 ok, 64 bad configuration, 65 give up, anything else try again), or a command line with {{.placeholders}}.';
  static override usage = 'reconcile TYPE (--hook FILE | --exec COMMAND) [FLAGS]';
  static override examples = [
    {
      description: 'a TypeScript hook on Deployments; see what it would do',
      command: '<%= config.bin %> reconcile deployments -n shop --hook ./scale-guard.ts',
    },
    {
      description: 'let it do so, four keys at once',
      command: '<%= config.bin %> reconcile deployments -n shop --hook ./scale-guard.ts --allow-write --workers 4',
    },
    {
      description: 'a command for every pod',
      command: `<%= config.bin %> reconcile pods -n shop --pass-credentials --exec 'kubectl annotate pod {{.metadata.name}} -n {{.metadata.namespace}} seen=yes'`,
    },
    { description: 'try it without a cluster', command: '<%= config.bin %> reconcile deployments -A --sandbox --hook ./scale-guard.ts' },
  ];
  static override flags = {
    hook: text({ summary: 'a .js or .ts module, or an executable', helpValue: 'FILE' }),
    exec: text({ summary: 'a command line; {{.path}} stands for a value of the object', helpValue: 'COMMAND' }),
    shell: bool({ summary: 'with --exec: let sh read the line; placeholders stand outside of quotes' }),
    ...selectionFlags,
    owns: list({ summary: 'types whose objects the reconciled ones control: their changes count too', helpValue: 'TYPE[,…]', split: true }),
    watches: list({ summary: 'another type that leads to reconciled objects, by --map (repeatable)', helpValue: 'TYPE' }),
    map: list({ summary: 'for each --watches: where its objects name the reconciled ones', helpValue: 'EXPRESSION' }),
    predicate: list({
      summary: 'only updates that change generation, labels, annotations, spec, status or finalizers',
      helpValue: 'NAME[,…]',
      split: true,
    }),
    index: list({ summary: 'an index for ctx.index (repeatable)', helpValue: 'NAME=EXPRESSION' }),
    every: duration({ summary: 'every key again, this often' }),
    'idle-timeout': duration({ summary: 'silence, without even a bookmark, after which a watch is taken for dead and resumed (150s)' }),
    workers: count({ summary: 'different keys at once (default 1)', min: 1 }),
    'max-retries': count({ summary: 'give a failing key up after so many retries' }),
    'hook-timeout': duration({ summary: 'longest time for one run' }),
    finalizer: text({ summary: 'run the hook before a deletion, and hold it until that went well', helpValue: 'NAME' }),
    'allow-write': bool({ summary: 'send what the hook asks for' }),
    'dry-run': bool({ summary: 'send it as a server-side dry run' }),
    'max-writes': text({ summary: 'hold back writes beyond this (default 600/m)', helpValue: 'N/TIME' }),
    'pass-credentials': bool({ summary: 'let the hook have the way to the cluster (KUBECONFIG)' }),
    'show-secrets': bool({ summary: "give the hook Secrets' values instead of hmac:… marks" }),
    'log-format': choice(['text', 'json'], { summary: 'how lines on stderr look', default: 'text' }),
    ...connectionFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(ReconcileCommand.flags);
    const hook = await loadHook({ hook: flags.hook, exec: flags.exec, shell: flags.shell });
    const config = mergedConfig(flags, hook);
    checkSelectors({ selector: config.selector, 'field-selector': config.fieldSelector });
    checkFinalizer(config);
    const indexes = await Promise.all((flags.index ?? []).map((text) => parseIndex(text, this.failed)));
    const predicates = predicatesOf(config);
    await using session = await openSession(flags, this.edges);
    const ignored = ignoredNotice(flags, hook);
    if (ignored !== undefined) session.notice(ignored);
    const primary = onlyOne(await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words)));
    const scope = { namespace: config.namespace ? [...config.namespace] : undefined, 'all-namespaces': config.allNamespaces ?? false };
    return await reconcile(session, {
      hook,
      primary,
      owns: config.owns?.length ? await session.resolve([config.owns.join(',')]) : [],
      watches: await mappedTypes(config, session, this.failed),
      predicates,
      indexes,
      namespaces: namespacesOf(scope, session.config),
      selector: config.selector,
      fieldSelector: config.fieldSelector,
      everyMs: config.everyMs,
      idleMs: idleMsOf(flags['idle-timeout']),
      workers: config.workers ?? 1,
      maxRetries: config.maxRetries,
      hookTimeoutMs: config.hookTimeoutMs,
      finalizer: config.finalizer,
      mode: config.dryRun ? 'dry-run' : config.allowWrite ? 'write' : 'describe',
      maxWrites: config.maxWrites,
      passCredentials: config.passCredentials ?? false,
      showSecrets: config.showSecrets ?? false,
      logger: stderrLogger(session.io, Math.max(4, flags.v ?? 0), flags['log-format']),
    });
  }

  /** An expression that fails on an object finds nothing there, which is said once. */
  private readonly failed = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it counts as no value (reported once)\n`);
  };
}
