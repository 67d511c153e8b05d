import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';
import { Unread } from '../support/unread.ts';

interface Line {
  type: string;
  key?: string;
  reason?: string;
  lost?: { events: number };
  exitCode?: number;
  summary?: { coalesced: number; dropped: number; unshown: number; gaps: number };
  object: { data: { n: string } };
}

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const state = (n: number, name: string, text = '') => configMap(name, { n: String(n), text });

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture([NAMESPACE]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Starts a watch without a reader, and updates two objects in turn many times. */
async function neglected(updates: number, size: number, ...flags: string[]): Promise<Unread> {
  fixture.sandbox.apply([state(0, 'a'), state(0, 'b')]);
  fixture.sandbox.requests.clear();
  const env = { ...fixture.env, NODE_OPTIONS: '--max-old-space-size=128' };
  const cli = new Unread(['configmaps', '-n', 'shop', '-o', 'json', '--markers', ...flags], env);
  await eventually(() => fixture.sandbox.requests.matching('watch=').length > 0);
  const text = 'x'.repeat(size);
  for (let n = 1; n <= updates; n++) {
    fixture.sandbox.apply(state(n, n % 2 === 0 ? 'a' : 'b', text));
    if (n % 200 === 0) await new Promise(setImmediate);
  }
  return cli;
}

/** Reads on until an update has come, then ends the watch. */
async function readAll(cli: Unread, last: number): Promise<{ events: Line[]; code: number | null }> {
  cli.start();
  await eventually(() => cli.hasRead(`"n":"${last}"`), { timeoutMs: 40_000 });
  cli.child.kill('SIGINT');
  const { lines, code } = await cli.read();
  return { events: lines.map((each) => JSON.parse(each) as Line), code };
}

const numbersOf = (events: readonly Line[]) =>
  events.flatMap(({ type, object }) => (type === 'MODIFIED' ? [Number(object.data.n)] : []));

// Hundreds of megabytes go through a pipe: on a busy machine that takes its time.
describe('a reader that does not read', { timeout: 60_000 }, () => {
  it('loses nothing under --overflow block, in bounded memory', async () => {
    const updates = 9000;
    await using cli = await neglected(updates, 30_000); // 270 MB
    const { events, code } = await readAll(cli, updates);
    expect(code).toBe(0);
    expect(numbersOf(events)).toEqual(Array.from({ length: updates }, (_, i) => i + 1));
    expect(events.map(({ type }) => type).filter((type) => type !== 'MODIFIED')).toEqual([
      'ADDED',
      'ADDED',
      'SYNCED',
      'END',
    ]);
    expect(cli.stderr).toMatch(/^ended by SIGINT after \d+s: 9002 events .*, no gaps\n$/);
  });

  it('gets the latest states under --overflow coalesce, and learns what it did not see', async () => {
    await using cli = await neglected(5001, 2000, '--overflow', 'coalesce');
    const { events, code } = await readAll(cli, 5001);
    const numbers = numbersOf(events);
    expect(code).toBe(0);
    expect([...numbers].sort((a, b) => a - b).slice(-2)).toEqual([5000, 5001]);
    for (const parity of [0, 1]) {
      const own = numbers.filter((n) => n % 2 === parity);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
    const gaps = events.filter(({ type }) => type === 'GAP');
    const unseen = gaps.reduce((sum, { lost }) => sum + (lost?.events ?? 0), 0);
    expect(unseen).toBe(5001 - numbers.length);
    expect(unseen).toBeGreaterThan(0);
    expect(cli.stderr).toMatch(/^a slow reader: .*\(--overflow coalesce\)$/m);
    expect(cli.stderr).toContain(`${unseen} updates coalesced`);
  });

  it('gets the oldest under --overflow drop, and learns how many it did not get', async () => {
    await using cli = await neglected(5001, 2000, '--overflow', 'drop', '--overflow-buffer', '50');
    cli.start();
    await eventually(() => cli.hasRead('"GAP"'), { timeoutMs: 15_000 });
    // The loss is reported as soon as there is room; updates still on their way may take it. So one more is made until
    // one gets through.
    let last = 90_000;
    const comes = (n: number) => () => cli.hasRead(`"n":"${n}"`);
    for (let isThere = false; !isThere && last < 90_015; ) {
      fixture.sandbox.apply(state(++last, 'a'));
      isThere = await eventually(comes(last), { timeoutMs: 1000 }).catch(() => false);
    }
    const { events, code } = await readAll(cli, last);
    const numbers = numbersOf(events);
    const gaps = events.filter(({ type }) => type === 'GAP');
    expect(code).toBe(0);
    expect(numbers.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(gaps.reduce((sum, { lost }) => sum + (lost?.events ?? 0), 0)).toBe(5001 + (last - 90_000) - numbers.length);
    expect(cli.stderr).toMatch(/^a slow reader: .*\(--overflow drop\)$/m);
  });

  it('ends a strict stream with 4 when something is dropped', async () => {
    await using cli = await neglected(2000, 2000, '--overflow', 'drop', '--overflow-buffer', '50', '--strict');
    await eventually(() => cli.stderr.includes('dropped'));
    const { lines, code } = await cli.read();
    expect(code).toBe(4);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'END', exitCode: 4 });
  });

  it.each([
    ['coalesce', []],
    ['drop', ['--overflow-buffer', '50']],
    ['drop, strict', ['--overflow-buffer', '50', '--strict']],
  ])('learns at the end of losses that were not reported by then, under --overflow %s', async (policy, flags) => {
    await using cli = await neglected(3001, 2000, '--overflow', policy.replace(/,.*/, ''), ...flags);
    const isStrict = flags.includes('--strict');
    if (!isStrict) cli.child.kill('SIGINT');
    await eventually(() => cli.stderr.includes('a slow reader: ')); // it is ending, and nothing was read
    const { lines, code } = await cli.read();
    const events = lines.map((each) => JSON.parse(each) as Line);
    const end = events.at(-1);
    const lost = events.reduce((sum, each) => sum + (each.type === 'GAP' ? (each.lost?.events ?? 0) : 0), 0);
    const counted = (end?.summary?.coalesced ?? 0) + (end?.summary?.dropped ?? 0);
    expect({ code, type: end?.type, exitCode: end?.exitCode, lost }).toEqual({
      code: isStrict ? 4 : 0,
      type: 'END',
      exitCode: isStrict ? 4 : 0,
      lost: counted,
    });
    expect(counted).toBeGreaterThan(0);
    expect(events.at(-2)?.type).toBe('GAP');
    expect(end?.summary?.unshown).toBeGreaterThan(0);
    expect(cli.stderr).toContain(`${end?.summary?.unshown} changes unshown`);
  });
});
