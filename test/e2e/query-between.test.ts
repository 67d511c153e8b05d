import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';

const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');
const HOME = mkdtempSync(path.join(tmpdir(), 'between-'));
const TEN_MINUTES = '2026-11-28T02:10,2026-11-28T02:20';

const asked = async (words: string, between = TEN_MINUTES) => {
  const line = ['query', ...words.split(' '), '-n', 'shop', '--from', NIGHT, '--between', between];
  return await run(line, { env: { HOME } });
};
/** The rows without their times and headings. */
const rowsOf = ({ stdout }: { stdout: string }) =>
  stdout
    .split('\n')
    .slice(1, -1)
    .map((row) => row.replace(/^(.) \S+ +/, '$1 ').replaceAll(/ {2,}/g, '  '));

describe('query --between', () => {
  it('shows what appeared, changed and vanished, each with its writers, and counts what is as before', async () => {
    const pods = await asked('pods');
    const rows = rowsOf(pods);
    expect(rows.filter((row) => row.startsWith('+ shop  web-'))).toHaveLength(5);
    expect(rows.filter((row) => row.startsWith('- shop  checkout-jw2pn47ms4-'))).toHaveLength(2);
    expect(rows).toContainEqual(expect.stringMatching(/^\+ shop {2}web-\S+ {2}created \(kube-controller-manager\); container web started$/)); // biome-ignore format: one line
    expect(rows).toContainEqual(expect.stringMatching(/^~ shop {2}api-\S+ {2}container api ended with exit code 1 after 4s$/)); // biome-ignore format: one line
    expect([pods.code, pods.stderr]).toEqual([0, '']);
    const sets = await asked('rs');
    expect(sets.stderr).toMatch(/^2 more objects changed in between, and came and went or ended as before: replicasets shop\/(api|worker)/); // biome-ignore format: one line
  });

  it('names and filters choose what is compared; what only stopped matching is no deletion', async () => {
    expect(rowsOf(await asked('deploy/web'))).toEqual(['~ shop  web  .spec.replicas: 4 → 9 (kubectl-scale); Deployment is available. Replicas: 9']); // biome-ignore format: one line
    expect(rowsOf(await asked('deploy --filter object.spec.replicas<5'))).toContainEqual('- shop  web  is there, and not in the answer any more'); // biome-ignore format: one line
    expect(rowsOf(await asked('deploy --filter object.spec.replicas>5'))).toEqual(['+ shop  web  was there, and is in the answer now']); // biome-ignore format: one line
    expect(rowsOf(await asked('pods --eq owner=deploy/web'))).toHaveLength(5);
    expect(rowsOf(await asked('pods --where RESTARTS>6', '2026-11-28T02:10,2026-11-28T02:20'))).toHaveLength(2);
    expect((await asked('cm/nothing')).stderr).toBe('nothing differs between these times\n');
  });

  it('counts, values, groups and trees are compared', async () => {
    expect((await asked('pods --count')).stdout).toBe('8 → 13\n');
    expect((await asked('pods --values label:app')).stdout).toBe('web   4 → 9\n');
    expect((await asked('pods --group-by .status.phase -o json')).stdout).toContain('{"value":"Pending","before":"0","after":"2"}'); // biome-ignore format: one line
    expect((await asked('deploy --sum .spec.replicas')).stdout).toBe('4, 8 → 4, 13\n');
    const kinds = rowsOf(await asked('deploy/web --tree')).map((row) => row.split('  ')[0]);
    expect(kinds.toSorted()).toEqual([...Array(5).fill('+ v1/pods'), '~ apps/v1/deployments', '~ apps/v1/replicasets']);
  });

  it('formats of changes print the differences as events', async () => {
    const { stdout } = await asked('deploy/web -o json');
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'MODIFIED',
      changes: expect.arrayContaining([{ path: '.spec.replicas', from: 4, to: 9, by: 'kubectl-scale' }]),
    });
    expect((await asked('cm -o changes')).stdout).toMatch(/ MODIFIED {3}shop\/feature-flags {3}\.data\.rate-limit: "100" → "500" {2}\(kubectl-edit\)\n$/); // biome-ignore format: one line
  });

  it('says when a time lies in a gap, and which gaps lie between', async () => {
    const inGap = await asked('cm', '2026-11-28T02:07,2026-11-28T02:20');
    expect(inGap.stderr).toMatch(/^v1\/configmaps in shop at 2026-11-28T02:07:00\.000Z: changes may be missing, in a gap \(stopped\)/); // biome-ignore format: one line
    const between = await asked('cm', '2026-11-28T02:05:30,2026-11-28T02:20');
    expect(between.stderr).toMatch(
      /^configmaps: changes from \S+ to \S+ are known by their results only \(stopped\)\n$/,
    );
  });

  it('refuses what has no meaning between two times', async () => {
    const refused = async (words: string, between?: string) => {
      const { code, stderr } = await asked(words, between);
      return [code, stderr.split('\n')[0]];
    };
    expect(await refused('cm', '2020')).toEqual([2, expect.stringContaining('expected two times')]);
    expect(await refused('cm', '2026-11-28T02:20,2026-11-28T02:10')).toEqual([2, expect.stringContaining('the first time is after the second')]); // biome-ignore format: one line
    expect(await refused('cm', '2020-01-01,2026-11-28T02:10')).toEqual([2, 'error: --between 2020-01-01 is before the recording']); // biome-ignore format: one line
    expect(await refused('cm -o csv')).toEqual([2, 'error: -o csv cannot be used with --between']);
    expect(await refused('cm --at 10m')).toEqual([2, 'error: --at does nothing beside --between']);
    const alone = await run(['query', 'cm', '--between', TEN_MINUTES], { env: { HOME } });
    expect(alone.stderr).toMatch(/^error: --between does nothing without --from\n/);
    expect((await run(['query', 'cm', '--from', NIGHT, '-o', 'changes'], { env: { HOME } })).stderr).toContain('query --between those of a recording'); // biome-ignore format: one line
  });
}, 60_000);
