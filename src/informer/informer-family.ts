import type { SharedInformer } from './shared-informer.ts';

type Informers = Iterable<SharedInformer<never>>;

const known = new WeakMap<object, () => Informers>();

/** Notes the informers that belong together with `informer`, because one factory made them. Returns `informer`. */
export function withFamily<T extends object>(informer: T, family: () => Informers): T {
  known.set(informer, family);
  return informer;
}

/** The informers that belong together with `informer`, itself included; only itself if it was made alone. */
export function familyOf(informer: SharedInformer<never>): Informers {
  return known.get(informer)?.() ?? [informer];
}
