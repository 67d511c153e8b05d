import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launchBrowser, noBrowser, openPage } from '../test/support/ui.ts';
import { ownCluster } from './own-cluster.ts';
import { cpuMsOf } from './processes.ts';
import { node, type Programs } from './programs.ts';
import { serving } from './serving.ts';
import { figureRow, median, type TargetRow } from './target-row.ts';

/** An expression reads a field that no row shows. Each round asks another one, and none matches but the first. */
const expression = (round: number) => `object.spec.nodeName == "no-node-${round}"`;

/** The page of a serve in a browser, on the bench's own server. Without a browser there are no rows. */
export async function pageRows(programs: Programs, rounds: number): Promise<TargetRow[]> {
  if (noBrowser) {
    console.error(`without the page: ${noBrowser}`);
    return [];
  }
  const turns = Math.min(rounds, 7);
  return [
    figureRow(
      'the page gets 10,000 rows, CPU of the serve',
      500,
      'ms',
      median(await onPage(programs, 10_000, turns, ({ shown }) => shown)),
      'A cache of 10,000 pods is compact: by profile three quarters are the decompression of each row’s text, for which Node makes a decoder each.',
    ),
    figureRow(
      'an expression in a box of the page, 50,000 pods, wall until the count is final',
      300,
      'ms',
      median(await onPage(programs, 50_000, turns, ({ answered }) => answered)),
      'The page waits 200 ms for the next letter. The serve then takes about 150 ms of CPU time; the browser, on the same two cores, takes 50,000 rows away.',
    ),
  ];
}

interface Seen {
  /** CPU time of the serve until all rows are in the page, ms. */
  readonly shown: number;
  /** From the last letter of an expression to the final count, ms. */
  readonly answered: number;
}

async function onPage(programs: Programs, pods: number, rounds: number, of: (seen: Seen) => number): Promise<number[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-page-'));
  await using cluster = await ownCluster(pods);
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
  await using serve = await serving(node(programs.cli, 'serve', 'pods', '-A', '--ui'), env);
  const url = readFileSync(/is in (\S+)/.exec(serve.text)?.[1] ?? '', 'utf8').trim();
  const browser = await launchBrowser();
  const all = pods.toLocaleString('en-US');
  try {
    const seen: Seen[] = [];
    for (let round = -1; round < rounds; round++) {
      const before = cpuMsOf(serve.pid) ?? Number.NaN;
      await using watched = await openPage(browser, { url });
      const { page } = watched;
      await page.getByText(`${all} pods`, { exact: true }).waitFor({ timeout: 120_000 });
      const shown = (cpuMsOf(serve.pid) ?? Number.NaN) - before;
      const from = performance.now();
      await page.getByRole('textbox', { name: 'Filter' }).fill(expression(round));
      await page.getByText(`None of ${all} pods matches.`).waitFor({ timeout: 120_000 });
      if (round >= 0) seen.push({ shown, answered: performance.now() - from });
    }
    return seen.map(of);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
