import { lazyList } from '../../kit/lazy-list.ts';
import { formatGroupVersion, isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CachedInformer, CachedObjects } from '../../query/answer/cached-objects.ts';
import type { CompiledCondition } from '../../stream/conditions/condition.ts';
import type { Redactor } from '../../stream/redact.ts';

/** The one index of a view of Secrets: others are computed from the marks. */
const NAMESPACE = 'namespace';

/**
 * A view of cached Secrets in which every reader sees marks in place of values: filters, indexes, sorting and output. A
 * caller who may not see values could else read them character by character. Holdings of other types are themselves.
 */
export function maskedView(cached: CachedObjects, redactor: Redactor): CachedObjects {
  const { type, informer } = cached;
  if (!isSecretResource(type.gvr)) return cached;
  const { lister } = informer;
  const masked = (objects: readonly ReadonlyObject[]) =>
    lazyList(objects.length, (i) => redactor.masked(objects[i] as ReadonlyObject, type.gvr));
  const own: CachedInformer['lister'] = {
    get size() {
      return lister.size;
    },
    list: () => masked(lister.list()),
    values: () => masked(lister.list())[Symbol.iterator](),
    hasIndex: (name) => name === NAMESPACE && lister.hasIndex(name),
    byIndex: (name, value) => masked(lister.byIndex(name, value)),
    indexValues: (name, range) => (name === NAMESPACE ? lister.indexValues(name, range) : []),
    indexCount: (name, value) => (name === NAMESPACE ? lister.indexCount(name, value) : 0),
  };
  return { ...cached, informer: Object.create(informer, { lister: { value: own } }) as CachedInformer };
}

/** The condition over marks in place of values of Secrets. */
export function maskedCondition(
  condition: CompiledCondition,
  types: readonly ResourceType[],
  redactor: Redactor,
): CompiledCondition {
  const secrets = types.find(({ gvr }) => isSecretResource(gvr));
  if (!secrets) return condition;
  const masked = (value: unknown) => {
    const object = value as ReadonlyObject | null | undefined;
    const isOne = object?.kind === secrets.kind && object.apiVersion === formatGroupVersion(secrets.gvr);
    return isOne ? redactor.masked(object, secrets.gvr) : value;
  };
  return {
    ...condition,
    test: (of) => condition.test({ ...of, object: masked(of.object), oldObject: masked(of.oldObject) }),
    ...(condition.remark ? { remark: () => condition.remark?.() } : {}),
  };
}
