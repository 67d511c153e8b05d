import { parseGroupVersion } from '../../model/gvr.ts';

/** A reference to an object, in an owner reference or in an Event. */
export interface NamedReference {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

/** The group in a spelling of a reference that names no API version. */
const UNKNOWN_GROUP = '*';

/**
 * The spellings under which an index has a reference: the uid, `kind/name` and `kind.group/name`, with kind and group
 * in lower case (`pod./web-1` for the core group); with a namespace also the last two after `namespace/`.
 */
export function spellingsOf({ uid, kind = '', name = '', apiVersion }: NamedReference, namespace?: string): string[] {
  const lower = kind.toLowerCase();
  const group = apiVersion ? groupOf(apiVersion) : UNKNOWN_GROUP;
  const named = lower === '' ? [] : [`${lower}/${name}`, `${lower}.${group}/${name}`];
  const placed = namespace ? named.map((spelling) => `${namespace}/${spelling}`) : [];
  return [...(uid ? [uid] : []), ...named, ...placed];
}

/**
 * The one spelling that lists show: `deployment/web`. The group is added for types of other projects, whose kinds may
 * have the name of a Kubernetes kind: `service.serving.knative.dev/web`.
 */
export function listedSpelling(
  { uid = '', kind = '', name = '', apiVersion }: NamedReference,
  namespace?: string,
): string {
  if (kind === '') return uid;
  const group = apiVersion ? groupOf(apiVersion) : '';
  const isBuiltIn = !group.includes('.') || group.endsWith('.k8s.io');
  const text = `${kind}${isBuiltIn ? '' : `.${group}`}`.toLowerCase();
  return `${namespace ? `${namespace}/` : ''}${text}/${name}`;
}

/** The spellings that a user may mean: `deploy/web` → `deployment.apps/web`. `kindOf` knows the words for a type. */
export function meantSpellings(value: string, kindOf: (word: string) => string | undefined): string[] {
  const [name = '', word, namespace, ...more] = value.split('/').reverse();
  if (word === undefined || more.length > 0) return [value];
  const begin = namespace === undefined ? '' : `${namespace}/`;
  const kind = (kindOf(word) ?? word).toLowerCase();
  const at = kind.indexOf('.');
  const meant = at < 0 ? [kind] : [kind, `${kind.slice(0, at)}.${UNKNOWN_GROUP}`];
  return meant.map((each) => `${begin}${each}/${name}`);
}

/** The words for types in values of an index of references: `deploy` of `deploy/web`, `shop/deploy/web`. */
export function typeWordOf(value: string): string | undefined {
  return value.split('/').at(-2);
}

const groupOf = (apiVersion: string): string => parseGroupVersion(apiVersion).group;
