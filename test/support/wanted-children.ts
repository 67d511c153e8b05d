import type { Client } from '../../src/client/client.ts';
import type { Reconciler } from '../../src/controller/reconciler.ts';
import { enqueueOwner } from '../../src/controller/sources/enqueue.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { setControllerReference } from '../../src/controller/writes/owner-references.ts';
import type { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { KubeObject, ReadonlyKubeObject } from '../../src/model/object.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { CONFIG_MAPS } from './in-process.ts';

/** The type of the parents: service accounts, which no controller of the sandbox changes. */
export const PARENTS = { group: '', version: 'v1', resource: 'serviceaccounts' };

export const parentOf = (name = 'parent', metadata: object = {}, namespace = 'shop') => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, ...metadata },
});

/** A config map that a parent owns, with a name that the server makes. */
export function childOf({ metadata: parent }: ReadonlyKubeObject, metadata: object = {}): KubeObject {
  const { namespace } = parent;
  const child: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'child-', ...(namespace ? { namespace } : {}), ...metadata },
  };
  setControllerReference(parentOf(parent.name, parent, namespace) as KubeObject, child);
  return child;
}

interface Caches {
  readonly parents: Pick<SharedInformer<KubeObject>, 'lister'>;
  readonly children: Pick<SharedInformer<KubeObject>, 'lister'>;
}

/** The children of a parent, as the cache has them. */
export function childrenOf({ children }: Pick<Caches, 'children'>, { metadata }: ReadonlyKubeObject) {
  return children.lister
    .list({ namespace: metadata.namespace })
    .filter((each) => each.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
}

/** The source of the children, which leads to their parents. */
export const childSource = (children: SharedInformer<KubeObject>) =>
  createInformerSource(children, { name: 'child', enqueue: enqueueOwner({ group: '', kind: 'ServiceAccount' }) });

export const parentSource = (parents: SharedInformer<KubeObject>) =>
  createInformerSource(parents, { name: 'parent', isPrimary: true });

/** Makes one child in each run, as long as its cache has too few of them: one too many for each run that reads an old state. */
export function wanting(wanted: number, { parents, children }: Caches, client: Client, everyMs = 4): Reconciler {
  return async ({ key, namespace }) => {
    const parent = parents.lister.get(key);
    if (!parent || childrenOf({ children }, parent).length >= wanted) return {};
    await client.resource(CONFIG_MAPS, { namespace }).create(childOf(parent) as never);
    return { requeueAfterMs: everyMs };
  };
}

/** The children on the server. */
export const childrenOn = (sandbox: Sandbox) =>
  sandbox.list(CONFIG_MAPS).filter(({ metadata }) => metadata.name?.startsWith('child-'));

/** Makes every cache of the sandbox be behind. */
export function lagging(sandbox: Sandbox, ms: number): Disposable {
  const fault = { kind: 'lag', ms } as const;
  return sandbox.faults.add({ fault, match: { watch: true }, times: Number.POSITIVE_INFINITY });
}
