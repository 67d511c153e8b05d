import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandLine } from '../cli/args/argv.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { createElection } from '../cli/reconcile/election.ts';
import type { LeasePlan } from '../cli/reconcile/lease-plan.ts';
import { openSession } from '../cli/session/session.ts';
import { readAccess } from '../hooks/access/observed-access.ts';
import type { Access } from '../hooks/access/request-access.ts';
import { DEFAULT_GRACE_MS } from '../hooks/run/drain.ts';
import { InformerError } from '../kit/error.ts';
import { appName, deployedOf, environmentRemarks, type ManifestFlags, refuseHarmful } from './deployed.ts';
import { type HookFolder, LARGEST_CONFIG_MAP } from './hook-place.ts';
import { checkedImage } from './image-name.ts';
import type { Manifest } from './manifest.ts';
import { metricsPort } from './metrics-port.ts';
import { manifestObjects } from './objects.ts';
import { podArgs } from './pod-args.ts';
import { presentRemarks } from './present-deployment.ts';
import { rightsOf } from './rights.ts';

/** The needs of the hooks of a folder, as they say themselves. */
export interface FolderNeeds {
  readonly folder: string;
  readonly hooks: readonly { readonly name: string }[];
  readonly access: readonly Access[];
  readonly lease: LeasePlan | undefined;
  /** The namespace of the context. */
  readonly namespace: string;
  /** The servers for API servers: their Services, and their ports. */
  readonly servers: readonly { readonly name: string; readonly port: number }[];
}

/** The objects of `reconcile manifest --shell-operator`. Throws `argument`. */
export async function folderManifest(
  line: CommandLine,
  flags: ManifestFlags,
  edges: Edges,
  needsOf: (flags: ManifestFlags) => Promise<FolderNeeds>,
): Promise<Manifest> {
  const { io, called } = edges;
  const { image, remarks: imageRemarks } = checkedImage(flags.image, called);
  refuseHarmful(flags);
  const deployed = deployedOf(flags, line);
  const { address, port, remarks: portRemarks } = metricsPort(flags.metrics);
  const needs = await needsOf({
    ...flags,
    'leader-elect': deployed.isElected,
    'leader-elect-lease-name': flags['leader-elect-lease-name'] ?? flags['app-name'],
  });
  const { lease, servers } = needs;
  const namespace = flags.into ?? needs.namespace;
  const name = appName(flags['app-name'], path.basename(needs.folder), 'operator');
  const { hook, remarks: hookRemarks } = await placeOfFolder(needs, flags['hook-path'], called);
  const { args, remarks: argRemarks } = podArgs(line, reconcileFlags, {
    'shell-operator': hook.path,
    'leader-elect': deployed.isElected ? 'true' : undefined,
    'leader-elect-lease-name': lease?.name,
    'leader-elect-namespace': lease?.namespace,
    metrics: address,
  });
  const observed = flags.observed === undefined ? undefined : readAccess(flags.observed);
  const mode = flags['dry-run'] ? 'dry-run' : flags['allow-write'] ? 'write' : 'describe';
  const needed = [...needs.access, ...(mode === 'write' ? secretAccess(servers, namespace) : [])];
  const rights = rightsOf(needed, observed, { mode, isEverywhere: false });
  const objects = manifestObjects({
    name,
    namespace,
    image,
    args,
    hook,
    port,
    journal: undefined,
    graceMs: flags.grace ?? DEFAULT_GRACE_MS,
    replicas: deployed.replicas,
    isCoordinated: deployed.isElected,
    access: rights.access,
    env: servers.length > 0 ? NAMESPACE : [],
    services: servers,
  });
  await using session = await openSession(flags, edges, { once: true });
  if (lease) createElection(session, lease); // throws for durations that the run would refuse
  return {
    objects,
    remarks: [
      ...deployed.remarks,
      ...rights.remarks,
      ...hookRemarks,
      ...(flags['pass-credentials']
        ? [`what a kubectl in the hooks does is not in the roles of the service account ${name}`]
        : []),
      ...portRemarks,
      ...argRemarks,
      ...environmentRemarks(io.env, true),
      ...imageRemarks,
      ...(await presentRemarks(session, { namespace, name, args })),
    ],
  };
}

const NAMESPACE = [{ name: 'SHELL_OPERATOR_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }];

/** The certificates are in Secrets, which all replicas share. */
const secretAccess = (servers: FolderNeeds['servers'], namespace: string): Access[] =>
  servers.length === 0
    ? []
    : ['get', 'create', 'update'].map((verb) => ({ verb, group: '', resource: 'secrets', namespace }));

/** The place in images of shell-operator, which hooks may name. */
const FOLDER = '/hooks';

async function placeOfFolder(
  { folder, hooks }: FolderNeeds,
  hookPath: string | undefined,
  called: string,
): Promise<{ hook: HookFolder; remarks: string[] }> {
  const inImage = (why: string, at = FOLDER) => ({
    hook: { in: 'folder', path: at, isExecutable: true, files: undefined } as const,
    remarks: [`the image must have the hooks in ${at}, because ${why}`],
  });
  if (hookPath !== undefined) {
    if (path.posix.isAbsolute(hookPath)) return inImage('--hook-path says so', hookPath);
    throw new InformerError('argument', `--hook-path must be the absolute path of a folder, not "${hookPath}"`, {
      hint: `for example --hook-path ${FOLDER}`,
    });
  }
  const files = [];
  let size = 0;
  for (const name of (await namesIn(folder)).sort()) {
    const file = path.join(folder, name);
    const content = await readFile(file);
    if (content.includes(0)) return inImage(`${name} is no text`);
    size += content.length;
    const isExecutable = ((await stat(file)).mode & 0o111) !== 0;
    files.push({ key: `${files.length}-${keyOf(name)}`, path: name, text: content.toString('utf8'), isExecutable });
  }
  if (size > LARGEST_CONFIG_MAP) return inImage(`they have ${size} bytes, and a ConfigMap takes at most 1 MiB`);
  const programs = [...new Set(files.flatMap(({ text, isExecutable }) => (isExecutable ? programOf(text) : [])))];
  return {
    hook: { in: 'folder', path: FOLDER, isExecutable: true, files },
    remarks: [
      `the image must have what the hooks run (${hooks.length}): ${programs.sort().join(', ')}, and perhaps jq and kubectl; '${called} --dockerfile --shell-operator DIR' prints a Dockerfile`,
    ],
  };
}

/** The files of a folder and of those in it, without hidden ones. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
  return names
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')));
}

const keyOf = (name: string) => path.posix.basename(name).replaceAll(/[^-._a-zA-Z0-9]+/g, '-');

/** The interpreter that the first line names. */
function programOf(text: string): string[] {
  const [, command = '', argument = ''] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
  const program = path.posix.basename(command) === 'env' ? argument : path.posix.basename(command);
  return program === '' ? [] : [program];
}
