import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { launchBrowser, noBrowser, openPage } from '../support/ui.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  const runtime = await mkdtemp(path.join(tmpdir(), 'ui-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
  return () => rm(runtime, { recursive: true, force: true });
});

const FILE = /the page: (http:\/\/127\.0\.0\.1:\d+\/ui\/); the URL with its token is in (\S+)/;

/** A serve with its page, when it is ready. */
async function served(...args: string[]) {
  const cli = new Cli(['serve', 'pods', ...args], { env });
  await cli.until(({ stderr }) => /^ready: /m.test(stderr), 'ready');
  return cli;
}

function placeIn(stderr: string): { address: string; file: string; url: string } {
  const [, address = '', file = ''] = FILE.exec(stderr) ?? [];
  return { address, file, url: existsSync(file) ? readFileSync(file, 'utf8').trim() : '' };
}

describe.skipIf(process.platform === 'win32')('serve --ui', () => {
  it('prints where the page is, and never the token where stderr is no terminal; the file goes with the serve', async () => {
    await using cli = await served('--ui');
    const { address, file, url } = placeIn(cli.stderr);
    expect(url).toMatch(new RegExp(`^${address}#token=[\\w-]{32}$`));
    expect(cli.stderr + cli.stdout).not.toContain(url.split('=')[1]);
    expect((await fetch(url)).headers.get('content-security-policy')).toContain(`default-src 'none'`);
    const status = await run(['serve', 'status'], { env });
    expect(status.stdout).toContain(`page: ${address} (the URL with its token is in ${file})`);
    cli.kill('SIGTERM');
    expect(await cli.ended()).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });

  it.skipIf(noBrowser !== undefined)(
    `shows the pods of the cluster in a browser${noBrowser ? ` (${noBrowser})` : ''}`,
    async () => {
      await using cli = await served('--ui');
      const browser: Browser = await launchBrowser();
      try {
        const { page, complaints } = await openPage(browser, placeIn(cli.stderr));
        const printed = await run(['query', 'pods', '-A', '-o', 'name', '--no-serve'], { env });
        const names = printed.stdout
          .trim()
          .split('\n')
          .map((line) => line.replace('pod/', ''));
        expect(names.length).toBeGreaterThan(1);
        for (const name of names) await page.locator('.grid .row', { hasText: name }).waitFor();
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  it('has the timeline of the recording that the serve makes, and not without one', async () => {
    const file = path.join(env.XDG_RUNTIME_DIR, 'shop.rec');
    await using cli = await served('--ui', '--record', file);
    const { address, url } = placeIn(cli.stderr);
    expect(await (await fetch(address)).text()).toContain('id="past-slider"');
    const headers = { authorization: `Bearer ${url.split('=')[1]}` };
    const asked = { method: 'POST', headers, body: JSON.stringify({ type: 'v1/pods' }) };
    const timeline = async () => (await (await fetch(`${address}timeline`, asked)).json()) as { lanes?: object[] };
    await expect.poll(async () => (await timeline()).lanes?.length ?? 0).toBeGreaterThan(1); // written after half a second
    cli.kill('SIGTERM');
    expect(await cli.ended()).toMatchObject({ code: 0 });
    await using plain = await served('--ui');
    const page = await (await fetch(placeIn(plain.stderr).address)).text();
    expect(page).toContain('id="grid"');
    expect(page).not.toContain('past-');
  });

  it('asks a serve that runs already for its page, which is one for all', async () => {
    await using cli = await served();
    expect(cli.stderr).not.toContain('the page');
    const first = await run(['serve', 'pods', '--ui'], { env });
    const { address, url } = placeIn(first.stderr);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('runs already') });
    expect(first.stderr).toContain('changes are shown without who made them');
    expect((await fetch(url)).status).toBe(200);
    const second = await run(['serve', 'pods', '--ui'], { env });
    expect(placeIn(second.stderr)).toMatchObject({ address, url });
  });

  it('refuses a port without a page, and one that is taken', async () => {
    expect(await run(['serve', 'pods', '--ui-port', '8001'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--ui-port does nothing without --ui'),
    });
    const { port } = new URL(fixture.sandbox.url);
    const taken = await run(['serve', 'pods', '--ui', '--ui-port', port], { env });
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`) });
  });

  it('stays while its page is open, also with --idle-exit, and ends after it', async () => {
    await using cli = await served('--ui', '--idle-exit', '1s');
    const { address, url } = placeIn(cli.stderr);
    const headers = { authorization: `Bearer ${url.split('=')[1]}` };
    const page = await fetch(`${address}stream`, { method: 'POST', headers });
    const reader = (page.body as ReadableStream<Uint8Array>).getReader();
    const until = performance.now() + 2500;
    while (performance.now() < until) expect((await reader.read()).done).toBe(false); // a sign of life every 2 s
    expect(cli.child.exitCode).toBeNull();
    await reader.cancel();
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: expect.stringContaining('--idle-exit') });
  });
});
