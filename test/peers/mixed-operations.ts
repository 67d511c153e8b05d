import type { RandomSource } from '../../src/kit/random.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';

export const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };

/**
 * Creates, changes and deletes config maps of two namespaces, as chance has it, with pauses in which watchers get to
 * read.
 */
export async function mixedOperations(sandbox: Sandbox, random: RandomSource, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const namespace = random() < 0.5 ? 'one' : 'two';
    const name = `map-${Math.floor(random() * 60)}`;
    const exists = sandbox.get(CONFIG_MAPS, `${namespace}/${name}`) !== undefined;
    if (exists && random() < 0.4) sandbox.delete(CONFIG_MAPS, `${namespace}/${name}`);
    else
      sandbox.apply({
        ...CONFIG_MAPS,
        metadata: { name, namespace, labels: { turn: String(i) } },
        data: { turn: String(i) },
      });
    if (random() < 0.1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** `namespace/name version` of every config map the server holds, in order: what an informer's cache must come to. */
export function held(sandbox: Sandbox): string[] {
  return sandbox
    .list(CONFIG_MAPS)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`)
    .sort();
}
