import { InformerError } from '../kit/error.ts';
import { pathSegment } from './path-segment.ts';

/** A resource type as it stands in a URL. `group` is '' for the core group. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A type as it stands in an object. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `v1` or `apps/v1`: what an object's apiVersion says. */
export function formatGroupVersion(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Reads an apiVersion. Throws `argument` on more than one slash. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  throw new InformerError('argument', `unexpected GroupVersion string: ${apiVersion}`);
}

/** `apps/v1/deployments`; the core group prints as `v1/pods`. */
export function formatGvr(gvr: GroupVersionResource): string {
  return `${formatGroupVersion(gvr)}/${gvr.resource}`;
}

/** Reads `apps/v1/deployments`, `v1/pods`, `/v1/pods` or `core/v1/pods`. Throws `argument` otherwise. */
export function parseGvr(text: string): GroupVersionResource {
  const parts = text.split('/');
  if (parts.length === 2) parts.unshift('');
  const [group, version, resource] = parts;
  if (parts.length !== 3 || group === undefined || !version || !resource) {
    throw new InformerError('argument', `${JSON.stringify(text)} is not a group/version/resource`, {
      hint: 'write it as apps/v1/deployments, or v1/pods for the core group',
    });
  }
  return { group: group === 'core' ? '' : group, version, resource };
}

/** `deployments.apps`, or `pods` for the core group: the name kubectl prints and StatusErrors carry. */
export function formatGroupResource(gr: { group: string; resource: string }): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

export function sameGvr(a: GroupVersionResource, b: GroupVersionResource): boolean {
  return a.resource === b.resource && a.group === b.group && a.version === b.version;
}

export interface PathParts {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/**
 * The REST path of a collection, an object or a subresource, each part escaped. Without `name` it is the collection; a name that is given has
 * to be one. Throws `argument` for a part that cannot stand in a path: see {@link pathSegment}.
 */
export function pathOf(gvr: GroupVersionResource, { namespace, name, subresource }: PathParts = {}): string {
  const version = pathSegment(gvr.version, 'the version of the resource type');
  const root = gvr.group === '' ? `/api/${version}` : `/apis/${pathSegment(gvr.group, 'the group of the resource type')}/${version}`;
  const parts = [root];
  if (namespace !== undefined && namespace !== '') parts.push('namespaces', pathSegment(namespace, 'the namespace'));
  parts.push(pathSegment(gvr.resource, 'the resource type'));
  if (name !== undefined) parts.push(pathSegment(name, 'the name of the object'));
  if (subresource !== undefined) parts.push(pathSegment(subresource, 'the subresource'));
  return parts.join('/');
}
