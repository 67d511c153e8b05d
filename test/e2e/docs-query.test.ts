import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Cli } from '../support/cli.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/query.md'), 'utf8');

/** A line without what differs from one run to the next: drawn names, numbers, widths of columns. */
const alike = (line: string) =>
  line
    .trim()
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, '-DRAWN')
    .replaceAll(/\b\d[\d.]*/g, 'N')
    .replaceAll(/\bobjects?\b/g, 'objects');

/** The commands of an example, with the lines that the page shows after each. `…` stands for more of them. */
function commandsOf(heading: string): { line: string; shown: string[] }[] {
  const section = PAGE.slice(PAGE.indexOf(`### ${heading}`));
  const block = /```\n(.*?)```/s.exec(section)?.[1] ?? '';
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [line = '', ...shown] = text.trimEnd().split('\n');
      return { line, shown: shown.filter((each) => each !== '…') };
    });
}

const RUN = 'kubectl informer ';

it.skipIf(process.platform === 'win32')(
  'the example of serve in docs/query.md runs as it is written, one line after the other, and prints what it shows',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'docs-query-'));
    await using programs = new AsyncDisposableStack();
    programs.defer(() => rm(folder, { recursive: true, force: true }));
    const kubeconfig = path.join(folder, 'shop.kubeconfig');
    const env = { XDG_RUNTIME_DIR: folder, KUBECONFIG: kubeconfig };
    const commands = commandsOf('5. The same, from a cache that is kept');
    expect(commands.map(({ line }) => line.split(' ')[2])).toEqual([
      'sandbox',
      undefined,
      'serve',
      'query',
      'query',
      'serve',
      'serve',
    ]);
    for (const { line, shown } of commands) {
      if (!line.startsWith(RUN)) continue;
      const isKept = line.endsWith(' &');
      const words = line.slice(RUN.length).replace(/ &$/, '').replace('shop.kubeconfig', kubeconfig).split(' ');
      const cli = programs.use(new Cli(words, { env }));
      const seen = () => `${cli.stdout}\n${cli.stderr}`.split('\n').map(alike);
      if (!isKept) expect(await cli.ended(), line).toMatchObject({ code: 0 });
      else await cli.until((c) => /ready: |listening|kubeconfig/i.test(c.stdout + c.stderr), line);
      for (const each of shown) expect(seen(), line).toContain(alike(each));
    }
  },
  60_000,
);
