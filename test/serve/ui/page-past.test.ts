import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordedPage } from '../../../src/cli/record/recorded-page.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startUi, type UiServer } from '../../../src/serve/ui/ui-server.ts';
import { NIGHT, nightAt } from '../../support/night.ts';
import { launchBrowser, lowContrast, noBrowser, openPage, pageText, sandboxCaches, uiProgram, type WatchedPage } from '../../support/ui.ts'; // biome-ignore format: one line

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } },
  },
});

const row = (page: Page, name: string) => page.locator('.grid .row', { hasText: name });

describe.skipIf(noBrowser !== undefined)(`the page with a recording${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let caches: Awaited<ReturnType<typeof sandboxCaches>>;
  let [recorded, plain]: UiServer[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
    sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply([deployment('web'), deployment('newest')]);
    caches = await sandboxCaches(sandbox, ['deployments']);
    const program = uiProgram(caches.caches);
    const page = await pageText();
    recorded = await startUi({ program: { ...program, past: new RecordedPage(NIGHT) }, page });
    plain = await startUi({ program, page });
  });
  afterAll(async () => {
    await browser?.close();
    for (const each of [recorded, plain, caches]) await each?.[Symbol.asyncDispose]();
    await sandbox?.stop();
  });

  async function opened(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const url = `${recorded?.url}&type=${encodeURIComponent('apps/v1/deployments')}`;
    const watched = await openPage(browser, { url }, options);
    await watched.page.locator('.past-row', { hasText: 'checkout' }).first().waitFor();
    await row(watched.page, 'newest').waitFor();
    return watched;
  }

  /** Moves the slider to a time of the night. */
  async function moveTo(page: Page, time: string): Promise<void> {
    const [from, to] = [nightAt('02:05:00'), nightAt('02:20:35')];
    const value = Math.round((1000 * (nightAt(time) - from)) / (to - from));
    await page.locator('#past-slider').fill(String(value));
  }

  it('shows the objects of the moment of the slider, and those of now again', async () => {
    await using watched = await opened();
    const { page, complaints } = watched;
    await moveTo(page, '02:10:00');
    await row(page, 'checkout').waitFor();
    await row(page, 'newest').waitFor({ state: 'detached' });
    expect(await page.locator('#pill').textContent()).toBe('past');
    expect(await row(page, 'web').getByRole('gridcell').allTextContents()).toContain('4/4');
    await moveTo(page, '02:14:00');
    await row(page, 'web').filter({ hasText: '9/9' }).waitFor();
    sandbox.apply(deployment('later'));
    await page.getByRole('button', { name: 'Back to now' }).click();
    await row(page, 'later').waitFor();
    await row(page, 'checkout').waitFor({ state: 'detached' });
    expect(await page.locator('#pill').textContent()).toBe('live');
    expect(complaints).toEqual([]);
  });

  it('says of a moment in a gap that the recording did not see it, and hatches it', async () => {
    await using watched = await opened();
    const { page } = watched;
    await moveTo(page, '02:07:00');
    const note = page.locator('#past-note');
    await note.getByText('The recording did not see this moment (stopped)').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('#past rect.gap')).fill")).toContain('#hatch');
    await moveTo(page, '02:10:00');
    await note.getByText('did not see').waitFor({ state: 'detached' });
  });

  it('shows an object of then with its YAML, its changes until then, and what it owns in the picture', async () => {
    await using watched = await opened();
    const { page } = watched;
    await moveTo(page, '02:14:00');
    await row(page, 'web').filter({ hasText: '9/9' }).click();
    await page.locator('#yaml').getByText('replicas: 9').first().waitFor();
    await page.locator('.past-row', { hasText: 'replicaset/web' }).first().waitFor();
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page.locator('#changes').getByText('.spec.replicas').waitFor();
    expect(await page.locator('#changes').textContent()).toContain('kubectl-scale');
    expect(Number(await page.locator('#past-slider').inputValue())).toBeLessThan(1000);
  });

  it('is reached and moved with keys', async () => {
    await using watched = await opened();
    const { page } = watched;
    await page.locator('#past-slider').focus();
    await page.keyboard.press('PageDown');
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
    expect(await page.locator('#past-slider').getAttribute('aria-valuetext')).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    );
    await page.keyboard.press('End');
    await page.locator('#pill', { hasText: 'live' }).waitFor();
  });

  it.each(['light', 'dark'] as const)('is %s, fits a phone, and asks its own server alone', async (colorScheme) => {
    for (const width of [1280, 400]) {
      await using watched = await opened({ colorScheme, viewport: { width, height: 900 } });
      const { page, requests, complaints } = watched;
      await moveTo(page, '02:10:00');
      await row(page, 'checkout').waitFor();
      expect(await page.evaluate(`(${lowContrast})()`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(requests.filter((url) => !url.startsWith(recorded?.address ?? ''))).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });

  it('without a recording neither has nor asks for one', async () => {
    await using watched = await openPage(browser, { url: plain?.url ?? '' });
    const { page, requests } = watched;
    await row(page, 'newest').waitFor();
    expect(await page.locator('[id^=past]').count()).toBe(0);
    expect(await page.content()).not.toContain('past-slider');
    expect(requests.some((url) => url.endsWith('/timeline'))).toBe(false);
    const [address, token] = (plain?.url ?? '').split('#token=');
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ type: 'apps/v1/deployments' });
    expect((await fetch(`${address}timeline`, { method: 'POST', headers, body })).status).toBe(400);
  });
});
