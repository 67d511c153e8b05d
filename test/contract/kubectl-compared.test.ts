import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const binary = 'path' in kubectl ? kubectl.path : '';

describe.skipIf(missing !== undefined)(`what README says of kubectl${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('kubectl get -w refuses several types', async () => {
    await using fixture = await startFixture();
    const { code, stderr } = await runKubectl(binary, ['get', 'pods,deployments', '-w'], { env: fixture.env });
    expect(code).not.toBe(0);
    expect(stderr).toContain('you may only specify a single resource type');
  });

  it('kubectl get -w ends when its watch is broken by a restart, with 0 and without a word', async () => {
    await using fixture = await startFixture();
    const child = spawn(binary, ['get', 'pods', '-n', 'shop', '-w', '-o', 'name'], {
      env: { PATH: process.env.PATH, HOME: fixture.folder, ...fixture.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const ended = once(child, 'close');
    await expect.poll(() => stdout, { timeout: 30_000 }).toContain('pod/web-1');
    await fixture.sandbox.restart({ keepHistory: true });
    expect((await ended)[0]).toBe(0);
    expect(stderr).toBe('');
  });

  it('kubectl wait has an exit code', async () => {
    await using fixture = await startFixture();
    const wait = (what: string) =>
      runKubectl(binary, ['wait', '-n', 'shop', 'pod/web-1', `--for=${what}`, '--timeout=1s'], { env: fixture.env });
    expect((await wait('jsonpath={.metadata.name}=web-1')).code).toBe(0);
    expect((await wait('jsonpath={.metadata.name}=web-9')).code).toBe(1);
  });
});
