import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import { serveIdentity } from '../../src/serve/folder-key.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { leaveStale } from '../support/fake-serve.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';
import { serving } from '../support/serving.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  fixture = await startFixture();
  env = { ...fixture.env, XDG_RUNTIME_DIR: await mkdtemp(path.join(tmpdir(), 'door-')) };
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

const FROM_SERVE = `from serve (pid ${process.pid})\n`;
const podsType = { group: '', version: 'v1', resource: 'pods' };

/** Changes of every kind, among them a label that lets an object enter and leave a selection. */
function change(): void {
  const { sandbox } = fixture;
  sandbox.apply(pod('web-3', { node: 'worker-3' }));
  sandbox.apply(pod('web-1', { image: 'nginx:1.28' }));
  sandbox.apply(pod('web-2', { app: 'other' }));
  sandbox.apply(pod('web-2', { app: 'web', phase: 'Failed' }));
  sandbox.apply(pod('db-1', { namespace: 'other', app: 'web' }));
  sandbox.delete(podsType, 'shop/web-1', { gracePeriodSeconds: 0 });
  sandbox.apply([configMap('maps-last', {}), pod('other-last', { namespace: 'other' }), pod('web-last')]);
}

/** Without what two runs never share: times, and the width of their cells; of several sources also their order. */
function comparable(text: string, isOneSource: boolean): string {
  const timeless = text
    .replaceAll(/("?time"?: ?)"[^"]*"/g, '$1""')
    .replaceAll(/\b(\d+m)?\d+s\b */g, 'Ns ')
    .replaceAll(/^\d\d:\d\d:\d\d(\.\d+)?/gm, '');
  return isOneSource
    ? timeless
    : timeless
        .replaceAll(/"seq":\d+/g, '')
        .split('\n')
        .sort()
        .join('\n');
}

/** What is printed of each source at its initial sync, and of its last change: sources have no order among them. */
const SHOP = { first: ['web-2'], last: ['web-last'] };
const ALL = { first: ['web-2', 'other-first'], last: ['web-last', 'other-last'] };

