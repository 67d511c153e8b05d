import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestFlags } from '../cli/args/manifest-flags.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { loadHook } from '../cli/reconcile/hook-loading.ts';
import { shownOnStderr } from '../cli/reconcile/hook-output.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { writeNotice } from '../cli/terminal/notice.ts';
import { execProgramOf } from '../manifest/deployed.ts';
import { dockerfile } from '../manifest/dockerfile.ts';
import { folderManifest } from '../manifest/folder-manifest.ts';
import { hookPlaceOf } from '../manifest/hook-place.ts';
import { type Manifest, manifestOf } from '../manifest/manifest.ts';
import { programManifest } from '../manifest/program.ts';
import { toYaml } from '../output/objects/yaml.ts';

const FLAGS = { ...reconcileFlags, ...manifestFlags };

export default class ReconcileManifestCommand extends BaseCommand {
  static override summary = 'Print what runs a reconcile in a cluster';
  static override description =
    `Takes the words and flags of a reconcile that works here, and prints what runs it in a cluster: a Deployment with its ServiceAccount, the least roles, and for several replicas a PodDisruptionBudget. Nothing is applied; kubectl apply -f - does that. The hook is in a ConfigMap if it is one file that imports nothing, else the image must have it.

-n is about the objects that are reconciled, --into about the Deployment. Flags that only this machine needs (--context, --kubeconfig) choose the cluster whose types are read, and are not in the Pod. With --dockerfile the same line prints the Dockerfile of its image.

With --shell-operator the files of the folder are in a ConfigMap, unless they are too large or --hook-path says where the image has them. Hooks with webhooks get their Services.

With --program it prints what runs a program of your own: the roles from the file that its tests wrote, a Service for its webhooks, probes.`;
  static override usage =
    'reconcile manifest (TYPE (--hook FILE | --exec COMMAND) --image IMAGE [FLAGS] | --shell-operator DIR --image IMAGE [FLAGS] | --program COMMAND --image IMAGE --observed FILE | --dockerfile)';
  static override examples = [
    {
      description: 'Two replicas, of which one works and the other waits',
      command: `<%= config.bin %> reconcile manifest deployments -n shop --hook ./scale-guard.ts --allow-write --observed access.jsonl --image registry.example.com/informer:1 --replicas 2 | kubectl apply -f -`,
    },
    {
      description: 'Four replicas that share the objects',
      command: `<%= config.bin %> reconcile manifest deployments -A --hook ./scale-guard.ts --image registry.example.com/informer:1 --shards 4 | kubectl apply -f -`,
    },
    {
      description: 'A program of your own, with webhooks',
      command: `<%= config.bin %> reconcile manifest --program 'node main.js' --image registry.example.com/pg:1 --app-name pg-operator --into pg-system --observed rights.jsonl --replicas 2 --webhook-port 9443`,
    },
    {
      description: 'The image for both',
      command: '<%= config.bin %> reconcile manifest --dockerfile | docker build -t registry.example.com/informer:1 -',
    },
  ];
  static override flags = FLAGS;

  async execute(): Promise<ExitCode> {
    const { flags } = this.read(FLAGS);
    const { io } = this.edges;
    if (flags.dockerfile) {
      io.stdout.write(await this.#dockerfile());
      return ExitCode.ok;
    }
    const { objects, remarks } = await this.#manifest();
    for (const remark of remarks) writeNotice(io, remark);
    io.stdout.write(
      flags.output === 'json'
        ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 4)}\n`
        : objects.map((object) => toYaml(object)).join('---\n'),
    );
    return ExitCode.ok;
  }

  async #manifest(): Promise<Manifest> {
    const { flags } = this.read(FLAGS);
    if (flags.program !== undefined) return programManifest(flags);
    if (flags['shell-operator'] === undefined) return await manifestOf(this.line, flags, this.edges);
    const { operatorNeeds, webhookServers } = await import('../shell-operator/operator-access.ts');
    return await folderManifest(this.line, flags, this.edges, async (deployed) => {
      const needs = await operatorNeeds(this.line, deployed, this.edges, flags.into);
      return { ...needs, servers: webhookServers(needs.hooks) };
    });
  }

  /** The Dockerfile of a hook, if one is named, or of every hook that a ConfigMap brings. */
  async #dockerfile(): Promise<string> {
    const { flags } = this.read(FLAGS);
    const { image, hook: file } = flags;
    const needed = execProgramOf(flags);
    const folder = flags['shell-operator'];
    if (folder !== undefined) return dockerfile({ image, program: 'jq', hasFile: () => false });
    if (file === undefined && flags.exec === undefined) return dockerfile({ image, hasFile: () => false });
    const loaded = await loadHook(flags, shownOnStderr(this.edges.io));
    const hook = file === undefined ? undefined : await hookPlaceOf(file, flags['hook-path']);
    const root = hook?.in === 'image' ? hook.root : '';
    return dockerfile({
      image,
      hook,
      program: needed ?? loaded.clusterTool,
      hasFile: (name) => existsSync(path.join(root, name)),
    });
  }
}
