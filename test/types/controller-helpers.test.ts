import type { V1Deployment } from '@kubernetes/client-node';
import { expectTypeOf, it } from 'vitest';
import type { ElectionRecorder } from '../../src/controller/election/elector-options.ts';
import type { EventClient } from '../../src/controller/events/event-recorder.ts';
import type { FinalizerClient } from '../../src/controller/finalizer-reconciler.ts';
import type { Patchable } from '../../src/controller/writes/create-or-update.ts';
import type { Appliable, AppliedObject } from '../../src/controller/writes/server-side-apply.ts';
import type { StatusUpdate, StatusWriter } from '../../src/controller/writes/update-status.ts';
import {
  type Client,
  type Condition,
  createFinalizerReconciler,
  createOrPatch,
  type DeepReadonly,
  type EventRecorder,
  type Lister,
  type MutableWire,
  type Reconciler,
  type ResourceApi,
  type Runnable,
  serverSideApply,
  setCondition,
  type UnknownObject,
  updateStatus,
  type Wire,
} from '../../src/index.ts';

// Types only: the functions below are checked by the compiler and never called.

const GVR = { group: 'example.com', version: 'v1', resource: 'apps' };

/** A custom resource as a user writes it: an interface of its own, without an index signature. */
interface App {
  apiVersion: 'example.com/v1';
  kind: 'App';
  metadata: { name: string; namespace?: string; finalizers?: string[]; resourceVersion?: string; generation?: number };
  spec: { image: string };
  status?: { ready?: boolean; observedGeneration?: number; conditions?: Condition[] };
}
type Deployment = MutableWire<V1Deployment>;

declare const client: Client;
declare const lister: Lister<App>;
declare const deployments: Lister<Wire<V1Deployment>>;
declare const recorder: EventRecorder;

it('a client is what the helpers need', () => {
  expectTypeOf<Client>().toExtend<EventClient>();
  expectTypeOf<Client>().toExtend<FinalizerClient>();
  expectTypeOf<EventRecorder>().toExtend<ElectionRecorder>();
  expectTypeOf<EventRecorder>().toExtend<Runnable>();
  expectTypeOf<ResourceApi<App>>().toExtend<Patchable<App>>();
  expectTypeOf<ResourceApi<App>>().toExtend<Appliable<App>>();
  expectTypeOf<ResourceApi<App>>().toExtend<StatusWriter<App>>();
});

it('a status is changed by a function of the type of the resource, for objects of a cache, own types and client-node’s', () => {
  const own = () =>
    updateStatus(client.resource<App>(GVR), lister.get('a') as DeepReadonly<App>, (app, generation) => {
      expectTypeOf(app).toEqualTypeOf<App>();
      expectTypeOf(generation).toEqualTypeOf<number | undefined>();
      const ready = { type: 'Ready', status: 'True', reason: 'Up', observedGeneration: generation } as const;
      app.status = { ...app.status, conditions: setCondition(app.status?.conditions, ready) };
    });
  expectTypeOf(own).returns.resolves.toEqualTypeOf<StatusUpdate<App>>();
  const models = () =>
    updateStatus(client.resource<Deployment>(GVR), deployments.get('a') as Wire<V1Deployment>, (deployment) => {
      const ready = { type: 'Ready', status: 'True', reason: 'Up' } as const;
      deployment.status = { conditions: setCondition(deployment.status?.conditions, ready) };
    });
  expectTypeOf(models).returns.resolves.toEqualTypeOf<StatusUpdate<Deployment>>();
});

it('an apply gives back the type of the resource, and takes a part of an object or one from a cache', () => {
  const options = { fieldManager: 'me' };
  const part = () =>
    serverSideApply(
      client.resource<App>(GVR),
      { apiVersion: 'example.com/v1', kind: 'App', metadata: { name: 'a' } },
      options,
    );
  expectTypeOf(part).returns.resolves.toEqualTypeOf<AppliedObject<App>>();
  const cached = () => serverSideApply(client.resource(GVR), lister.get('a') as DeepReadonly<App>, options);
  expectTypeOf(cached).returns.resolves.toEqualTypeOf<AppliedObject<UnknownObject>>();
  const models = () => serverSideApply(client.resource<Deployment>(GVR), {} as Deployment, options);
  expectTypeOf(models).returns.resolves.toEqualTypeOf<AppliedObject<Deployment>>();
});

it('reconcilers and cleanups get the objects of the lister; Events are about any object of a cache', () => {
  const reconciler = () =>
    createFinalizerReconciler({
      client,
      gvr: GVR,
      objects: lister,
      finalizers: { 'example.com/x': (app) => expectTypeOf(app).toEqualTypeOf<DeepReadonly<App>>() && undefined },
      reconcile: (app) => {
        expectTypeOf(app).toEqualTypeOf<DeepReadonly<App>>();
        recorder.event(app, 'Normal', 'Seen', 'm', { annotations: { a: 'b' } });
        recorder.event(deployments.get('a') as Wire<V1Deployment>, 'Warning', 'Seen', 'm');
        // @ts-expect-error: not a type of Events
        recorder.event(app, 'Error', 'Seen', 'm');
      },
    });
  expectTypeOf(reconciler).returns.toEqualTypeOf<Reconciler>();
});

it('what is patched or created has the type of the resource', () => {
  const patched = () =>
    createOrPatch(client.resource<Deployment>(GVR), { metadata: { name: 'a' } }, (deployment) => {
      expectTypeOf(deployment).toEqualTypeOf<Deployment>();
    });
  expectTypeOf(patched).returns.resolves.toEqualTypeOf<
    'created' | 'updated' | 'unchanged' | 'updatedStatus' | 'updatedStatusOnly'
  >();
});
