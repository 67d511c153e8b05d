import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cellsOf } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { launchBrowser, lowContrast, noBrowser, openPage, sandboxUi, type WatchedPage } from '../../support/ui.ts';

const SECRET = 'correct-horse-battery';
const PODS = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', labels: { app: name.split('-')[0] } },
  spec: { nodeName: 'worker-1', containers: [{ name: 'c', image: 'a:1' }] },
  status: { phase: 'Running' },
  ...more,
});

const secret = (text: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'shop' },
  data: { password: Buffer.from(text).toString('base64') },
});

const rowText = (page: Page, name: string) => page.locator('.grid .row', { hasText: name });
const field = (page: Page, name: string) => page.getByRole('textbox', { name });

describe.skipIf(noBrowser !== undefined)(`the page in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let served: Awaited<ReturnType<typeof sandboxUi>>;
  beforeAll(async () => {
    browser = await launchBrowser();
    sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply([...['web-1', 'web-2', 'db-1'].map((name) => pod(name)), secret(SECRET)]);
    served = await sandboxUi(sandbox, ['pods', 'secrets']);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    await sandbox?.stop();
  });

  /** A page that shows the pods of the namespace shop. */
  async function opened(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await openPage(browser, { url: `${served.ui.url}&type=v1/pods&namespace=shop` }, options);
    await rowText(watched.page, 'web-1').waitFor();
    return watched;
  }

  it('shows rows with the columns of the server, and they appear, change and leave', async () => {
    await using watched = await opened();
    const { page } = watched;
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      ...['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
    ]);
    sandbox.apply(pod('new-1'));
    await rowText(page, 'new-1').waitFor();
    expect(await rowText(page, 'new-1').getByRole('gridcell').allTextContents()).toMatchObject(
      expect.arrayContaining(['shop', 'new-1', '0/1', 'Running']),
    );
    sandbox.apply(pod('new-1', { status: { phase: 'Failed' } }));
    await rowText(page, 'new-1').filter({ hasText: 'Failed' }).waitFor();
    sandbox.delete(PODS, 'shop/new-1', { gracePeriodSeconds: 0 });
    await rowText(page, 'new-1').waitFor({ state: 'detached' });
    await page.getByLabel('wide').check();
    expect(await page.getByRole('columnheader').allTextContents()).toContain('NODE');
  });

  it('narrows by namespace, labels, --where and --filter', async () => {
    await using watched = await opened();
    const { page } = watched;
    await field(page, 'Labels').fill('app=web');
    await rowText(page, 'db-1').waitFor({ state: 'detached' });
    await field(page, 'Where').fill('NAME != "web-1"');
    await rowText(page, 'web-1').waitFor({ state: 'detached' });
    expect(await page.locator('#count').textContent()).toMatch(/^1 of \d+ pods$/);
    await field(page, 'Filter').fill('object.metadata.name == "web-1"');
    await page.getByText(/^None of \d+ pods matches\.$/).waitFor();
  });

  it('shows an error under its box, with the place, and keeps the rows', async () => {
    await using watched = await opened();
    const { page } = watched;
    await field(page, 'Where').fill('NAME == "a" && RESTARTZ > 3');
    const error = page.locator('#where-error');
    await error.getByText('there is no column RESTARTZ').waitFor();
    expect(await error.locator('.caret').textContent()).toBe(`${' '.repeat('NAME == "a" && '.length)}^`);
    expect(await error.textContent()).toContain('did you mean RESTARTS?');
    expect(await field(page, 'Where').getAttribute('aria-invalid')).toBe('true');
    // the mark is under the letter: the texts of both boxes begin at the same place, in the same font
    const measured = (await page.evaluate(`(() => {
      const box = document.getElementById('where'), mark = document.querySelector('#where-error .caret');
      const of = (node) => [getComputedStyle(node).fontFamily, getComputedStyle(node).fontSize];
      const inner = box.getBoundingClientRect().left + parseFloat(getComputedStyle(box).paddingLeft) + 1;
      return { fonts: [of(box), of(mark)], off: Math.abs(inner - mark.getBoundingClientRect().left) };
    })()`)) as { fonts: string[][]; off: number };
    expect(measured.fonts[0]).toEqual(measured.fonts[1]);
    expect(measured.off).toBeLessThan(2);
    expect(await rowText(page, 'web-1').count()).toBe(1);
    await field(page, 'Where').fill('');
    await error.locator('.caret').waitFor({ state: 'detached' });
    await field(page, 'Filter').fill('object.spec.x ==');
    await page.locator('#filter-error .caret').waitFor();
    await field(page, 'Filter').fill('');
    await field(page, 'Labels').fill('a in (');
    await page.locator('#selector-error:not(:empty)').waitFor();
  });

  it('shows the YAML of an object, and its changes with who made them', async () => {
    await using watched = await opened();
    const { page } = watched;
    await rowText(page, 'web-2').click();
    await page.locator('#yaml').getByText('name: web-2').waitFor();
    expect(await page.locator('#yaml').textContent()).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n/);
    await sandbox.handle({
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/pods/web-2?fieldManager=dora',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: Buffer.from(JSON.stringify({ metadata: { labels: { tier: 'gold' } } })),
    });
    await page.getByRole('tab', { name: 'Changes 1' }).click();
    const change = page.locator('#changes article');
    await change.getByText('.metadata.labels.tier').waitFor();
    expect(await change.textContent()).toMatch(/MODIFIED.*by dora.*gold/);
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden' });
  });

  it('never has a value of a Secret, in its text or in what it is sent', async () => {
    await using watched = await openPage(browser, { url: `${served.ui.url}&type=v1/secrets&namespace=shop` });
    const { page } = watched;
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('/stream')) bodies.push(response.text().catch(() => ''));
    });
    await rowText(page, 'login').click();
    await page
      .locator('#yaml')
      .getByText(/password: hmac:[0-9a-f]{8}/)
      .waitFor();
    sandbox.apply(secret(`${SECRET}-2`));
    await page.getByRole('tab', { name: 'Changes 1' }).click();
    await page.locator('#changes').getByText(/hmac:/).first().waitFor();
    await page.getByRole('tab', { name: 'Values' }).click();
    await page.locator('#values-note:not(:empty)').waitFor();
    const all = [await page.content(), ...(await Promise.all(bodies))].join('\n');
    for (const text of [SECRET, `${SECRET}-2`])
      for (const form of [text, Buffer.from(text).toString('base64').slice(0, 20)]) expect(all).not.toContain(form);
  });

  it('shows the values of an index as bars, and the objects of one at a click', async () => {
    await using watched = await opened();
    const { page } = watched;
    await page.getByRole('tab', { name: 'Values' }).click();
    await page.getByLabel('Index').selectOption('label:KEY');
    await page.getByLabel('Label key').fill('app');
    await page.keyboard.press('Enter');
    const bars = page.getByRole('list', { name: 'Values' }).getByRole('listitem');
    await bars.first().waitFor();
    expect(await bars.allTextContents()).toEqual(['web2', 'db1']);
    await page.getByRole('button', { name: 'db' }).click();
    await rowText(page, 'web-1').waitFor({ state: 'detached' });
    await rowText(page, 'db-1').waitFor();
    await page.getByRole('button', { name: 'Remove this condition' }).click();
    await rowText(page, 'web-1').waitFor();
  });

  it('asks only its own server, never with the token in a URL, and breaks no rule of its policy', async () => {
    await using watched = await opened();
    const { page, requests, complaints } = watched;
    const token = served.ui.url.split('token=')[1] as string;
    const headers: string[] = [];
    page.on('request', (request) => headers.push(JSON.stringify(request.headers())));
    await rowText(page, 'web-1').click();
    await page.locator('#yaml').getByText('name: web-1').waitFor();
    await page.getByRole('tab', { name: 'Values' }).click();
    await page.locator('#values-note:not(:empty)').waitFor();
    await page.getByRole('tab', { name: 'Continuity' }).click();
    expect(requests.length).toBeGreaterThan(3);
    expect(requests.filter((url) => new URL(url).origin !== new URL(served.ui.url).origin)).toEqual([]);
    expect(requests.filter((url) => url.includes(token) && !url.includes('#'))).toEqual([]);
    expect(headers.every((each) => !each.includes(`token=${token}`))).toBe(true);
    expect(page.url()).not.toContain(token);
    expect(complaints).toEqual([]);
  });

  it('keeps the question in its address for a reload, and the token only in the tab', async () => {
    await using watched = await opened();
    const { page } = watched;
    await field(page, 'Where').fill('NAME == "web-2"');
    await rowText(page, 'web-1').waitFor({ state: 'detached' });
    await page.reload();
    await rowText(page, 'web-2').waitFor();
    expect(await field(page, 'Where').inputValue()).toBe('NAME == "web-2"');
    expect(await rowText(page, 'web-1').count()).toBe(0);
  });

  it.each([
    ['no token', () => served.ui.address, 'The URL has no token.'],
    ['another token', () => `${served.ui.address}#token=wrong`, 'the token is not the one of this serve.'],
  ])('says what to do with %s', async (_, url, why) => {
    await using watched = await openPage(browser, { url: url() });
    const { page } = watched;
    await page.getByRole('heading', { name: 'This page needs its whole URL' }).waitFor();
    await page.getByText(why).waitFor();
    await page.getByText('Open the URL that it printed').waitFor();
    expect(await page.locator('#app').isVisible()).toBe(false);
  });

  it('is used by keyboard: rows, an object, back, a type', async () => {
    await using watched = await opened();
    const { page } = watched;
    await page.locator('#grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = page.locator('.grid .row.active');
    expect(await active.getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('#grid').getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'));
    await page.keyboard.press('End');
    await eventually(async () => expect(await active.textContent()).toContain('web-2'));
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Object' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('grid');
    await page
      .getByRole('navigation', { name: 'Cached types' })
      .getByRole('button', { name: /^secrets,/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'TYPE' }).waitFor();
    await page.getByRole('tab', { name: 'Objects' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Values' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('name');
  });

  it('walks the rows while the panel follows, and names its keys', async () => {
    await using watched = await opened();
    const { page } = watched;
    await rowText(page, 'db-1').click();
    const title = page.locator('#detail-name');
    await page.locator('#yaml').getByText('name: db-1').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('#yaml').getByText('name: web-1').waitFor();
    expect(await title.textContent()).toBe('Pod shop/web-1');
    await page.keyboard.press('j');
    await page.locator('#yaml').getByText('name: web-2').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('c');
    await page.locator('#changes').getByText('No change yet').waitFor();
    expect(await title.textContent()).toBe('Pod shop/web-1');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('to the next and the previous row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#detail').isVisible()).toBe(false);
  });

  it('finds objects by words of their names', async () => {
    await using watched = await opened();
    const { page } = watched;
    await page.keyboard.press('/');
    await page.keyboard.type('WEB 2');
    await rowText(page, 'web-1').waitFor({ state: 'detached' });
    expect(await page.locator('.grid .row').count()).toBe(1);
    expect(await page.locator('#count').textContent()).toMatch(/^1 of \d+ pods$/);
  });

  it('copies the YAML of an object', async () => {
    await using watched = await opened({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = watched;
    await rowText(page, 'db-1').click();
    await page.locator('#yaml').getByText('name: db-1').waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(copied.trim()).toBe((await page.locator('#yaml').textContent())?.trim());
  });

  it('sorts by keyboard: Tab reaches the headings', async () => {
    await using watched = await opened();
    const { page } = watched;
    await page.locator('#grid').focus();
    for (const heading of ['NAMESPACE', 'NAME']) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe(heading);
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('columnheader').nth(1).getAttribute('aria-sort')).toBe('descending');
  });

  it('dims the rows of another question at once, and says so where the new one is refused', async () => {
    await using watched = await opened();
    const { page } = watched;
    const isDimmed = async () => (await page.locator('#grid').getAttribute('aria-busy')) === 'true';
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/view', async (route) => {
      await held;
      await route.continue();
    });
    await field(page, 'Where').fill('NAME == "web-1"');
    expect(await isDimmed()).toBe(true);
    await page.getByText(/^filtering… 0 of \d+ pods looked at$/).waitFor();
    release();
    await rowText(page, 'web-2').waitFor({ state: 'detached' });
    expect(await isDimmed()).toBe(false);
    await field(page, 'Where').fill('NAMEE == "web-2"');
    await page.getByText('this question is refused; the rows answer the one before').waitFor();
    expect([await isDimmed(), await rowText(page, 'web-1').count()]).toEqual([true, 1]);
    await field(page, 'Where').fill('NAME == "web-1"');
    await page.getByText(/^1 of \d+ pods$/).waitFor();
    expect(await isDimmed()).toBe(false);
  });

  it.each(['light', 'dark'] as const)('has texts of good contrast and nothing too wide in %s', async (colorScheme) => {
    await using watched = await opened({ colorScheme, viewport: { width: 400, height: 800 } });
    const { page } = watched;
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    const poor = await page.evaluate(`(${lowContrast})()`);
    expect(poor).toEqual([]);
    const ground = (await page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor')) as string;
    const light = Number(/\d+/.exec(ground)?.[0]) > 128;
    expect(light).toBe(colorScheme === 'light');
  });
});

describe.skipIf(noBrowser !== undefined)('the page in a browser, when things go wrong', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('shows an outage of the API server at once, and gap, outage and new list on the time line after it', async () => {
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply(pod('web-1'));
    await using served = await sandboxUi(sandbox, ['pods']);
    await using watched = await openPage(browser, served.ui);
    const { page } = watched;
    await rowText(page, 'web-1').waitFor();
    const back = sandbox.restart({ downMs: 2000 });
    sandbox.apply(pod('during-1')); // its event is lost with the history
    const banner = page.getByRole('alert');
    await banner.getByText('The API server is away.').waitFor();
    expect(await banner.textContent()).toMatch(/pods: no connection since \d\d:\d\d:\d\d .*trying again/);
    expect(await page.locator('#pill').textContent()).toBe('no connection');
    await back;
    await rowText(page, 'during-1').waitFor();
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Continuity' }).click();
    const lane = page.locator('.lane .track').first();
    for (const part of ['.connected', '.outage', 'i.gap', '.mark.relisted'])
      expect(await lane.locator(part).count()).toBeGreaterThan(0);
    expect(await lane.getAttribute('aria-label')).toMatch(/^pods: connected since .*; 1 outage, 1 gap, 1 relist$/);
    const events = page.getByRole('list', { name: 'Continuity events' });
    for (const text of ['connection lost', 'may be missing', 'listed again', 'connected again'])
      expect(await events.getByText(text).count()).toBeGreaterThan(0);
  });

  it('shows no row that does not match, and no part of a count as the answer, while it filters many objects', async () => {
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply(
      Array.from({ length: 4000 }, (_, i) => pod(`p-${i}`, { status: { phase: i % 10 ? 'Running' : 'Failed' } })),
    );
    await using served = await sandboxUi(sandbox, ['pods']);
    await using watched = await openPage(browser, served.ui);
    const { page } = watched;
    await page.getByText('4,000 pods', { exact: true }).waitFor();
    await page.evaluate(`(() => {
      const seen = (window.seen = { counts: [], wrong: [] });
      const grid = document.getElementById('grid');
      const look = () => {
        const count = document.getElementById('count').textContent;
        if (seen.counts.at(-1) !== count) seen.counts.push(count);
        const isDimmed = grid.getAttribute('aria-busy') === 'true';
        if (!isDimmed && seen.begun)
          for (const row of grid.querySelectorAll('.row')) if (!row.textContent.includes('Failed')) seen.wrong.push(row.textContent);
        seen.begun ||= isDimmed;
        requestAnimationFrame(look);
      };
      look();
    })()`);
    await field(page, 'Where').fill('STATUS == "Failed"');
    await page.getByText('400 of 4,000 pods', { exact: true }).waitFor();
    const seen = (await page.evaluate('window.seen')) as { counts: string[]; wrong: string[] };
    expect(seen.wrong).toEqual([]);
    const between = seen.counts.filter((text) => text !== '4,000 pods' && text !== '400 of 4,000 pods');
    expect(between.length).toBeGreaterThan(0);
    for (const text of between) expect(text).toMatch(/^filtering… [\d,]+ of 4,000 pods looked at$/);
  });

  it('shows the owners of an object and the Events about it, and leads to an owner', async () => {
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    const named = (kind: string, name: string, more: object = {}) => ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: 'shop', ...more },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } },
      },
    });
    const ownedBy = (kind: string, name: string) => ({
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind,
          name,
          uid: sandbox.get({ group: 'apps', version: 'v1', resource: `${kind.toLowerCase()}s` }, `shop/${name}`)
            ?.metadata.uid,
          controller: true,
        },
      ],
    });
    sandbox.apply(named('Deployment', 'web'));
    sandbox.apply(named('ReplicaSet', 'web-1', ownedBy('Deployment', 'web')));
    const { metadata, ...rest } = pod('web-1-a');
    sandbox.apply({ ...rest, metadata: { ...metadata, ...ownedBy('ReplicaSet', 'web-1') } });
    const uid = sandbox.get(PODS, 'shop/web-1-a')?.metadata.uid;
    const event = (name: string, about: string | undefined, reason: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'shop' },
      involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1-a', uid: about },
      reason,
      message: `${reason} it`,
      type: 'Warning',
      count: 17,
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'kubelet' },
    });
    sandbox.apply([event('a', uid, 'BackOff'), event('b', 'the-uid-of-an-earlier-pod', 'Killing')]);
    await using served = await sandboxUi(sandbox, ['pods', 'deployments', 'replicasets', 'events']);
    await using watched = await openPage(browser, { url: `${served.ui.url}&type=v1/pods` });
    const { page } = watched;
    await rowText(page, 'web-1-a').click();
    const owners = page.locator('#owners');
    await owners.getByText('ReplicaSet shop/web-1').waitFor();
    expect(await owners.textContent()).toBe('owned by ReplicaSet shop/web-1 owned by Deployment shop/web ');
    await page.getByRole('tab', { name: 'Events 1' }).click();
    expect(await page.locator('#about').textContent()).toMatch(/^BackOff.*17 times · by kubelet.*BackOff it$/);
    sandbox.apply(event('c', uid, 'Started'));
    await page.getByRole('tab', { name: 'Events 2' }).waitFor();
    await owners.getByRole('button', { name: 'Deployment shop/web' }).click();
    await page.locator('#yaml').getByText('kind: Deployment').waitFor();
    await page.getByRole('columnheader', { name: 'UP-TO-DATE' }).waitFor();
    expect(await page.locator('#detail-name').textContent()).toBe('Deployment shop/web');
  });

  it('says that the serve is away, and goes on by itself when it is back', async () => {
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply(pod('web-1'));
    const token = 'the-same-token';
    const first = await sandboxUi(sandbox, ['pods'], { token });
    await using watched = await openPage(browser, first.ui);
    const { page } = watched;
    await rowText(page, 'web-1').waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByRole('alert').getByText('The serve is away.').waitFor();
    expect(await page.locator('#pill').textContent()).toBe('serve away');
    expect(await rowText(page, 'web-1').count()).toBe(1); // what was there is still shown
    sandbox.apply(pod('later-1'));
    sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await using _second = await sandboxUi(sandbox, ['pods'], { token, port: Number(new URL(first.ui.address).port) });
    await rowText(page, 'later-1').waitFor();
    await rowText(page, 'web-1').waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  it('shows hostile names and values as text', async () => {
    const name = '<img src=x onerror="document.title=1">';
    const turned = 'safe\u202egnp.exe';
    const long = `${'<script>document.title=2</script>'.repeat(300)}`;
    // no API server accepts such names: they are given to objects on their way into the cache
    const transform = (object: UnknownObject) => {
      if (object.metadata.name !== 'evil-1') return object;
      object.metadata.name = name;
      const cells = cellsOf(object)?.cells as unknown[];
      cells[0] = name;
      cells[2] = long;
      object.metadata.annotations = { [name]: long, '</span><b>': turned };
      return object;
    };
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    sandbox.apply([
      pod('evil-1', { spec: { nodeName: 'n', containers: [{ name: 'c', image: turned }] } }),
      pod('web-1'),
    ]);
    await using served = await sandboxUi(sandbox, ['pods'], { transform });
    await using watched = await openPage(browser, served.ui);
    const { page, complaints } = watched;
    const row = rowText(page, '<img src=x');
    await row.waitFor();
    const [, shownName, , status] = await row.getByRole('gridcell').allTextContents();
    expect(shownName).toBe(name);
    expect(status?.length).toBeLessThan(400);
    await row.click();
    await page.locator('#yaml').getByText('kind: Pod').waitFor();
    expect(await page.locator('#detail-name').textContent()).toBe(`Pod shop/${name}`);
    expect(await page.locator('#yaml').textContent()).not.toContain('\u202e');
    await page.getByRole('tab', { name: 'Values' }).click();
    await page.getByLabel('Index').selectOption('image');
    const bar = page.getByRole('list', { name: 'Values' }).getByRole('listitem').filter({ hasText: 'safe' });
    await bar.waitFor();
    expect(await bar.textContent()).not.toContain('\u202e');
    expect(await page.locator('main img, main script, main b:not(.line b)').count()).toBe(0);
    expect(await page.title()).toContain('pods');
    expect(complaints).toEqual([]);
  });

  it('scrolls 20,000 objects with few elements, and follows changes among them', async () => {
    await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `map-${String(i).padStart(5, '0')}`, namespace: 'shop' },
    }));
    sandbox.apply(many);
    await using served = await sandboxUi(sandbox, ['configmaps']);
    await using watched = await openPage(browser, { url: `${served.ui.url}&namespace=shop` });
    const { page } = watched;
    await page.getByText('20,000 configmaps', { exact: true }).waitFor();
    const grid = page.getByRole('grid', { name: 'configmaps' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('20001');
    await grid.focus();
    await page.keyboard.press('End');
    await rowText(page, 'map-19999').waitFor();
    await page.evaluate('document.getElementById("grid").scrollTop = 10000 * 28');
    await rowText(page, 'map-10000').waitFor();
    expect(await page.locator('.grid .row').count()).toBeLessThan(100);
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/map-10000');
    await rowText(page, 'map-10000').waitFor({ state: 'detached' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('20000');
  }, 60_000);
});
