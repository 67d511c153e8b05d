import { existsSync, readFileSync, statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveUi } from '../../../src/cli/serve/serve-ui.ts';
import { readUiPage } from '../../../src/cli/serve/ui-page.ts';
import { type Io, TextSink } from '../../../src/cli/terminal/io.ts';
import { createConfig } from '../../../src/client/config/cluster-config.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { parseIndex } from '../../../src/query/index-definition.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
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

/** Serves the page as a command does, and notes what it says. */
async function served({ isTerminal }: { isTerminal: boolean }) {
  const stream = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const stderr = new TextSink(stream, { isText: true });
  const said: string[] = [];
  const declared = [await parseIndex('by=.spec.schedulerName')];
  const ui = await serveUi(
    {
      io: { stderr } as Io,
      clock: systemClock,
      config: createConfig({ server: 'https://cluster.example:6443' }),
      atOnce: new Set(),
      notice: (text) => said.push(text),
    },
    { targets: () => caches.caches, declared: () => declared },
    0,
  );
  return { ui, text: said.join('\n') };
}

const URL_WITH_TOKEN = /http:\/\/127\.0\.0\.1:\d+\/ui\/#token=[\w-]{32}/;

/** The first message of the stream of a page. */
async function helloFrom(url: string): Promise<{ indexes: string[]; server: string }> {
  const { body } = await fetch(new URL('stream', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${url.split('=')[1]}` },
  });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const [, data = '{}'] = /^event: hello\ndata: (.*)$/m.exec(new TextDecoder().decode(value)) ?? [];
  return JSON.parse(data);
}

describe('serve --ui', () => {
  it('prints the URL on a terminal, and what to do without a browser', async () => {
    const { ui, text } = await served({ isTerminal: true });
    await using _page = ui;
    const [url = ''] = URL_WITH_TOKEN.exec(text) ?? [];
    const { port } = new URL(url);
    expect(text.split('\n')[0]).toBe(`the page: ${url}`);
    expect(text).toContain(`ssh -L ${port}:127.0.0.1:${port} HOST`);
    expect(await (await fetch(url)).text()).toBe(readUiPage());
    const { indexes, server } = await helloFrom(url);
    expect([indexes[0], server]).toEqual(['by', 'https://cluster.example:6443']);
  });

  it('prints no token where stderr is a log, and writes the URL for this user alone', async () => {
    const { ui, text } = await served({ isTerminal: false });
    const [, file = ''] = / is in (\S+)$/.exec(text) ?? [];
    try {
      expect(text).not.toContain('token=');
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${URL_WITH_TOKEN.source}\n$`));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(text).not.toContain(readFileSync(file, 'utf8').trim().split('=')[1] as string);
    } finally {
      await ui[Symbol.asyncDispose]();
    }
    expect(existsSync(file)).toBe(false);
  });

  it('says what to do when the page is not built', () => {
    const read = () => {
      throw new Error('ENOENT');
    };
    expect(() => readUiPage(read)).toThrow(/the page of --ui cannot be read: ENOENT/);
  });
});
