import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { loadExpression } from '../../expr/path-or-cel.ts';
import type { WatchConfig } from '../../hooks/manifest.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { InformerError } from '../../kit/error.ts';
import type { Address } from '../../model/field-path.ts';
import { isSecretResource } from '../../model/gvr.ts';
import { joinKey, keyOf, type ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { Redactor } from '../../stream/redact.ts';
import type { Session } from '../session/session.ts';
import { onlyOne } from './only-one.ts';

/** Another type whose objects lead to reconciled ones, by what `--map` says. */
export interface MappedType {
  readonly selection: ResourceSelection;
  /** The value of `--map`. */
  readonly text: string;
  /** The keys to which an object leads. `primary` is the cache of the reconciled type. */
  readonly keysOf: (object: ReadonlyObject, primary: Lister<UnknownObject>) => readonly ObjectKey[];
  /** The fields that it reads in the objects. */
  readonly reads?: readonly Address[] | undefined;
  /** With `index:NAME`: the index of the reconciled type in which it looks. */
  readonly index?: IndexDefinition | undefined;
}

export interface KeyMapOptions {
  readonly primary: ResourceType;
  readonly indexes: readonly IndexDefinition[];
  readonly showSecrets: boolean;
  /** Called with each different failure of an expression. */
  readonly onError: (error: Error) => void;
}

/**
 * Reads `--watches` with its `--map`: `index:NAME`, a JSONPath, or CEL. Throws `argument` for an unknown index, an
 * expression that cannot be parsed, and one that would make keys of Secrets' values: keys are shown and logged.
 */
export async function mappedType(
  { type, map }: WatchConfig,
  session: Pick<Session, 'resolve' | 'notice'>,
  options: KeyMapOptions,
): Promise<MappedType> {
  const index = /^\s*index:\s*(.*?)\s*$/.exec(map)?.[1];
  if (index !== undefined) {
    const definition = new IndexCatalog(options.indexes).get(index);
    const selection = onlyOne(await session.resolve([type]));
    return { selection, text: map, keysOf: lookupBy(definition, options.primary), index: definition };
  }
  const { values, reads } = await loadExpression(map, { flag: '--map', onError: options.onError });
  const selection = onlyOne(await session.resolve([type]));
  const notice = once((text) => session.notice(text));
  const keysOf = (object: ReadonlyObject) =>
    values(object).flatMap((value) => {
      const key = keyIn(value, options.primary.namespaced ? object.metadata.namespace : undefined);
      if (key === undefined && value !== null && value !== '')
        notice(`--map ${map} finds ${shortText(value)}, which is no name, no namespace/name and no {namespace, name}`);
      return key ?? [];
    });
  const isSecret = !options.showSecrets && isSecretResource(selection.type.gvr);
  if (!isSecret) return { selection, text: map, keysOf, reads };
  if (SECRET_VALUE_PATH.test(map)) throw valuesAsKeys(map);
  return { selection, text: map, keysOf: withoutValues(keysOf, (text) => session.notice(text)), reads };
}

/**
 * The reconciled objects that an index finds by the name of another object, by `namespace/name`, or by its uid in the
 * index `owner`. A name alone means an object in the same namespace, except for role bindings: their subjects are in
 * any.
 */
function lookupBy({ name: index }: IndexDefinition, { gvr: { group } }: ResourceType): MappedType['keysOf'] {
  return (object, primary) => {
    const { name = '', namespace, uid } = object.metadata;
    if (index === 'owner') return uid === undefined ? [] : primary.byIndex(index, uid).map(keyOf);
    const isNear = (found: { metadata: { namespace?: string | undefined } }) =>
      !namespace || !found.metadata.namespace || found.metadata.namespace === namespace || group === RBAC;
    const byName = primary.byIndex(index, name).filter(isNear);
    const byKey = namespace ? primary.byIndex(index, joinKey(namespace, name)) : [];
    return [...new Set([...byName, ...byKey].map(keyOf))];
  };
}

const RBAC = 'rbac.authorization.k8s.io';

/** The key that a value names: `namespace/name`, or a name, which is one in `namespace`. Undefined if it names none. */
function keyIn(value: unknown, namespace: string | undefined): ObjectKey | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return joinKey(namespace, String(value));
  if (typeof value === 'string') {
    const parts = value.split('/');
    if (parts.length > 2 || parts.includes('')) return undefined;
    return parts.length === 2 ? value : joinKey(namespace, value);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const named = value as { name?: unknown; namespace?: unknown };
  if (typeof named.name !== 'string' || /^$|\//.test(named.name)) return undefined;
  return joinKey(typeof named.namespace === 'string' ? named.namespace : namespace, named.name);
}

/** The value in a message, cut. */
function shortText(value: unknown): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_SHOWN = 80;

const SECRET_VALUE_PATH = /^\s*\$?\{?\s*\.?\[?['"]?(data|stringData)\b/;

function valuesAsKeys(map: string): InformerError {
  return new InformerError('argument', `--map ${map} would make keys of the values of Secrets, and keys are shown`, {
    hint: 'map by a name, a label or an annotation; --show-secrets allows it all the same',
  });
}

/**
 * Keys found in a Secret as it may be shown. Those that are marks of values lead to no object, and are left out with
 * one line.
 */
function withoutValues(
  keysOf: (object: ReadonlyObject) => readonly string[],
  say: (text: string) => void,
): MappedType['keysOf'] {
  const redactor = new Redactor();
  const notice = once(() => say('--map finds values of Secrets, which are not used as keys; --show-secrets allows it'));
  return (object) => {
    const keys = keysOf(redactor.redact(object, { group: '', resource: 'secrets' }));
    const kept = keys.filter((key) => !/hmac:[0-9a-f]{8}/.test(key));
    if (kept.length < keys.length) notice('');
    return kept;
  };
}

function once(say: (text: string) => void): (text: string) => void {
  let isSaid = false;
  return (text) => {
    if (!isSaid) say(text);
    isSaid = true;
  };
}
