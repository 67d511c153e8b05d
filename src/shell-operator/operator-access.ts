import type { CommandLine } from '../cli/args/argv.ts';
import type { FlagValues } from '../cli/args/flag.ts';
import type { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import type { LeasePlan } from '../cli/reconcile/lease-plan.ts';
import { accessToLeases } from '../cli/reconcile/needed-access.ts';
import { openSession } from '../cli/session/session.ts';
import type { Access } from '../hooks/access/request-access.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { findType } from './find-type.ts';
import type { OperatorHook } from './load-hooks.ts';
import { CONVERSION_PLACE } from './operator-conversions.ts';
import { ADMISSION_PLACE } from './operator-webhooks.ts';
import { operatorLease, readOperator } from './read-operator.ts';

/** The needs of a folder of hooks in a cluster. */
export interface OperatorNeeds {
  readonly folder: string;
  readonly hooks: readonly OperatorHook[];
  readonly access: readonly Access[];
  readonly lease: LeasePlan | undefined;
  /** The namespace of the context. */
  readonly namespace: string;
  readonly remarks: readonly string[];
}

/**
 * The access that the bindings of a folder of hooks need, for `reconcile rbac` and `reconcile manifest`. `into` is the
 * namespace in which they run. Throws `argument` for hooks that cannot run.
 */
export async function operatorNeeds(
  line: CommandLine,
  flags: FlagValues<typeof reconcileFlags>,
  edges: Edges,
  into?: string,
): Promise<OperatorNeeds> {
  const { folder, hooks } = await readOperator(line, flags, edges);
  await using session = await openSession(flags, edges, { once: true });
  const { client, config } = session;
  const access: Access[] = [];
  for (const hook of hooks)
    for (const { apiVersion, kind, namespaces, namespaceSelector } of hook.config.kubernetes) {
      access.push(...reading(await findType(client, apiVersion, kind), namespaces));
      if (namespaceSelector !== undefined) access.push(...reading(await findType(client, 'v1', 'Namespace'), []));
    }
  for (const sort of ['validating', 'mutating'] as const)
    if (flags['allow-write'] && hooks.some((hook) => hook.config[sort].length > 0))
      access.push(...CONFIGURING.map((verb) => ({ ...ADMISSION, verb, resource: `${sort}webhookconfigurations` })));
  if (flags['allow-write'] && hooks.some(({ config: { conversions } }) => conversions.length > 0))
    for (const verb of ['get', 'patch'])
      access.push({ verb, group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' });
  const lease = operatorLease(flags, folder, into ?? config.namespace);
  if (lease) access.push(...accessToLeases(lease));
  return { folder, hooks, access, lease, namespace: config.namespace, remarks: UNKNOWN };
}

/** The servers that API servers call in a Pod: the names of their Services, and their ports. */
export function webhookServers(hooks: readonly OperatorHook[]): { readonly name: string; readonly port: number }[] {
  const used = [
    {
      place: ADMISSION_PLACE,
      isUsed: ({ config }: OperatorHook) => [...config.validating, ...config.mutating].length > 0,
    },
    { place: CONVERSION_PLACE, isUsed: ({ config }: OperatorHook) => config.conversions.length > 0 },
  ].filter(({ isUsed }) => hooks.some(isUsed));
  return used.map(({ place: { service, port } }) => ({ name: service, port }));
}

const ADMISSION = { group: 'admissionregistration.k8s.io' };
const CONFIGURING = ['get', 'create', 'patch', 'delete'];

function reading({ gvr: { group, resource }, namespaced }: ResourceType, namespaces: readonly string[]): Access[] {
  const places = namespaced && namespaces.length > 0 ? namespaces : [undefined];
  return places.flatMap((namespace) =>
    ['list', 'watch'].map((verb) => ({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) })),
  );
}

const UNKNOWN = [
  'What hooks write to KUBERNETES_PATCH_PATH, and what a kubectl in them does, is known only at run time: it is not in these rules.',
  'To have the first: run them with --allow-write --observe FILE, then print the roles with --observed FILE.',
];
