import type { Client } from '../../src/client/client.ts';
import { type Controller, createController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/controller-options.ts';
import { createFinalizerReconciler } from '../../src/controller/finalizer-reconciler.ts';
import { createInformerSource } from '../../src/controller/sources/informer-source.ts';
import { createOrPatch, createOrUpdate } from '../../src/controller/writes/create-or-update.ts';
import { setControllerReference } from '../../src/controller/writes/owner-references.ts';
import { serverSideApply } from '../../src/controller/writes/server-side-apply.ts';
import { updateStatus } from '../../src/controller/writes/update-status.ts';
import type { InformerFactory } from '../../src/informer/informer-factory.ts';
import type { KubeObject, ReadonlyKubeObject } from '../../src/model/object.ts';
import { CONFIG_MAPS, type ConfigMap } from './in-process.ts';
import { childSource, PARENTS, parentOf } from './wanted-children.ts';

export const FINALIZER = 'example.com/cleanup';

export interface FourChildren {
  readonly controller: Controller;
  /** The owners that were reconciled. */
  readonly done: ReadonlySet<string>;
  /** What the helpers that write said they did, each once. */
  readonly results: ReadonlySet<string>;
}

/**
 * An operator whose owners have four config maps each: two by createOrUpdate, one by createOrPatch and one by
 * serverSideApply, all with the cached object, and a finalizer and a status.
 */
export function fourChildren(
  client: Client,
  factory: InformerFactory,
  options: Partial<ControllerOptions> = {},
): FourChildren {
  const { informer: owners, lister } = factory.forResource<KubeObject>(PARENTS);
  const { informer: children } = factory.forResource<ConfigMap>(CONFIG_MAPS);
  const done = new Set<string>();
  const results = new Set<string>();
  const reconcile = async (owner: ReadonlyKubeObject, namespace: string, name: string) => {
    const resource = client.resource<ConfigMap>(CONFIG_MAPS, { namespace });
    const own = parentOf(name, owner.metadata, namespace) as KubeObject;
    for (let i = 0; i < 4; i++) {
      const child: ConfigMap = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-${i}`, namespace },
      };
      const mutate = (draft: ConfigMap) => {
        setControllerReference(own, draft);
        draft.data = { of: name };
      };
      const cached = { current: children.lister.get(`${namespace}/${name}-${i}`) } as never;
      if (i === 3) {
        mutate(child);
        const { result } = await serverSideApply(resource, child, { fieldManager: 'operator', ...(cached as object) });
        results.add(result);
      } else {
        const write = i < 2 ? createOrUpdate : createOrPatch;
        results.add(await write(resource as never, child, mutate as never, cached));
      }
    }
    await updateStatus(client.resource(PARENTS, { namespace }) as never, owner as never, () => {});
    done.add(`${namespace}/${name}`);
  };
  const controller = createController({
    name: 'four-children',
    workers: 4,
    ...options,
    sources: [
      // a controller of the cluster makes the account `default` in each namespace
      createInformerSource(owners, { name: 'owner', isPrimary: true, predicate: ({ key }) => key.includes('/owner-') }),
      childSource(children as never),
    ],
    reconcile: createFinalizerReconciler<KubeObject>({
      client,
      gvr: PARENTS,
      objects: lister as never,
      finalizers: { [FINALIZER]: () => {} },
      reconcile: (owner, { namespace, name }) => reconcile(owner as never, namespace, name),
    }),
  });
  return { controller, done, results };
}

/** The requests that are no discovery, and no list or watch of owners and children. */
export function othersThanReads(sent: readonly { readonly method: string; readonly path: string }[]) {
  const isRead = (path: string) =>
    /\/(serviceaccounts|configmaps)(\?|$)/.test(path) || /^\/(apis?(\/[^/]+){0,2}|version)(\?|$)/.test(path);
  return sent
    .filter(({ method, path }) => method !== 'GET' || !isRead(path))
    .map(({ method, path }) => `${method} ${path}`);
}
