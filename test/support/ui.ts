import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { compileConditions, uiTexts } from '../../src/cli/serve/ui-texts.ts';
import { createClient } from '../../src/client/client.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { formatGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { IndexCatalog } from '../../src/query/index/index-catalog.ts';
import type { IndexDefinition } from '../../src/query/index/index-definition.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { UiCache, UiProgram } from '../../src/serve/ui/ui-program.ts';
import { startUi, type UiServer } from '../../src/serve/ui/ui-server.ts';
// @ts-expect-error: the build is plain JavaScript
import { uiPage } from '../../tools/ui-page.mjs';

/** The page as the build makes it, built once for a test file. */
export const pageText: () => Promise<string> = once(() => uiPage() as Promise<string>);

/** Caches of types of a sandbox, with rows, objects and managedFields, that run until disposal. */
export async function sandboxCaches(
  sandbox: Sandbox,
  words: readonly string[],
  { transform }: { transform?: ((object: UnknownObject) => UnknownObject) | undefined } = {},
) {
  const client = createClient(sandbox.transport());
  const ending = new AbortController();
  const caches: UiCache[] = [];
  for (const word of words) {
    const type = await client.mapper.find(word);
    if (!type) throw new Error(`no type ${word}`);
    const informer = new SharedInformer<UnknownObject>(
      client.resource(type.gvr, { as: { table: 'Object' } }) as never,
      {
        name: formatGvr(type.gvr),
        transform,
      },
    );
    caches.push({ id: formatGvr(type.gvr), type, informer });
  }
  const running = caches.map(({ informer }) => informer.run(ending.signal));
  await Promise.all(caches.map(({ informer }) => informer.whenSynced()));
  return {
    caches,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(running);
      await client.close();
    },
  };
}

/** A program over caches, as `serve` is one. */
export function uiProgram(
  caches: readonly UiCache[],
  { clock = systemClock, declared = [] }: { clock?: Clock; declared?: readonly IndexDefinition[] } = {},
): UiProgram {
  const catalog = new IndexCatalog(declared);
  return {
    name: 'kubectl-informer 0.0.0',
    server: 'test-cluster',
    startedAt: clock.now(),
    clock,
    texts: uiTexts,
    caches: () => caches,
    indexNames: () => catalog.names(),
    index: (name) => catalog.get(name),
    compile: compileConditions,
  };
}

/** The page of a sandbox's caches, on a free port. */
export async function sandboxUi(
  sandbox: Sandbox,
  words: readonly string[],
  { transform, ...where }: { transform?: (object: UnknownObject) => UnknownObject; port?: number; token?: string } = {},
) {
  const { caches, ...rest } = await sandboxCaches(sandbox, words, { transform });
  const ui = await startUi({ program: uiProgram(caches), page: await pageText(), ...where });
  return {
    caches,
    ui,
    async [Symbol.asyncDispose]() {
      await ui[Symbol.asyncDispose]();
      await rest[Symbol.asyncDispose]();
    },
  };
}

/** Why there is no browser here; undefined where there is one. */
export const noBrowser: string | undefined =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : `the browser of the tests is for linux x64, and this is ${process.platform} ${process.arch}`;

/** Not those of the package: they turn off what keeps origins apart. */
const BROWSER_ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** A test file that finds the browser while another one unpacks it would start a part of it. */
const UNPACKING = path.join(tmpdir(), 'chromium.unpacking');
const LONGEST_UNPACKING_MS = 60_000;

async function unpackedBrowser(): Promise<string> {
  for (let leftMs = LONGEST_UNPACKING_MS; leftMs > 0; leftMs -= 100) {
    const isFree = await mkdir(UNPACKING).then(
      () => true,
      () => false,
    );
    if (isFree) break;
    await systemClock.sleep(100);
  }
  try {
    return await chromium.executablePath();
  } finally {
    await rm(UNPACKING, { recursive: true, force: true });
  }
}

/** One browser for a test file. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await unpackedBrowser();
  return playwright.launch({ executablePath, args: BROWSER_ARGUMENTS, headless: true });
}

/** A page of a browser, with what it asked for and what went wrong in it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** The URLs of all requests, data URLs left out. */
  readonly requests: string[];
  /** Violations of the policy, errors in the console, exceptions. */
  readonly complaints: string[];
}

export async function openPage(
  browser: Browser,
  { url }: Pick<UiServer, 'url'>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<WatchedPage> {
  const context: BrowserContext = await browser.newContext(options);
  const page = await context.newPage();
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, requests, complaints, [Symbol.asyncDispose]: () => context.close() };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Runs in the page: visible texts whose contrast with what is behind them is under 4.5. */
export const lowContrast = `() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement;
    if (!node.textContent.trim() || !of.checkVisibility() || of.closest('.new')) continue;
    const [a, b] = [light(parse(getComputedStyle(of).color)), light(behind(of))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(node.textContent.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return poor;
}`;