describe.skipIf(process.platform === 'win32')('watch through a running serve', () => {
  it.each([
    [['pods', '-A'], ALL],
    [['pods', '-A', '-o', 'wide'], ALL],
    [['pods', '-A', '-o', 'json', '--old'], ALL],
    [['pods', '-A', '-o', 'yaml'], ALL],
    [['pods', '-A', '-o', 'name'], ALL],
    [['pods', '-n', 'shop', '-o', 'json'], SHOP],
    [['pods', '-n', 'shop,other', '-l', 'app=web', '-o', 'json'], ALL],
    [['pods', 'web-1', 'web-2', 'web-last', '-n', 'shop', '-o', 'json'], SHOP],
    [['pods', '-A', '--where', 'NAME != "web-4"', '--filter', 'object.spec.nodeName != "x"'], ALL],
    [
      ['pods,configmaps', '-n', 'shop', '-o', 'jsonpath={.metadata.name}{"\\n"}'],
      { first: ['web-2', 'settings'], last: ['web-last', 'maps-last'] },
    ],
  ])('prints what watch prints without it: %j', async (line, { first, last }) => {
    fixture.sandbox.apply(pod('other-first', { namespace: 'other' }));
    const asked: string[] = [];
    await using _ = await serving(env, {
      types: ['pods', 'configmaps'],
      onRead: ({ req }) => asked.push(req.url ?? ''),
    });
    await using through = new Cli(['watch', ...line], { env });
    await using direct = new Cli(['watch', ...line, '--no-serve'], { env });
    const both = [through, direct];
    const printed = (names: readonly string[]) =>
      Promise.all(
        both.map((cli) => cli.until(({ stdout }) => names.every((name) => stdout.includes(name)), `${names}`)),
      );
    await printed(first);
    if (line.includes('web-last')) {
      // a source without objects prints nothing: that it is synced is seen by its watch
      const watched = (url: string) => url.includes('watch=') && url.includes('web-last');
      const isSynced = () =>
        asked.some(watched) && fixture.sandbox.requests.matching(/./).some((one) => watched(one.path));
      await eventually(isSynced, { timeoutMs: 15_000 });
    }
    change();
    await printed(last);
    for (const cli of both) cli.kill('SIGINT');
    const [served, own] = await Promise.all(both.map((cli) => cli.ended()));
    const isOne = !line.some((word) => /,|^web-/.test(word));
    expect(comparable(served?.stdout ?? '', isOne)).toBe(comparable(own?.stdout ?? '', isOne));
    expect(served?.code).toBe(own?.code);
    expect(comparable(served?.stderr ?? '', true)).toBe(comparable(`${FROM_SERVE}${own?.stderr}`, true));
  });

  it('asks the cluster for what the serve does not hold, and says so once for each type and reason', async () => {
    await using _ = await serving(env, { types: ['pods'], namespaces: ['shop'] });
    const why = async (...line: string[]) => (await run(['watch', ...line, '--once'], { env })).stderr;
    const pid = `not from serve (pid ${process.pid})`;
    expect(await why('pods', '-n', 'shop')).toBe(FROM_SERVE);
    expect(await why('pods', '-A')).toBe(`pods from the cluster, ${pid}: not all namespaces are cached\n`);
    expect(await why('pods', '-n', 'other')).toBe(`pods from the cluster, ${pid}: this namespace is not cached\n`);
    expect(await why('deploy', '-n', 'shop')).toBe(
      `deployments.apps from the cluster, ${pid}: this type is not cached\n`,
    );
    expect(await why('pods', '-n', 'shop', '-o', 'yaml', '--show-managed-fields')).toBe(
      `pods from the cluster, ${pid}: managedFields are not cached\n`,
    );
    expect(await why('pods', '-n', 'shop', '--field-selector', 'status.phase=Running')).toBe(
      `pods from the cluster, ${pid}: the field selector status.phase is evaluated by the API server\n`,
    );
  });

  it('says with -q only what the serve does not answer', async () => {
    await using _ = await serving(env, { types: ['pods'], namespaces: ['shop'] });
    const why = async (...line: string[]) => (await run(['watch', ...line, '-q', '--once'], { env })).stderr;
    expect(await why('pods', '-n', 'shop')).toBe('');
    expect(await why('deploy', '-n', 'shop')).toContain('this type is not cached\n');
    await using following = new Cli(['query', 'pods', '-n', 'shop', '-w', '-q'], { env });
    await following.until(({ stdout }) => stdout.includes('web-2'));
    following.kill('SIGINT');
    expect((await following.ended()).stderr).not.toContain('serve');
  });

  it('never waits through a serve, whose cache may not know yet what was changed a moment ago', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    for (const flags of [
      ['--for', 'jsonpath={.status.phase}=Running'],
      ['--until', 'true'],
      ['--fail-if', 'false', '--once'],
    ])
      expect((await run(['watch', 'pods', '-n', 'shop', ...flags], { env })).stderr).not.toContain('serve');
    expect((await run(['watch', 'pods', '-n', 'shop', '--once', '--no-serve'], { env })).stderr).toBe('');
    expect((await run(['watch', 'pods', '--once', '--sandbox'], { env })).stderr).not.toContain('serve');
  });

  it('goes on at the cluster without a gap when the serve ends', async () => {
    const serve = await serving(env, { types: ['pods'] });
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'name', '--limit', '3'], { env });
    await cli.until(({ stdout }) => stdout.includes('web-2'));
    await serve[Symbol.asyncDispose]();
    fixture.sandbox.apply(pod('web-last'));
    const { code, stdout, stderr } = await cli.ended();
    expect([code, stdout]).toEqual([0, 'pod/web-1\npod/web-2\npod/web-last\n']);
    expect(stderr).toContain(FROM_SERVE);
    expect(stderr).toContain(`from the cluster, not from serve (pid ${process.pid}) any more: `);
    expect(stderr).toContain('no gaps');
  });

  it('names a serve that was killed once, and removes its socket', async () => {
    const { key } = serveIdentity(await loadConfig({ kubeconfig: env.KUBECONFIG, env: {} }));
    await leaveStale(path.join(env.XDG_RUNTIME_DIR, 'kubectl-informer', 'serve'), key);
    const watch = () => run(['watch', 'pods', '-n', 'shop', '--once', '-o', 'name'], { env });
    const { code, stdout, stderr } = await watch();
    expect([code, stdout]).toEqual([0, 'pod/web-1\npod/web-2\n']);
    expect(stderr).toBe('the serve with pid 1 was killed: its socket is removed, and the cluster is asked\n');
    expect((await watch()).stderr).toBe('');
  });

  it('reports what the serve may have missed, with all changes that its new list shows', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--markers'], { env });
    await cli.until(({ stdout }) => stdout.includes('SYNCED'));
    const restarted = fixture.sandbox.restart({ keepHistory: true, downMs: 500 });
    fixture.sandbox.apply(pod('web-last'));
    fixture.sandbox.compact();
    await restarted;
    await cli.until(({ stdout }) => stdout.includes('RELISTED') && stdout.includes('web-last'));
    const kinds = cli.events<{ type: string; key?: string; cause?: string }>();
    expect(kinds.map(({ type }) => type)).toContain('GAP');
    expect(kinds.find(({ key }) => key === 'shop/web-last')).toMatchObject({ type: 'ADDED', cause: 'relist' });
  });

  it('says since when and why the serve has no connection, and goes on when it is back', async () => {
    await using serve = await serving(env, { types: ['pods'] });
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--markers'], { env });
    await cli.until(({ stdout }) => stdout.includes('SYNCED'));
    const restarted = fixture.sandbox.restart({ downMs: 3_000 });
    await cli.until(({ stdout }) => stdout.includes('DISCONNECTED'));
    expect(cli.stderr).toMatch(
      /the serve has had no connection since \d{4}-\d\d-\d\dT[\d:.]+Z: .*(refused|closed|reset)/,
    );
    await restarted;
    fixture.sandbox.apply(pod('web-last'));
    await cli.until(({ stdout }) => stdout.includes('web-last'));
    expect(serve.informers[0]?.continuity[0]?.connection.state).toBe('connected');
  });
});
