import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { ClusterConfig } from '../../src/client/config/cluster-config.ts';
import { type LoadConfigOptions, loadConfig } from '../../src/client/kubeconfig.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

export interface OwnKubeconfig {
  readonly directory: string;
  readonly clock: FakeClock;
  /** The path of a file in the folder. */
  at(name: string): string;
  /** Writes a kubeconfig with this user and cluster, named `config`, and loads it. */
  configOf(user: object | undefined, cluster?: object, options?: LoadConfigOptions): Promise<ClusterConfig>;
  authorization(config: ClusterConfig): Promise<string | readonly string[] | undefined>;
}

/** A folder with a kubeconfig of one cluster and one user, and a fake clock; new for each test of the file. */
export function ownKubeconfig(): OwnKubeconfig {
  let directory: string;
  let clock: FakeClock;
  const at = (name: string) => path.join(directory, name);
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'credentials-'));
    clock = new FakeClock();
  });
  afterEach(() => rm(directory, { recursive: true }));
  return {
    get directory() {
      return directory;
    },
    get clock() {
      return clock;
    },
    at,
    async configOf(user, cluster = {}, options = {}) {
      const kubeconfig = {
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', ...(user ? { user: 'u' } : {}) } }],
        clusters: [{ name: 'c', cluster: { server: 'https://one', ...cluster } }],
        users: [{ name: 'u', user }],
      };
      await writeFile(at('config'), JSON.stringify(kubeconfig)); // JSON is YAML
      return loadConfig({
        kubeconfig: at('config'),
        clock,
        ...options,
        env: { PATH: process.env.PATH, ...options.env },
      });
    },
    authorization: async (config) => (await config.credentials()).headers.authorization,
  };
}
