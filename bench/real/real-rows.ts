import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient, loadConfig } from '../../src/index.ts';
import { type Built, type Cluster, clusterRows } from '../cluster-rows.ts';
import { runner } from '../programs.ts';
import type { ProcessRow } from '../rows.ts';

/** A server that is there to be measured, and how curl gets its pods. */
export interface RealCluster extends Cluster {
  readonly version: string;
  readonly curl: readonly string[];
}

/**
 * The cluster of the kubeconfig in the environment. `folder` is where curl finds the login of that kubeconfig. Throws
 * with a sentence when there is no KUBECONFIG: a bench must not load whatever cluster happens to be the current one.
 */
export async function realCluster(folder: string): Promise<RealCluster> {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) throw new Error('--server real measures the server of KUBECONFIG, which is not set');
  const config = await loadConfig({ kubeconfig });
  const client = createClient(config);
  try {
    const pods = client.resource({ group: '', version: 'v1', resource: 'pods' });
    const { items, remainingItemCount = 0 } = await pods.list({ limit: 1 });
    const { gitVersion } = await client.version();
    const { headers, tls } = await config.credentials();
    const keep = (name: string, content: string | Uint8Array | undefined): string => {
      const file = path.join(folder, name);
      writeFileSync(file, content ?? '', { mode: 0o600 });
      return file;
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
    const curl = [
      ...['--silent', '--fail', '--http1.1', '--user-agent', 'bench', '--output', '/dev/null'],
      ...(tls.ca === undefined ? [] : ['--cacert', keep('ca.pem', tls.ca)]),
      ...(tls.cert === undefined ? [] : ['--cert', keep('cert.pem', tls.cert), '--key', keep('key.pem', tls.key)]),
      ...['--header', `@${keep('headers', lines.join(''))}`, '--header', 'accept-encoding: gzip'],
      ...['--write-out', '%{size_download}\\n', `${config.server}/api/v1/pods?pretty=false`],
    ];
    return { kubeconfig, pods: items.length + remainingItemCount, version: gitVersion, curl };
  } finally {
    await client.close();
  }
}

const ONE_LINE = { word: '\n', of: () => 1 };

/** This project's programs, the floor, and the peers that are on PATH. */
export function realRows(built: Built, cluster: RealCluster): ProcessRow[] {
  const env = { KUBECONFIG: cluster.kubeconfig };
  const peer = (name: string, args: readonly string[]) => () => {
    const found = onPath(name);
    return found === undefined ? { missing: `${name} is not on PATH` } : { command: found, args, env };
  };
  const go = (mode: string, ...args: string[]) => peer('cginf', ['--gvr', 'pods.v1.', '--mode', mode, ...args]);
  return [
    {
      id: 'curl',
      group: 'floor',
      name: 'curl, gzip, to nowhere',
      command: peer('curl', cluster.curl),
      counts: ONE_LINE,
    },
    ...clusterRows(built, cluster),
    {
      id: 'compact',
      group: 'ours',
      name: 'library, the same with `store: compact`',
      command: () => ({ ...runner('ours', built.library, 'kubeconfig', 'compact'), env }),
    },
    { id: 'go-typed', group: 'peer', name: 'client-go typed, protobuf', command: go('typed-protobuf') },
    {
      id: 'go-typed-trimmed',
      group: 'peer',
      name: 'client-go typed, protobuf, managedFields dropped',
      command: go('typed-protobuf', '--strip-managed-fields'),
    },
    {
      id: 'go-dynamic',
      group: 'peer',
      name: 'client-go dynamic, managedFields dropped',
      onceFrom: 1,
      command: go('dynamic', '--strip-managed-fields'),
    },
    {
      id: 'kubectl',
      group: 'peer',
      name: 'kubectl get pods -A --no-headers',
      onceFrom: 1,
      command: peer('kubectl', ['get', 'pods', '-A', '--no-headers']),
      counts: { word: '\n', of: (objects) => objects },
    },
  ];
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(existsSync);
}
