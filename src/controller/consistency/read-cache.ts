import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { GroupResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { servedTypesOf } from '../../model/served-types.ts';
import type { StoredWrite } from '../../model/stored-write.ts';

/** The part of an informer that says which writes it shows. A SharedInformer fits. */
export type ReadCache = Pick<
  SharedInformer<ReadonlyObject>,
  'name' | 'resource' | 'sourceOf' | 'onState' | 'isStarted' | 'isStopped' | 'hasSynced' | 'continuity' | 'whenCurrent'
> & { readonly lister: Pick<SharedInformer<ReadonlyObject>['lister'], 'get'> };

/** Whether a cache may have the object of a write. */
export function mayShow(cache: ReadCache, { gvr, key, server }: Pick<StoredWrite, 'gvr' | 'key' | 'server'>): boolean {
  const { resource } = cache;
  if (!cache.isStarted || cache.isStopped || !resource || storedAs(resource) !== storedAs(gvr)) return false;
  const of = servedTypesOf(cache)?.server;
  const isOther = server !== undefined && of !== undefined && server !== of;
  return !isOther && cache.sourceOf(key) !== undefined;
}

/** The name of a type under which a server keeps its objects: groups that moved share them. */
function storedAs({ group, resource }: GroupResource): string {
  return `${MOVED[`${resource}.${group}`] ?? group}/${resource}`;
}

/** Source: kube-apiserver, cohabitating resources. */
const MOVED: Readonly<Record<string, string>> = {
  'events.events.k8s.io': '',
  'daemonsets.extensions': 'apps',
  'deployments.extensions': 'apps',
  'replicasets.extensions': 'apps',
  'ingresses.extensions': 'networking.k8s.io',
  'networkpolicies.extensions': 'networking.k8s.io',
};
