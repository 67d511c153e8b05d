import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Sandbox } from '../../src/sandbox/index.ts';

/** An entry of a kubeconfig beside the sandboxes: any server, and any user. */
export interface OtherContext {
  readonly cluster?: object | undefined;
  readonly user: object;
}

/** Several sandboxes, and a kubeconfig with a context of the same name for each. */
export interface ManyClusters<N extends string> extends AsyncDisposable {
  readonly sandboxes: Readonly<Record<N, Sandbox>>;
  readonly env: { KUBECONFIG: string };
  /** A kubeconfig that has these contexts too; without a cluster it is that of the first sandbox. */
  withContexts(others: Readonly<Record<string, OtherContext>>): Promise<{ KUBECONFIG: string }>;
}

export async function startClusters<N extends string>(
  objects: Readonly<Record<N, readonly object[]>>,
): Promise<ManyClusters<N>> {
  const names = Object.keys(objects) as N[];
  const sandboxes = {} as Record<N, Sandbox>;
  for (const name of names) {
    sandboxes[name] = await Sandbox.start({});
    sandboxes[name].apply(objects[name]);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'informer-clusters-'));
  let files = 0;
  const kubeconfig = async (others: Readonly<Record<string, OtherContext>>) => {
    const file = path.join(folder, `kubeconfig-${files++}`);
    const serverOf = (name: N) => ({
      server: sandboxes[name].url,
      'certificate-authority-data': Buffer.from(sandboxes[name].caPem ?? '').toString('base64'),
    });
    const rest = Object.entries(others);
    const text = JSON.stringify({
      clusters: [
        ...names.map((name) => ({ name, cluster: serverOf(name) })),
        ...rest.map(([name, { cluster = serverOf(names[0] as N) }]) => ({ name, cluster })),
      ],
      users: [
        ...names.map((name) => ({ name, user: { token: sandboxes[name].token } })),
        ...rest.map(([name, { user }]) => ({ name, user })),
      ],
      contexts: [...names, ...rest.map(([name]) => name)].map((name) => ({
        name,
        context: { cluster: name, user: name, namespace: 'shop' },
      })),
      'current-context': names[0],
    });
    await writeFile(file, text, { mode: 0o600 });
    return { KUBECONFIG: file };
  };
  return {
    sandboxes,
    env: await kubeconfig({}),
    withContexts: kubeconfig,
    async [Symbol.asyncDispose]() {
      for (const name of names) await sandboxes[name].stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
