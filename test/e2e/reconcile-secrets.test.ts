import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli } from '../support/cli.ts';
import { type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';

const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const ENCODED = Buffer.from(SECRET_VALUE).toString('base64');

/** Copies a Secret: by an action to the namespace `other`, and by the client to `third`. */
const COPIER = `
const copyTo = ({ type, data }, namespace) =>
  ({ apiVersion: 'v1', kind: 'Secret', type, metadata: { name: 'copy', namespace }, data });

export default async function reconcile({ object, client }) {
  if (object?.metadata.name !== 'login') return;
  const third = client.resource({ group: '', version: 'v1', resource: 'secrets' }, { namespace: 'third' });
  if (process.env.BY_CLIENT) await third.create(copyTo(object, 'third'));
  return { actions: [{ apply: copyTo(object, 'other') }] };
}`;

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'third' } });
  await writeFile(path.join(fixture.folder, 'copier.mjs'), COPIER);
});
afterEach(() => fixture[Symbol.asyncDispose]());

it.each([
  ['shown', [], false],
  ['sent as a dry run', ['--dry-run'], true],
  ['sent', ['--allow-write'], true],
] as const)(
  'with --show-secrets the hook gets the values, and no value is printed when actions are %s',
  async (_, flags, byClient) => {
    await using cli = new Cli(
      ['reconcile', 'secrets', '-A', '--hook', path.join(fixture.folder, 'copier.mjs'), '--show-secrets', ...flags],
      { env: { ...fixture.env, ...(byClient ? { BY_CLIENT: 'yes' } : {}) } },
    );
    await cli.until(({ stdout }) => /v1\/secrets other\/copy/.test(stdout), 'the report of the action');
    if (flags[0] === '--dry-run')
      await cli.until(({ stdout }) => /v1\/secrets third\/copy/.test(stdout), 'the report of the client');
    cli.kill('SIGTERM');
    const { code, stdout, stderr } = await cli.ended();
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/hmac:[0-9a-f]{8}/);
    expect(stdout + stderr).not.toContain(ENCODED);
    expect(stdout + stderr).not.toContain(SECRET_VALUE);
    const copies = ['other', 'third'].map(
      (namespace) => (fixture.sandbox.get(SECRETS, `${namespace}/copy`) as UnknownObject & { data?: object })?.data,
    );
    const isSent = flags[0] === '--allow-write';
    expect(copies).toEqual(isSent ? [{ password: ENCODED }, { password: ENCODED }] : [undefined, undefined]);
  },
);
