import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServeUi, sayUiPlace, type UiPlace } from '../../../src/cli/serve/serve-ui.ts';
import { readUiPage } from '../../../src/cli/serve/ui-page.ts';
import { type Io, TextSink } from '../../../src/cli/terminal/io.ts';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { pageOf } from '../../../src/serve/ui/page-text.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';
import { sandboxCaches } from '../../support/ui.ts';

let sandbox: Sandbox;
let caches: Awaited<ReturnType<typeof sandboxCaches>>;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  caches = await sandboxCaches(sandbox, ['pods']);
});
afterEach(async () => {
  await caches[Symbol.asyncDispose]();
  await sandbox.stop();
});

const targetOf = ({ type, informer }: UiCache) => ({ type, informer, namespaces: undefined });

/** The page of a serve, in a folder of its own. */
async function served({ keepsManagedFields = true } = {}) {
  const declared = [await parseIndex('by=.spec.schedulerName')];
  const config = createConfig({ server: 'https://cluster.example:6443' });
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'serve-ui-')), 'ui-url');
  const changed = new Set<() => void>();
  const served = {
    targets: caches.caches.map(targetOf),
    declared,
    keepsManagedFields,
    onTargets(run: () => void) {
      changed.add(run);
      return { [Symbol.dispose]: () => void changed.delete(run) };
    },
  };
  const ui = new ServeUi({ clock: systemClock, config, io: { env: {} } } as never, served, {
    file: () => file,
    recordedIn: undefined,
  });
  return {
    ui,
    file,
    served,
    changed,
    async [Symbol.asyncDispose]() {
      await ui[Symbol.asyncDispose]();
      rmSync(path.dirname(file), { recursive: true });
    },
  };
}

/** What is said on a stderr. */
function saidOn({ isTerminal }: { isTerminal: boolean }, place: UiPlace): string {
  const stderr = new TextSink(Object.assign(new PassThrough(), { isTTY: isTerminal }), { isText: true });
  const said: string[] = [];
  sayUiPlace({ io: { stderr } as Io, notice: (text) => said.push(text) }, place);
  return said.join('\n');
}

const URL_WITH_TOKEN = /http:\/\/127\.0\.0\.1:\d+\/ui\/#token=[\w-]{32}/;

/** The first messages of the stream of a page. */
async function beginOfStream(url: string): Promise<string> {
  const { body } = await fetch(new URL('stream', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${url.split('=')[1]}` },
  });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('event: timeline')) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  return text;
}

describe('serve --ui', () => {
  it('prints the URL on a terminal, and what to do without a browser', async () => {
    await using page = await served();
    const text = saidOn({ isTerminal: true }, await page.ui.open(0));
    const [url = ''] = URL_WITH_TOKEN.exec(text) ?? [];
    const { port } = new URL(url);
    expect(text.split('\n')[0]).toBe(`the page: ${url}`);
    expect(text).toContain(`ssh -L ${port}:127.0.0.1:${port} HOST`);
    expect(await (await fetch(url)).text()).toBe(pageOf(readUiPage()).html);
    const stream = await beginOfStream(url);
    expect(stream).toContain('"server":"https://cluster.example:6443"');
    expect(stream).toContain('"indexes":["by","namespace"');
    expect(stream).toContain('"id":"v1/pods"');
  });

  it('prints no token where stderr is a log, and writes the URL for this user alone', async () => {
    const page = await served();
    const place = await page.ui.open(0);
    const text = saidOn({ isTerminal: false }, place);
    const [, file = ''] = / is in (\S+)$/.exec(text) ?? [];
    expect(file).toBe(page.file);
    expect(text).not.toContain('token=');
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${URL_WITH_TOKEN.source}\n$`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text).not.toContain(place.url.split('=')[1] as string);
    await page[Symbol.asyncDispose]();
    expect(existsSync(file)).toBe(false);
    await expect(fetch(place.address)).rejects.toThrow();
  });

  it('opens one page only, and says when changes have no author', async () => {
    await using page = await served({ keepsManagedFields: false });
    expect(page.ui.place).toBeUndefined();
    const [first, second] = await Promise.all([page.ui.open(0), page.ui.open(0)]);
    expect(second).toEqual(first);
    expect(page.ui.place).toEqual(first);
    expect(saidOn({ isTerminal: true }, first)).toContain('without who made them');
  });

  it('can be opened after a port was taken', async () => {
    await using page = await served();
    await using other = await served();
    const { port } = new URL((await other.ui.open(0)).address);
    await expect(page.ui.open(Number(port))).rejects.toThrow(/cannot listen/);
    expect((await page.ui.open(0)).address).toMatch(/^http/);
  });

  it('shows a type that is added later, and forgets one that is given up', async () => {
    await using page = await served();
    const { url } = await page.ui.open(0);
    await using more = await sandboxCaches(sandbox, ['configmaps']);
    page.served.targets = more.caches.map(targetOf);
    for (const run of page.changed) run();
    const stream = await beginOfStream(url);
    expect(stream).toContain('"id":"v1/configmaps"');
    expect(stream).not.toContain('v1/pods');
  });

  it('says what to do when the page is not built', () => {
    const read = () => {
      throw new Error('ENOENT');
    };
    expect(() => readUiPage(read)).toThrow(
      expect.objectContaining({
        message: 'the page of --ui cannot be read: ENOENT',
        hint: expect.stringContaining('npm run build'),
      }),
    );
  });
});
