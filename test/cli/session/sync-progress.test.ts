import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { showSyncProgress, syncText } from '../../../src/cli/session/sync-progress.ts';
import { TextSink } from '../../../src/cli/terminal/io.ts';
import { StatusLine } from '../../../src/cli/terminal/status-line.ts';
import type { ResourceStats } from '../../../src/client/client.ts';
import { pod } from '../../support/fixture.ts';
import { inProcess } from '../../support/in-process.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const stats = (some: Partial<ResourceStats>): ResourceStats => ({
  gvr: PODS,
  namespace: undefined,
  requests: 1,
  bytes: 0,
  events: 0,
  objects: 0,
  remaining: undefined,
  ...some,
});

describe('the progress of a sync', () => {
  it.each([
    [[stats({ objects: 12_345, bytes: 78_123_456 })], 3200, 'syncing pods: 12,345 objects, 78.1 MB, 3s'],
    [
      [stats({ objects: 500, bytes: 1e6, requests: 2, remaining: 1500 })],
      1000,
      'syncing pods: 500 of 2,000 objects, 1.0 MB, 2 pages, 1s, about 3s to go',
    ],
    [[stats({}), stats({ namespace: 'a' })], 0, 'syncing pods: 0 objects, 0.0 MB, 0s'],
  ])('reads %#', (all, elapsedMs, text) => {
    expect(syncText(all, elapsedMs)).toBe(text);
  });
});

const ERASE = '\r\x1b[K';

function terminal(isTTY: boolean) {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  return { sink: new TextSink(Object.assign(stream, { isTTY, columns: 30 })), text: () => text };
}

describe('the status line', () => {
  it('is shown after a while, renewed, cut at the width, and gone at the end', async () => {
    const pods = Array.from({ length: 100 }, (_, i) => pod(`p${i}`));
    const { sandbox, clock, client } = await inProcess({ objects: pods });
    sandbox.faults.add({ fault: { kind: 'slow', ms: 10, bytes: 200 } });
    const stderr = terminal(true);
    const status = new StatusLine({ stdout: terminal(false).sink, stderr: stderr.sink, env: {} });
    const showing = showSyncProgress({ client, clock, startedAt: clock.monotonic() }, status);
    const listing = client.resource(PODS).list();
    await clock.advance(900);
    expect(stderr.text()).toBe('');
    await clock.advance(400);
    const lines = stderr.text().split(ERASE);
    const counts = lines.map((line) => Number(/^syncing pods: (\d+) objects/.exec(line)?.[1]));
    expect(counts).toHaveLength(2);
    expect(counts[0]).toBeGreaterThan(10);
    expect(counts[1]).toBeGreaterThan(counts[0] ?? 0);
    expect(lines.map((line) => line.length)).toEqual([29, 29]);
    showing[Symbol.dispose]();
    expect(stderr.text().split(ERASE)).toEqual([...lines, '']);
    await clock.advance(60_000);
    expect(stderr.text().split(ERASE)).toEqual([...lines, '']);
    expect((await listing).items).toHaveLength(100);
  });

  it('gives way to what is printed on the same terminal', () => {
    const both = terminal(true);
    const status = new StatusLine({ stdout: both.sink, stderr: both.sink, env: {} });
    status.show('working');
    both.sink.writeNow('a row\n');
    expect(both.text()).toBe('working\r\x1b[Ka row\nworking');
  });

  it('does not come back behind a row that has not ended, nor after it was taken away', () => {
    const both = terminal(true);
    const status = new StatusLine({ stdout: both.sink, stderr: both.sink, env: {} });
    status.show('working');
    both.sink.writeNow('half a ');
    both.sink.writeNow('row\n');
    status.clear();
    both.sink.writeNow('a row\n');
    expect(both.text()).toBe(`working${ERASE}half a row\nworking${ERASE}a row\n`);
  });

  it('that another one has taken stays when the progress of a sync ends', async () => {
    const { sandbox, clock, client } = await inProcess();
    const stderr = terminal(true);
    const status = new StatusLine({ stdout: terminal(false).sink, stderr: stderr.sink, env: {} });
    const showing = showSyncProgress({ client, clock, startedAt: clock.monotonic() }, status);
    await clock.advance(1000);
    status.show('0/4 met');
    showing[Symbol.dispose]();
    expect(stderr.text().endsWith(`${ERASE}0/4 met`)).toBe(true);
    await sandbox.stop();
  });

  it('shows control characters of server texts as escapes', () => {
    const stderr = terminal(true);
    new StatusLine({ stdout: terminal(false).sink, stderr: stderr.sink, env: {} }).show('waiting for \x1b[1ms\x9b');
    expect(stderr.text()).toBe('waiting for ^[[1ms^[[');
  });

  it('is nothing where stderr is no terminal', () => {
    const stderr = terminal(false);
    const status = new StatusLine({ stdout: terminal(false).sink, stderr: stderr.sink, env: {} });
    status.show('working');
    status.clear();
    expect(stderr.text()).toBe('');
  });
});
