import type { Cluster } from './cluster.ts';
import { timestamp } from './cluster.ts';
import { CRD_STORAGE, CrdController } from './controllers/crd-controller.ts';
import { GarbageCollector } from './controllers/garbage-collector.ts';
import { NamespaceCleaner } from './controllers/namespace-cleaner.ts';
import { PodReaper } from './controllers/pod-reaper.ts';
import { bootstrap } from './seed/bootstrap.ts';
import { Fixtures } from './seed/fixtures.ts';
import { ApiServer, type ApiServerOptions } from './server/api-server.ts';
import { ObjectStore, type ObjectStoreOptions, type StoreSnapshot } from './store/object-store.ts';
import { builtinTypes } from './types/builtin-types.ts';
import { TypeRegistry } from './types/type-registry.ts';
import type { Backend } from './write/backend.ts';
import { Deleter } from './write/deleter.ts';
import { WriteRequests } from './write/requests.ts';
import { Writer } from './write/writer.ts';

export interface ControlPlaneOptions extends ApiServerOptions, Pick<Cluster, 'clock' | 'random' | 'features'> {
  readonly store: ObjectStoreOptions;
  /** The objects and history to begin with. Absent: the objects of a cluster that was just created. */
  readonly snapshot?: ControlPlaneSnapshot | undefined;
}

/** The state of a control plane, from which another one can begin. */
export interface ControlPlaneSnapshot {
  readonly stored: StoreSnapshot;
  /** Uids of the objects that fixtures created without their owners. */
  readonly loaded: readonly string[];
}

/**
 * An API server with its storage and its controllers. A control plane keeps one storage for its whole life: to replace
 * the storage, as `Sandbox.wipe` and `Sandbox.restore` do, dispose it and create another.
 */
export class ControlPlane implements Disposable {
  readonly backend: Backend;
  readonly server: ApiServer;
  readonly fixtures: Fixtures;
  readonly #controllers: readonly Disposable[];

  constructor({ clock, random, features, store: storeOptions, snapshot, ...options }: ControlPlaneOptions) {
    const store = new ObjectStore(storeOptions);
    const cluster = { store, types: new TypeRegistry(builtinTypes({ ...features })), clock, random, features };
    this.backend = { cluster, writer: new Writer(cluster, snapshot?.loaded), deleter: new Deleter(cluster) };
    this.server = new ApiServer(cluster, new WriteRequests(this.backend), options);
    const crds = new CrdController(this.backend);
    this.fixtures = new Fixtures(this.backend, crds);
    this.#controllers = [
      crds,
      new GarbageCollector(this.backend),
      new NamespaceCleaner(this.backend),
      new PodReaper(this.backend),
      this.server,
    ];
    if (!snapshot) bootstrap(this.backend, timestamp(clock.now()));
    else {
      store.load(snapshot.stored);
      for (const { key } of [...store.collection(CRD_STORAGE).values()]) crds.establish(key);
    }
  }

  snapshot(): ControlPlaneSnapshot {
    const { cluster, writer } = this.backend;
    return { stored: cluster.store.snapshot(), loaded: writer.loaded };
  }

  [Symbol.dispose](): void {
    for (const controller of this.#controllers) controller[Symbol.dispose]();
  }
}
