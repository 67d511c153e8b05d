import type { CommandLine } from '../cli/args/argv.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { ignoredNotice } from '../cli/reconcile/config.ts';
import { createElection } from '../cli/reconcile/election.ts';
import { checkJournal } from '../cli/reconcile/journal.ts';
import type { LeasePlan } from '../cli/reconcile/lease-plan.ts';
import { neededAccess } from '../cli/reconcile/needed-access.ts';
import { Operations } from '../cli/reconcile/operations.ts';
import { readReconcile, resolvedPlan } from '../cli/reconcile/read-plan.ts';
import { createSharing } from '../cli/reconcile/sharing.ts';
import { openSession, type Session } from '../cli/session/session.ts';
import { readAccess } from '../hooks/access/observed-access.ts';
import {
  appName,
  deployedOf,
  environmentRemarks,
  execProgramOf,
  type ManifestFlags,
  refuseHarmful,
} from './deployed.ts';
import { type HookPlace, hookPlaceOf } from './hook-place.ts';
import { checkedImage } from './image-name.ts';
import { metricsPort } from './metrics-port.ts';
import { manifestObjects } from './objects.ts';
import { podArgs } from './pod-args.ts';
import { presentRemarks } from './present-deployment.ts';
import { rightsOf } from './rights.ts';

/** Objects to apply, and what a person should know about them. */
export interface Manifest {
  readonly objects: readonly object[];
  readonly remarks: readonly string[];
}

/** In the Pod. The folder is created in the volume by the program, with a mode of its own. */
const JOURNAL = '/journal/actions';

/**
 * The objects that run a command line of `reconcile` in a cluster. Everything that `reconcile` would refuse is refused
 * here. Throws `argument`.
 */
export async function manifestOf(line: CommandLine, flags: ManifestFlags, edges: Edges): Promise<Manifest> {
  const { io, called } = edges;
  const { image, remarks: imageRemarks } = checkedImage(flags.image, called);
  refuseHarmful(flags);
  const deployed = deployedOf(flags, line);
  const port = metricsPort(flags.metrics);
  const program = execProgramOf(flags);
  const observed = flags.observed === undefined ? undefined : readAccess(flags.observed);
  const isCoordinated = deployed.isElected || deployed.isShared;
  const read = await readReconcile(
    {
      ...flags,
      'leader-elect': deployed.isElected,
      // a second Deployment of this hook is one with another name, and must not share the lease of the first
      'leader-elect-lease-name': flags['leader-elect-lease-name'] ?? (isCoordinated ? flags['app-name'] : undefined),
    },
    io,
    () => {},
  );
  const { hook, config, graceMs } = read;
  const place = flags.hook === undefined ? undefined : await hookPlaceOf(flags.hook, flags['hook-path']);
  await using session = await openSession(flags, edges, { once: true });
  const namespace = flags.into ?? session.config.namespace;
  const plan = await resolvedPlan(read, line.words, session, namespace);
  const { primary, owns, watches, snapshots, namespaces, lease, mode } = plan;
  checkJournal(plan);
  if (lease) await checkLease(session, lease, graceMs, edges);
  const others = [
    ...owns,
    ...watches.map(({ selection }) => selection),
    ...snapshots.map(({ selection }) => selection),
  ];
  const types = [primary, ...others].map(({ type }) => type);
  const isScoped = config.namespace !== undefined || config.allNamespaces;
  const { args, remarks: argRemarks } = podArgs(line, reconcileFlags, {
    hook: place?.path,
    namespace: isScoped || types.every(({ namespaced }) => !namespaced) ? undefined : namespaces.join(','),
    journal: flags.journal === undefined ? undefined : JOURNAL,
    'leader-elect': deployed.isElected ? 'true' : undefined,
    'leader-elect-lease-name': lease?.name,
    'leader-elect-namespace': lease?.namespace,
    metrics: port.address,
  });
  const needed = neededAccess({
    primary: primary.type,
    others: others.map(({ type }) => type),
    namespaces,
    hasFinalizer: plan.finalizer !== undefined && mode !== 'describe',
    hasJournal: plan.journal !== undefined,
    lease,
  });
  const isEverywhere = namespaces.includes('');
  const rights = rightsOf(needed, observed, { mode, isEverywhere });
  const name = appName(flags['app-name'], hook.name, primary.type.gvr.resource);
  const objects = manifestObjects({
    name,
    namespace,
    image,
    args,
    hook: place,
    port: port.port,
    journal: flags.journal === undefined ? undefined : JOURNAL_MOUNT,
    graceMs,
    replicas: deployed.replicas,
    isCoordinated,
    access: rights.access,
  });
  const present = await presentRemarks(session, { namespace, name, args });
  const ignored = ignoredNotice(flags, hook);
  return {
    objects,
    remarks: [
      ...(ignored === undefined ? [] : [ignored]),
      ...deployed.remarks,
      ...rights.remarks,
      ...placeRemarks(place, { called, program: program ?? hook.clusterTool }),
      ...(plan.passCredentials
        ? [`what the hook does with credentials of its own is not in the roles of the service account ${name}`]
        : []),
      ...(flags.journal === undefined ? [] : [JOURNAL_REMARK]),
      ...port.remarks,
      ...argRemarks,
      ...environmentRemarks(io.env, place === undefined || place.isExecutable),
      ...imageRemarks,
      ...sizeRemarks(objects),
      ...present,
    ],
  };
}

const JOURNAL_MOUNT = '/journal';
const JOURNAL_REMARK =
  '--journal is in a volume of the Pod: it survives a crash of the program, and is lost with the Pod';

/** Throws `argument` for durations and names that the run would refuse. */
async function checkLease(session: Session, lease: LeasePlan, graceMs: number, edges: Edges): Promise<void> {
  const { sharing } = lease;
  if (!sharing) {
    createElection(session, lease);
    return;
  }
  await using operations = await Operations.open(undefined, edges);
  createSharing(session, {
    plan: { finalizer: undefined, graceMs, operations },
    lease: { ...lease, sharing },
    caches: () => {
      throw new Error('nothing runs');
    },
    drop: () => {},
  });
}

function placeRemarks(
  place: HookPlace | undefined,
  { called, program }: { called: string; program: string | undefined },
): string[] {
  const needs = program === undefined ? [] : [`the image must have ${program}, which the hook runs`];
  if (place?.in === 'config-map') return [...needs, ...place.remarks];
  if (!place) return needs;
  const more = `'${called} --dockerfile --hook FILE' prints a Dockerfile`;
  return [...needs, `the image must have the hook as ${place.path}, because ${place.why}; ${more}`];
}

/**
 * The size limit of the annotation in which kubectl keeps the applied object, bytes. Source: apimachinery
 * TotalAnnotationSizeLimitB.
 */
const LARGEST_ANNOTATION = 256 * 1024;

function sizeRemarks(objects: readonly object[]): string[] {
  const isLarge = objects.some((object) => Buffer.byteLength(JSON.stringify(object)) > LARGEST_ANNOTATION - 1024);
  return isLarge ? ['the hook is too large for a plain kubectl apply: use kubectl apply --server-side -f -'] : [];
}
