import { count, group, list, text } from '../cli/args/flag.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { mergedConfig } from '../cli/reconcile/config.ts';
import { loadHook } from '../cli/reconcile/hook-loading.ts';
import { shownOnStderr } from '../cli/reconcile/hook-output.ts';
import { leasePlanOf } from '../cli/reconcile/lease-plan.ts';
import { neededAccess } from '../cli/reconcile/needed-access.ts';
import { onlyOne } from '../cli/reconcile/only-one.ts';
import { parseSnapshots } from '../cli/reconcile/snapshots.ts';
import { resolveWhenThere } from '../cli/session/crd-wait.ts';
import { namespacesOf, openSession } from '../cli/session/session.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { AccessRecord, readAccess } from '../hooks/access/observed-access.ts';
import { parseServiceAccount, rbacObjects } from '../hooks/access/rbac-objects.ts';
import type { Access } from '../hooks/access/request-access.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { fileObjects } from '../manifest/definitions.ts';
import { observedRun } from '../manifest/observed-run.ts';
import { toYaml } from '../output/objects/yaml.ts';
import { parseManifests, Sandbox } from '../sandbox/index.ts';

export default class ReconcileRbacCommand extends BaseCommand {
  static override summary = 'Print the least roles that a reconcile needs';
  static override description =
    `Takes the flags of reconcile, and prints the Role or ClusterRole for what they need: the caches, the finalizer, the journal. What a hook asks for is known only at run time, so its actions are not in these rules.

With --program it runs a program with the library, or any other operator, on a sandbox of its own, and prints what it needed: with the objects of each --load in turn, and when they are deleted at the end. Definitions, namespaces and configurations of webhooks are there before it starts. It gets KUBECONFIG. What it does only after a failure, or with objects that are not loaded, is not in the roles; --observe keeps what was seen, for reconcile manifest.

With --observed it prints what was really needed: the file is written by reconcile --observe. It holds verbs, types and namespaces of the requests, and no body. What a hook does with a client of its own is not in it.`;
  static override usage =
    'reconcile rbac (TYPE (--hook FILE | --exec COMMAND) [FLAGS] | --shell-operator DIR [FLAGS] | --observed FILE | --program COMMAND --load FILE)';
  static override examples = [
    {
      description: 'What the flags need',
      command: '<%= config.bin %> reconcile rbac deployments -n shop --hook ./scale-guard.ts',
    },
    {
      description: 'What a run needed, for a service account',
      command: '<%= config.bin %> reconcile rbac --observed access.jsonl --service-account shop:scale-guard',
    },
    {
      description: 'What a program of your own needs, from a run on a sandbox',
      command:
        "<%= config.bin %> reconcile rbac --program 'node operator.ts' --load operator.ts --load shop.yaml --service-account shop:operator",
    },
  ];
  static override flags = {
    ...reconcileFlags,
    ...group('ROLE', {
      observed: text({ summary: 'the file of reconcile --observe', helpValue: 'FILE', noEnv: true }),
      program: text({
        summary: 'run this command on a sandbox, and print what it needs',
        helpValue: 'COMMAND',
        noEnv: true,
      }),
      load: list({
        summary: 'with --program: manifests that are applied one after the other, or a module with definitions',
        helpValue: 'FILE',
        noEnv: true,
      }),
      'webhook-port': count({ summary: 'with --program: the port of its webhooks', min: 1, noEnv: true }),
      'service-account': text({ summary: 'print bindings to it, too', helpValue: '[NAMESPACE:]NAME', noEnv: true }),
      'role-name': text({
        summary: 'the name of the roles',
        helpValue: 'NAME',
        default: 'kubectl-informer-reconcile',
        noEnv: true,
      }),
    }),
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(ReconcileRbacCommand.flags);
    const { access, namespace, remarks } =
      flags.program !== undefined
        ? await this.#run(flags.program, words)
        : flags.observed === undefined
          ? await this.#configured(words)
          : observed(flags.observed, words);
    const account = flags['service-account'];
    const serviceAccount = account === undefined ? undefined : parseServiceAccount(account, namespace);
    const objects = rbacObjects(access, { nameIn: () => flags['role-name'], serviceAccount });
    const head = remarks.map((remark) => `# ${remark}\n`).join('');
    this.edges.io.stdout.write(head + objects.map((object) => toYaml(object)).join('---\n'));
    return ExitCode.ok;
  }

