import type { UnknownObject } from '../../model/object.ts';
import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import type { Cluster } from '../cluster.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { showObject } from './get.ts';

/** The type of Scales for encoding them. No object of this type is stored. */
export const SCALES: ApiType = {
  gvr: { group: 'autoscaling', version: 'v1', resource: 'scales' },
  kind: 'Scale',
  listKind: 'ScaleList',
  singular: 'scale',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['get', 'patch', 'update'],
  subresources: [],
  subresourceTypes: new Map(),
  preferred: true,
  storage: 'scales.autoscaling',
  custom: undefined,
};

/** Answers a call with a Scale: as the object, its metadata or a Table, as the client asks. */
export function showScale(cluster: Cluster, call: ResourceCall, scale: UnknownObject): ApiResponse {
  const { name = '', namespace, resourceVersion } = scale.metadata;
  return showObject(
    cluster,
    { ...call, type: SCALES },
    200,
    new StoredObject(`${namespace}/${name}`, scale, Number(resourceVersion)),
  );
}
