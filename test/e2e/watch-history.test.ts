import { describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

interface Line {
  readonly type: string;
  readonly key?: string;
  readonly reason?: string;
  readonly exitCode?: number;
  readonly object?: { readonly metadata: { readonly uid: string } };
}

/** What the stream's reader holds for there, by key and uid. */
function stateOf(cli: Cli): string[] {
  const state = new Map<string, string>();
  for (const { type, key, object } of cli.events<Line>()) {
    if (!key || !object) continue;
    if (type === 'DELETED') state.delete(key);
    else state.set(key, object.metadata.uid);
  }
  return [...state].map(([key, uid]) => `${key} ${uid}`).sort();
}

const serverState = ({ sandbox }: Fixture) =>
  sandbox
    .list(CONFIG_MAPS, { namespace: 'shop' })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.uid}`)
    .sort();

const WAYS: [string, (fixture: Fixture, cli: Cli) => Promise<void>][] = [
  [
    'wiped',
    async ({ sandbox }) => {
      await sandbox.wipe();
      sandbox.apply([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        configMap('settings', { color: 'new' }),
      ]);
    },
  ],
  [
    'restored to an older state, with traffic that passes the old version',
    async ({ sandbox }, cli) => {
      const before = sandbox.snapshot();
      sandbox.apply(configMap('ghost', {}));
      await cli.until((c) => c.stdout.includes('"shop/ghost"'), 'what the restored history does not have');
      await sandbox.restore(before);
      sandbox.apply(configMap('victim', {}));
      for (let i = 0; i < 20; i++) sandbox.apply(configMap('settings', { count: `${i}` }));
    },
  ],
  [
    'restored to the state before a deletion, with traffic that passes the old version',
    async ({ sandbox }, cli) => {
      sandbox.apply([configMap('a-first', {}), configMap('loved', {})]);
      await cli.until((c) => c.stdout.includes('"shop/loved"'), 'what is deleted later');
      const before = sandbox.snapshot();
      sandbox.delete(CONFIG_MAPS, 'shop/loved');
      await cli.until((c) => c.events<Line>().some(({ type }) => type === 'DELETED'), 'the deletion');
      await sandbox.restore(before);
      for (let i = 0; i < 20; i++) sandbox.apply(configMap(`new-${i}`, {}));
    },
  ],
];

describe('a server whose history was replaced behind its address', () => {
  it.each(WAYS)('%s: a gap, and the state of the server', async (_, replace) => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'cm', '-n', 'shop', '-o', 'json', '--markers'], { env: fixture.env });
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'SYNCED'), 'the initial list');
    await replace(fixture, cli);
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'RELISTED'), 'the relist');
    const wanted = serverState(fixture);
    await cli.until((c) => stateOf(c).join() === wanted.join(), "the server's state");
    expect(cli.events<Line>().filter(({ type }) => type === 'GAP')).toHaveLength(1);
    expect(cli.stderr).not.toContain('nothing was missed');
  });

  it.each(WAYS)('%s: --strict ends with 4', async (_, replace) => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'cm', '-n', 'shop', '-o', 'json', '--markers', '--strict'], {
      env: fixture.env,
    });
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'SYNCED'), 'the initial list');
    await replace(fixture, cli);
    const { code, stderr } = await cli.ended();
    expect(code).toBe(4);
    expect(cli.events<Line>().slice(-2)).toMatchObject([{ type: 'GAP' }, { type: 'END', exitCode: 4 }]);
    expect(stderr).not.toContain('nothing was missed');
  });
});