  /** The rights that a program needs in a run on a sandbox. */
  async #run(program: string, words: readonly string[]): Promise<Found> {
    const { flags } = this.read(ReconcileRbacCommand.flags);
    refuseWords('--program', words);
    const { io, signal } = this.edges;
    const files = await Promise.all((flags.load ?? []).map((file) => fileObjects(file, parseManifests)));
    const port = flags['webhook-port'];
    await using sandbox = await Sandbox.start({
      resolveService: () => (port === undefined ? undefined : `127.0.0.1:${port}`),
    });
    const access = await observedRun(sandbox, {
      command: program.split(' ').filter((word) => word !== ''),
      files,
      env: io.env,
      clock: systemClock,
      signal,
      print: (text) => void io.stderr.write(text),
    });
    const failed = (error: Error) => {
      throw error;
    };
    const record =
      flags.observe === undefined ? undefined : new AccessRecord(flags.observe, failed, { keepsNames: true });
    for (const each of access) record?.add(each);
    return { access, namespace: 'default', remarks: ONE_RUN };
  }

  async #configured(words: readonly string[]): Promise<Found> {
    const { flags } = this.read(ReconcileRbacCommand.flags);
    if (flags['shell-operator'] !== undefined)
      return await (await import('../shell-operator/operator-access.ts')).operatorNeeds(this.line, flags, this.edges);
    const hook = await loadHook(flags, shownOnStderr(this.edges.io));
    const config = mergedConfig(flags, hook);
    await using session = await openSession(flags, this.edges);
    const primary = onlyOne(await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words)));
    const types = [
      ...(config.owns ?? []),
      ...(config.watches ?? []).map(({ type }) => type),
      ...parseSnapshots(config.with ?? []).map(({ type }) => type),
    ];
    const others = types.length === 0 ? [] : await session.resolve([types.join(',')]);
    const scope = {
      namespace: config.namespace ? [...config.namespace] : undefined,
      'all-namespaces': config.allNamespaces ?? false,
    };
    const namespaces = namespacesOf(scope, session.config);
    const { gvr, namespaced: isNamespaced } = primary.type;
    const { namespace: current } = session.config;
    const lease = leasePlanOf(flags, { hook: hook.name, gvr, isNamespaced, namespaces, current });
    const access = neededAccess({
      primary: primary.type,
      others: others.map(({ type }) => type),
      namespaces,
      hasFinalizer: config.finalizer !== undefined,
      hasJournal: flags.journal !== undefined,
      lease,
    });
    return { access, namespace: session.config.namespace, remarks: UNKNOWN_ACTIONS };
  }
}

interface Found {
  readonly access: readonly Access[];
  /** The namespace of a service account that names none. */
  readonly namespace: string;
  readonly remarks: readonly string[];
}

function refuseWords(flag: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new InformerError('argument', `${flag} takes no type, and ${words.join(' ')} is given`, {
    hint: 'the types are those of the requests',
  });
}

function observed(file: string, words: readonly string[]): Found {
  refuseWords('--observed', words);
  const access = readAccess(file);
  if (access.length === 0)
    throw new InformerError('argument', `${file} has no observed request`, {
      hint: 'run the hook with reconcile --observe FILE until it has done all that it does',
    });
  return { access, namespace: 'default', remarks: [] };
}

const ONE_RUN = [
  'Seen in one run on a sandbox. What the program does only after a failure, at another time, or with objects that were',
  'not loaded is not in these rules, such as the renewal of a certificate.',
];

const UNKNOWN_ACTIONS = [
  'What the hook asks for is known only at run time: its actions are not in these rules.',
  'To have them: run it with --allow-write --observe FILE, then print the roles with --observed FILE.',
];
