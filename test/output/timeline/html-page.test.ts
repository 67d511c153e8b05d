import { writeFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timelineHtml } from '../../../src/output/timeline/timeline-html.ts';
import type { ObjectLane, Timeline } from '../../../src/timeline/timeline.ts';
import { nightOf } from '../../support/night.ts';
import { useFolder } from '../../support/recording.ts';
import { launchBrowser, lowContrast, noBrowser, openPage } from '../../support/ui.ts';

const checkout = nightOf('deployments', { name: 'checkout' }) as Timeline;

describe.skipIf(noBrowser !== undefined)(`the page of a timeline${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  const folder = useFolder();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function opened(timeline: Timeline, options: BrowserContextOptions = {}) {
    const file = folder.file('timeline.html');
    writeFileSync(file, timelineHtml(timeline));
    return await openPage(browser, { url: `file://${file}` }, options);
  }

  it.each(['light', 'dark'] as const)(
    'is %s as the browser is, fits a phone, and asks for nothing',
    async (colorScheme) => {
      for (const width of [1280, 400]) {
        await using watched = await opened(checkout, { colorScheme, viewport: { width, height: 900 } });
        const { page, requests, complaints } = watched;
        const look = (await page.evaluate(`(() => {
        const of = (node) => getComputedStyle(node);
        return { ground: of(document.body).backgroundColor, ink: of(document.body).color,
          scroll: document.documentElement.scrollWidth, hatch: of(document.querySelector('rect.gap')).fill };
      })()`)) as { ground: string; ink: string; scroll: number; hatch: string };
        const bright = (color: string) => Number(/\d+/.exec(color)?.[0]) > 128;
        expect([bright(look.ground), bright(look.ink)]).toEqual([colorScheme === 'light', colorScheme === 'dark']);
        expect(look.scroll).toBeLessThanOrEqual(width);
        expect(await page.evaluate(`(${lowContrast})()`)).toEqual([]);
        expect(look.hatch).toContain('#hatch');
        expect(requests).toHaveLength(1);
        expect(complaints).toEqual([]);
      }
    },
  );

  it('shows the change of a mark that is pointed at or reached with Tab, and leads to it', async () => {
    await using watched = await opened(checkout);
    const { page, complaints } = watched;
    const tip = page.locator('#tip');
    await page.keyboard.press('Tab');
    await tip.waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('#c0');
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
    const mark = page.getByRole('link', { name: /deploy-bot/ });
    await mark.hover();
    await tip.waitFor();
    expect(await tip.textContent()).toMatch(/changed.*deployment\/checkout.*by deploy-bot.*\.image.*4\.2\.1-broken/);
    await mark.press('Enter');
    expect(await page.locator('li:target').textContent()).toContain('by deploy-bot');
    expect(complaints).toEqual([]);
  });

  it('is of use without scripts', async () => {
    await using watched = await opened(checkout, { javaScriptEnabled: false });
    const { page } = watched;
    await page.getByRole('link', { name: /deploy-bot/ }).press('Enter');
    expect(await page.locator('li:target').textContent()).toContain('by deploy-bot');
    expect(await page.locator('#tip').isVisible()).toBe(false);
  });

  it('shows hostile texts as text', async () => {
    const hostile = `"><script>document.title='bad'</script><img src=x onerror="document.title='bad'">`;
    const [lane] = checkout.lanes as [ObjectLane];
    const change = { at: checkout.to, kind: 'changed', by: hostile, isInferred: false, more: 0, fields: [{ path: hostile, from: hostile, to: hostile }] } as const; // biome-ignore format: one line
    await using watched = await opened({
      ...checkout,
      title: 'night',
      lanes: [{ ...lane, name: hostile, changes: [change] }],
    });
    const { page, requests, complaints } = watched;
    await page.locator('a.mark').hover();
    await page.locator('#tip').waitFor();
    expect(await page.title()).toMatch(/^night, 2026/);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('#tip code').textContent()).toBe(hostile);
    expect([requests.length, complaints]).toEqual([1, []]);
  });
});
