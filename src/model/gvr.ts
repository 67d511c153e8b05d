import { InformerError } from '../kit/error.ts';
import { pathSegment } from './path-segment.ts';

/** A resource type as in a URL. `group` is '' for the core group. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/**
 * A resource type whose objects have the type `T`, so that `T` need not be written again where the type is used. The
 * property is for the compiler only: no object has it.
 */
export interface TypedGvr<T> extends GroupVersionResource {
  readonly '~object': T;
}

/** A resource type in any version. */
export type GroupResource = Pick<GroupVersionResource, 'group' | 'resource'>;

/** A resource type as in an object's apiVersion and kind. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An apiVersion: `v1`, or `apps/v1`. */
export function formatGroupVersion(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Parses an apiVersion. Throws `argument` on more than one slash. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  throw new InformerError('argument', `unexpected GroupVersion string: ${apiVersion}`);
}

/** The text of a resource type: `apps/v1/deployments`, or `v1/pods` for the core group. */
export function formatGvr(gvr: GroupVersionResource): string {
  return `${formatGroupVersion(gvr)}/${gvr.resource}`;
}

/** Throws `argument` for a value that is not a resource type with a version and a resource. */
export function checkGvr(where: string, gvr: unknown): void {
  const { group, version, resource } = Object(gvr) as Partial<GroupVersionResource>;
  if (typeof group === 'string' && isText(version) && isText(resource)) return;
  throw new InformerError('argument', `${where} takes a resource type: an object with group, version and resource`, {
    hint: "for example parseGvr('apps/v1/deployments')",
  });
}

const isText = (part: unknown) => typeof part === 'string' && part !== '';

/**
 * Parses `apps/v1/deployments`, `v1/pods`, `/v1/pods` or `core/v1/pods`. Throws `argument` otherwise, also for parts that
 * no type can have: a kind (`v1/Pod`), another order (`pods/v1`, `deployments.apps/v1`). `parseGvr<Pod>('v1/pods')`
 * also says the type of its objects, which is not checked.
 */
export function parseGvr(text: string): GroupVersionResource;
export function parseGvr<T>(text: string): TypedGvr<T>;
export function parseGvr(text: string): GroupVersionResource {
  const parts = String(text).split('/');
  if (parts.length === 2) parts.unshift('');
  const [group = '', version = '', resource = ''] = parts;
  const isType = GROUP.test(group) && LABEL.test(version) && LABEL.test(resource) && !VERSION.test(resource);
  if (parts.length === 3 && isType) return { group: group === 'core' ? '' : group, version, resource };
  throw new InformerError('argument', `${JSON.stringify(text)} is not a group/version/resource`, {
    hint: hintFor(parts),
  });
}

const VERSION = /^v\d+((alpha|beta)\d+)?$/;
/** Source: apimachinery util/validation IsDNS1035Label, of versions and plural names. */
const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const GROUP = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$/;

/** The way to write what is there, if its parts are only in another order. */
function hintFor([group = '', first = '', second = '']: readonly string[]): string {
  const [resource, ...rest] = first.split('.');
  if (group === '' && VERSION.test(second) && LABEL.test(resource ?? ''))
    return `did you mean ${[...(rest.length > 0 ? [rest.join('.')] : []), second, resource].join('/')}?`;
  return 'write it as apps/v1/deployments, or v1/pods for the core group; the last part is the plural in lower case';
}

/** `deployments.apps`, or `pods` for the core group: the name that kubectl prints and that a Status contains. */
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
 * The REST path of a collection, an object or a subresource, with each part escaped. The path of the collection when
 * `name` is undefined. Throws `argument` for a part that is not allowed in a path, the empty name included: see {@link
 * pathSegment}.
 */
export function pathOf(gvr: GroupVersionResource, { namespace, name, subresource }: PathParts = {}): string {
  const version = pathSegment(gvr.version, 'the version of the resource type');
  const root =
    gvr.group === ''
      ? `/api/${version}`
      : `/apis/${pathSegment(gvr.group, 'the group of the resource type')}/${version}`;
  const parts = [root];
  if (namespace !== undefined && namespace !== '') parts.push('namespaces', pathSegment(namespace, 'the namespace'));
  parts.push(pathSegment(gvr.resource, 'the resource type'));
  if (name !== undefined) parts.push(pathSegment(name, 'the name of the object'));
  if (subresource !== undefined) parts.push(pathSegment(subresource, 'the subresource'));
  return parts.join('/');
}

/**
 * Whether a type is that of Secrets. Works on the type because items of lists, and rows of metadata only, have no kind.
 */
export function isSecretResource(gvr: Pick<GroupVersionResource, 'group' | 'resource'>): boolean {
  return gvr.group === '' && gvr.resource === 'secrets';
}

const READ_IN = new WeakMap<object, GroupVersionResource>();

/**
 * Records the API version in which an object was received. Called only where that is not the version in which its type
 * is read now.
 */
export function markReadIn(object: object, gvr: GroupVersionResource): void {
  READ_IN.set(object, gvr);
}

/** The API version in which an object was received; undefined when it is the one in which its type is read now. */
export function readIn(object: object): GroupVersionResource | undefined {
  return READ_IN.get(object);
}
