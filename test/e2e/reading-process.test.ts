import { type StdioOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RecordedPage } from '../../src/cli/record/recorded-page.ts';
import { RecordingReader } from '../../src/cli/record/recording-reader.ts';
import { run } from '../support/cli.ts';
import { NIGHT, nightAt } from '../support/night.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

/** Processes of the built program, as a serve starts them. */
const start = (env: NodeJS.ProcessEnv, stdio: StdioOptions) =>
  spawn(process.execPath, [RUN, 'serve'], { env: { ...env, INFORMER_READS_FOR: String(process.pid) }, stdio });
const env = { PATH: process.env.PATH, HOME: '/nowhere' };
const reader = new RecordingReader(env, {}, start);
const here = new RecordedPage(NIGHT);
const there = new RecordedPage(NIGHT, { reader, mostHere: 0 });

describe('a process that reads a recording for a page', () => {
  it('has the pictures that this process would draw', async () => {
    for (const query of [
      { type: 'apps/v1/deployments' },
      { type: 'apps/v1/deployments', namespace: 'shop', name: 'checkout', until: nightAt('02:20:00') },
      { type: 'v1/pods', namespace: 'none' },
    ])
      expect(await there.timeline(query)).toEqual(JSON.parse(JSON.stringify((await here.timeline(query)) ?? null)) ?? undefined); // biome-ignore format: one comparison
  });

  it('has the objects of a moment', async () => {
    const of = async (page: RecordedPage) => {
      const caches = await page.at(nightAt('02:12:00'), [{ id: 'v1/pods' }, { id: 'apps/v1/deployments', namespace: 'shop' }]); // biome-ignore format: one call
      return caches.map(({ id, informer }) => [id, informer.lister.list()]);
    };
    const found = await of(there);
    expect(found).toEqual(await of(here));
    expect([...(found[0]?.[1] ?? [])].length).toBeGreaterThan(4);
  });

  it('refuses with the words of this process', async () => {
    await expect(there.timeline({ type: 'v1/nodes' })).rejects.toMatchObject({
      code: 'argument',
      message: 'v1/nodes is not in the recording',
    });
  });

  it('answers nothing to a process that did not start it', async () => {
    const asked = await run(['serve', 'pods'], { env: { HOME: '/nowhere', INFORMER_READS_FOR: '1' } });
    expect(asked).toMatchObject({ code: 1, stdout: '' });
  });

  it('is ended by its limits', async () => {
    const poor = new RecordingReader(env, { mostBytes: 1 << 20 }, start);
    await expect(poor.text({ kind: 'tool', file: NIGHT, tool: 'query', given: { type: 'pods', at: '1m' }, budget: 1000 })).rejects.toMatchObject({ message: 'reading the recording needs more than 1 MiB' }); // biome-ignore format: one call
  });
});
