import { createClient } from '../../src/client/client.ts';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { serveIdentity } from '../../src/serve/folder-key.ts';
import { WatchCaches } from '../../src/serve/watch-cache/watch-caches.ts';
import { type FakeServeOptions, fakeServe } from './fake-serve.ts';

export interface ServingOptions {
  readonly types: readonly string[];
  /** Default: all. */
  readonly namespaces?: readonly string[];
  readonly patienceMs?: number;
  readonly onRead?: FakeServeOptions['onRead'];
}

/** Caches of real informers at the place of a serve: what a serve holds, without its command. */
export async function serving(
  env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string },
  { types, namespaces = [''], patienceMs, onRead }: ServingOptions,
): Promise<
  AsyncDisposable & { readonly caches: WatchCaches; readonly informers: readonly SharedInformer<UnknownObject>[] }
> {
  const stack = new AsyncDisposableStack();
  const config = await loadConfig({ kubeconfig: env.KUBECONFIG, env: {} });
  const client = createClient(config);
  stack.defer(() => client.close());
  const running = new AbortController();
  stack.defer(() => running.abort());
  const caches = new WatchCaches({ clock: systemClock, patienceMs });
  const informers: SharedInformer<UnknownObject>[] = [];
  for (const word of types) {
    const type = await client.mapper.resolve(word);
    const sources = namespaces.map((namespace) => {
      const scope = namespace === '' ? {} : { namespace };
      const source = client.resource<UnknownObject>(type.gvr, {
        as: { table: 'Object' },
        dropManagedFields: true,
        ...scope,
      });
      return { source, ...scope };
    });
    const informer = new SharedInformer<UnknownObject>(sources, { sync: 'list' });
    informers.push(informer);
    stack.use(caches.add({ type, informer, namespaces, as: { table: 'Object' }, keepsManagedFields: false }));
    void informer.run(running.signal);
    await informer.whenSynced();
  }
  stack.use(await fakeServe(env, { identity: serveIdentity(config), caches, onRead, answer: () => ({ exitCode: 0 }) }));
  return { caches, informers, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
