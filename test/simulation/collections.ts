import type { GroupVersionResource } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';

export const NAMESPACES = ['a', 'b'];

/** The collections that a simulation caches. */
export interface Collection {
  readonly gvr: GroupVersionResource;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Set when the type comes and goes. */
  readonly definition?: UnknownObject;
}

export const CONFIG_MAPS: Collection = {
  gvr: { group: '', version: 'v1', resource: 'configmaps' },
  apiVersion: 'v1',
  kind: 'ConfigMap',
  isNamespaced: true,
};

export const INGRESS_CLASSES: Collection = {
  gvr: { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' },
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  isNamespaced: false,
};

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

export const APPLES: Collection = {
  gvr: { group: 'example.com', version: 'v1', resource: 'apples' },
  apiVersion: 'example.com/v1',
  kind: 'Apple',
  isNamespaced: true,
  definition: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'apples', singular: 'apple', kind: 'Apple' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  },
};

/** The path of a collection, or of one of its objects. */
export function pathOf({ gvr, isNamespaced }: Collection, namespace: string, name = ''): string {
  const root = gvr.group === '' ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  return `${root}${isNamespaced ? `/namespaces/${namespace}` : ''}/${gvr.resource}${name === '' ? '' : `/${name}`}`;
}
