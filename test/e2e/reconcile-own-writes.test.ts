import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
const LAG_MS = 500;

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture([]);
  const fault = { kind: 'lag', ms: LAG_MS } as const;
  fixture.sandbox.faults.add({ fault, match: { watch: true }, times: Number.POSITIVE_INFINITY });
});
afterEach(() => fixture[Symbol.asyncDispose]());

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const CHILD = `{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { generateName: 'child-' } }`;
const MODULE = `export default ({ object, lister }) => {
  const have = lister('v1/serviceaccounts').list().filter((each) => each.metadata.name.startsWith('child-')).length;
  if (!object || have >= 3) return;
  return { actions: Array.from({ length: 3 - have }, () => ({ create: ${CHILD}, own: true })) };
};`;
const PROGRAM = `#!${process.execPath}
let text = '';
process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
  const { object, snapshots } = JSON.parse(text);
  const have = snapshots.kids.filter((each) => each.metadata.name.startsWith('child-')).length;
  const actions = object ? Array.from({ length: Math.max(0, 3 - have) }, () => ({ create: ${CHILD}, own: true })) : [];
  console.log(JSON.stringify({ actions }));
});`;

describe('a hook over caches that are behind', () => {
  it.each([
    ['a module', 'hook.mjs', MODULE],
    ['a program', 'hook', PROGRAM],
  ])('%s makes three children where three are wanted', async (_, name, text) => {
    expect(await made(name, text)).toHaveLength(3);
  });

  it.each([
    ['a flag', 'hook.mjs', MODULE, ['--consistency', 'none']],
    ['its config', 'hook.mjs', `export const config = { consistency: 'none' };\n${MODULE}`, []],
  ])('a hook makes too many where %s says that runs do not wait', async (_, name, text, flags) => {
    expect((await made(name, text, flags)).length).toBeGreaterThan(3);
  });

  async function made(name: string, text: string, flags: readonly string[] = []): Promise<string[]> {
    fixture.sandbox.apply(configMap('parent', { size: '0' }));
    const words = ['configmaps', 'parent', '--hook', await hook(name, text), '--owns', 'serviceaccounts'];
    const args = ['reconcile', ...words, '--with', 'kids=serviceaccounts', '--allow-write', '-n', 'shop', ...flags];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until(() => children().length > 0, 'a child');
    for (let change = 1; change <= 10; change++) {
      fixture.sandbox.apply(configMap('parent', { size: String(change) }));
      await new Promise((resolve) => setTimeout(resolve, LAG_MS / 5));
    }
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code, stderr).toBe(0);
    return children();
  }
});

function children(): string[] {
  const names = fixture.sandbox
    .list(SERVICE_ACCOUNTS, { namespace: 'shop' })
    .map(({ metadata }) => metadata.name ?? '');
  return names.filter((name) => name.startsWith('child-'));
}
