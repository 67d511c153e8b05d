import type { CelProgram } from '../../expr/cel/cel.ts';
import { loadCel } from '../../expr/cel/load-cel.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';

/** The selectors that a server gets beside the user's own. */
export interface ServerSideFilter {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The text of `--explain`. */
  readonly text: string;
}

/**
 * Fields every type can be selected by, then those of single types. Source: the field label conversions of the built-in
 * types.
 */
const EVERYWHERE = ['metadata.name', 'metadata.namespace'];
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  'v1/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
  'v1/events': [
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.uid',
    'reason',
    'reportingComponent',
    'type',
  ],
  'v1/nodes': ['spec.unschedulable'],
  'v1/secrets': ['type'],
  'v1/namespaces': ['status.phase'],
  'v1/replicationcontrollers': ['status.replicas'],
  'batch/v1/jobs': ['status.successful'],
};

/** The fields by which a server selects objects of a type, as far as they are known here. */
export const selectableFields = ({ gvr }: Pick<ResourceType, 'gvr'>): ReadonlySet<string> =>
  new Set([...EVERYWHERE, ...(OF_TYPE[formatGvr(gvr)] ?? [])]);

/**
 * The part of `--filter` that the server can evaluate, for one type. The whole expression is evaluated here as well, so
 * nothing is shown that does not match. The server reports an object that leaves a selection as deleted, and the two
 * cannot be distinguished. With `fixed`, therefore, only conditions on what cannot change are sent: names and
 * namespaces.
 */
export async function serverSideFilterOf(
  programs: readonly CelProgram[],
  { gvr }: ResourceType,
  { fixed = false } = {},
): Promise<ServerSideFilter> {
  const { pushDown } = await loadCel();
  const supportedFields = fixed ? new Set(EVERYWHERE) : selectableFields({ gvr });
  const parts = programs.map((program) => pushDown(program, { supportedFields, labels: !fixed }));
  const labelSelector = joined(parts.map((part) => part.labelSelector));
  const fieldSelector = joined(parts.map((part) => part.fieldSelector));
  const sent = [
    labelSelector && `label selector ${labelSelector}`,
    fieldSelector && `field selector ${fieldSelector}`,
  ].filter(Boolean);
  const local = parts.map((part) => part.local).filter((text) => text !== '');
  const server =
    sent.length > 0 ? `the server selects by ${sent.join(' and ')}` : 'nothing of it can be sent to the server';
  const here = local.length > 0 ? `evaluated here: ${local.join(' && ')}` : 'nothing is left to evaluate here';
  return { labelSelector, fieldSelector, text: `${formatGvr(gvr)}: ${server}; ${here}` };
}

function joined(selectors: readonly (string | undefined)[]): string | undefined {
  return selectors.filter((text) => text !== undefined && text !== '').join(',') || undefined;
}
