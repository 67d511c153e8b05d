import { describe, expect, it } from 'vitest';
import { Terminal as Screen } from '../output/terminal.ts';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';
import { NO_PTY, Terminal } from '../support/terminal.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

interface Line {
  readonly type: string;
  readonly seq: number;
  readonly time: string;
  readonly gvr?: string;
  readonly reason?: string;
  readonly from?: string;
  readonly exitCode?: number;
  readonly since?: string;
  readonly by?: string;
  readonly proven?: boolean;
  readonly downMs?: number;
  readonly disconnected?: readonly {
    readonly gvr: string;
    readonly from: string;
    readonly since: string;
    readonly ms: number;
  }[];
  readonly summary?: { readonly gaps: number; readonly relists: number };
}

const typesOf = (events: readonly Line[]) => events.map(({ type }) => type);

/** A watch whose server is gone for good after the initial list. */
async function cutOff(types: string, ...flags: string[]): Promise<{ cli: Cli; fixture: Fixture }> {
  const fixture = await startFixture();
  const cli = new Cli(['watch', types, '-n', 'shop', '-o', 'json', '--markers', ...flags], { env: fixture.env });
  const count = types.split(',').length;
  await cli.until((c) => c.events<Line>().filter(({ type }) => type === 'SYNCED').length === count, 'the first states');
  await fixture.sandbox.stop();
  await cli.until((c) => c.events<Line>().filter(({ type }) => type === 'DISCONNECTED').length === count, 'the outage');
  return { cli, fixture };
}

describe('--strict --markers', () => {
  it('writes the GAP that ends it before END', async () => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'pods,cm', '-n', 'shop', '-o', 'json', '--markers', '--strict'], {
      env: fixture.env,
    });
    await cli.until((c) => c.events<Line>().filter(({ type }) => type === 'SYNCED').length === 2, 'the first states');
    const restarting = fixture.sandbox.restart({ keepHistory: false, downMs: 200 });
    fixture.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    fixture.sandbox.apply([pod('web-9'), configMap('late', {})]);
    await restarting;
    const { code } = await cli.ended();
    const events = cli.events<Line>();
    const [gap, end] = events.slice(-2);
    expect(code).toBe(4);
    expect(gap).toMatchObject({
      type: 'GAP',
      gvr: expect.stringMatching(/^v1\/(pods|configmaps)$/),
      from: expect.stringMatching(/^\d+$/),
    });
    expect(end).toMatchObject({ type: 'END', exitCode: 4 });
    expect(end?.summary?.gaps).toBe(events.filter(({ type }) => type === 'GAP').length);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });
});

describe('a stream that ends while the server is away', () => {
  it.each<[string, string[], NodeJS.Signals | undefined, number]>([
    ['SIGINT', [], 'SIGINT', 0],
    ['SIGTERM under --strict', ['--strict'], 'SIGTERM', 4],
    ['its time', ['--timeout', '4s'], undefined, 0],
    ['its time under --strict', ['--timeout', '4s', '--strict'], undefined, 4],
    ['SIGINT before the limit under --strict', ['--limit', '99', '--strict'], 'SIGINT', 4],
    ['its time before the condition', ['--until', 'false', '--timeout', '4s'], undefined, 3],
    ['its time before the limit', ['--limit', '99', '--timeout', '4s'], undefined, 3],
  ])('by %s has a GAP before END, and says it in its last line', async (_, flags, signal, exitCode) => {
    const { cli: started, fixture } = await cutOff('pods,cm', ...flags);
    await using cli = started;
    await using _fixture = fixture;
    if (signal) cli.kill(signal);
    const { code, stderr } = await cli.ended();
    const events = cli.events<Line>();
    const [podGap, mapGap, end] = events.slice(-3);
    const [synced] = events.filter(({ type }) => type === 'SYNCED');
    expect([code, end?.exitCode]).toEqual([exitCode, exitCode]);
    expect([podGap, mapGap]).toMatchObject(
      ['pods', 'configmaps'].map((name) => ({ type: 'GAP', gvr: `v1/${name}`, reason: 'disconnected' })),
    );
    expect(podGap?.from).toBe((synced as unknown as { resourceVersion: string }).resourceVersion);
    expect(end).toMatchObject({
      type: 'END',
      summary: { gaps: 2 },
      disconnected: [{ gvr: 'v1/pods', from: podGap?.from }, { gvr: 'v1/configmaps' }],
    });
    expect(stderr).toMatch(
      /^ended by \S+ after \d+s: 3 events \(3 ADDED\), 2 gaps; disconnected since \d\d:\d\d:\d\d, \d+s not seen$/m,
    );
    if (code === 4) expect(stderr).toMatch(/^error: continuity lost \(--strict\): disconnected since /m);
    if (code === 3) expect(stderr).toMatch(/^error: timed out .*; disconnected since \d\d:\d\d:\d\d, \d+s not seen$/m);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_each, i) => i + 1));
  });

  it('names what was not connected where something was', async () => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'pods,cm', '-n', 'shop', '-o', 'json', '--markers', '--strict'], {
      env: fixture.env,
    });
    await cli.until(
      (c) => typesOf(c.events<Line>()).filter((type) => type === 'SYNCED').length === 2,
      'the first states',
    );
    fixture.sandbox.faults.add({
      fault: { kind: 'status', code: 503 },
      match: { path: '/pods' },
      times: Number.POSITIVE_INFINITY,
    });
    await fixture.sandbox.restart({ keepHistory: true, downMs: 100 });
    fixture.sandbox.apply(configMap('late', {}));
    await cli.until(
      (c) => c.stdout.includes('shop/late') && typesOf(c.events<Line>()).includes('DISCONNECTED'),
      'the config map',
    );
    await cli.until(
      (c) => c.events<Line>().some(({ type, gvr }) => type === 'DISCONNECTED' && gvr === 'v1/pods'),
      'the outage of pods',
    );
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(4);
    expect(stderr).toMatch(/; pods disconnected since \d\d:\d\d:\d\d, \d+s not seen\nerror: /);
    expect(cli.events<Line>().at(-1)).toMatchObject({ type: 'END', disconnected: [{ gvr: 'v1/pods' }] });
  });

  it('has nothing to say of it when the connection is back', async () => {
    await using fixture = await startFixture();
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--markers', '--strict'], {
      env: fixture.env,
    });
    await cli.until((c) => typesOf(c.events<Line>()).includes('SYNCED'), 'the initial list');
    await fixture.sandbox.restart({ keepHistory: true, downMs: 200 });
    fixture.sandbox.apply(pod('web-9'));
    await cli.until((c) => c.stdout.includes('shop/web-9'), 'the new pod');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stderr).toMatch(/ended by SIGINT after \d+s: 3 events \(3 ADDED\), no gaps, 1 resumed watch\n$/);
    const events = cli.events<Line>();
    expect(typesOf(events)).toEqual(['ADDED', 'ADDED', 'SYNCED', 'DISCONNECTED', 'RESUMED', 'ADDED', 'END']);
    const [lost, back] = events.slice(3, 5);
    expect(lost).toMatchObject({ gvr: 'v1/pods', since: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(back).toMatchObject({ gvr: 'v1/pods', by: 'resume', from: lost?.from, since: lost?.since });
    expect([typeof back?.downMs, typeof back?.proven]).toEqual(['number', 'boolean']);
    expect(events.at(-1)).not.toHaveProperty('disconnected');
  });
});

it('a type that is listed again is DISCONNECTED, GAP, RELISTED and RESUMED, in this order', async () => {
  await using fixture = await startFixture();
  await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--markers'], { env: fixture.env });
  await cli.until((c) => typesOf(c.events<Line>()).includes('SYNCED'), 'the initial list');
  const restarting = fixture.sandbox.restart({ keepHistory: false, downMs: 200 });
  fixture.sandbox.apply(pod('web-9'));
  await restarting;
  await cli.until((c) => typesOf(c.events<Line>()).includes('RESUMED'), 'the end of the outage');
  const records = typesOf(cli.events<Line>()).slice(3);
  expect(records).toEqual(['DISCONNECTED', 'GAP', 'ADDED', 'RELISTED', 'RESUMED']);
  expect(cli.events<Line>().at(-1)).toMatchObject({ by: 'relist' });
});

describe('a server that ends each watch at once and empty', () => {
  async function emptied(...flags: string[]) {
    const fixture = await startFixture();
    fixture.sandbox.faults.add({ fault: { kind: 'empty' }, match: { watch: true, path: '/pods' }, times: 2 });
    const cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'json', '--markers', ...flags], { env: fixture.env });
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'DISCONNECTED'), 'the outage');
    return { cli, fixture };
  }

  it('has a GAP when something happened meanwhile, and its list shows what', async () => {
    const { cli: started, fixture } = await emptied('--strict');
    await using _fixture = fixture;
    await using cli = started;
    fixture.sandbox.apply([pod('unseen')]);
    const { code } = await cli.ended();
    const events = cli.events<Line>();
    expect(code).toBe(4);
    expect(events.find(({ type }) => type === 'DISCONNECTED')).toMatchObject({ reason: 'very-short' });
    expect(events.find(({ type }) => type === 'GAP')).toMatchObject({ reason: 'very-short', gvr: 'v1/pods' });
    expect(events.at(-1)).toMatchObject({ type: 'END', exitCode: 4, summary: { gaps: 1 } });
  });

  it('has lost nothing when nothing happened', async () => {
    const { cli: started, fixture } = await emptied('--strict');
    await using _fixture = fixture;
    await using cli = started;
    await cli.until((c) => c.events<Line>().some(({ type }) => type === 'RESUMED'), 'the next watch');
    fixture.sandbox.apply([pod('seen')]);
    await cli.until((c) => c.stdout.includes('"shop/seen"'), 'the next event');
    cli.kill('SIGTERM');
    const { code } = await cli.ended();
    expect([code, cli.stderr]).toEqual([0, expect.stringMatching(/, no gaps\n$/)]);
    expect(typesOf(cli.events<Line>())).not.toContain('GAP');
  });

  it('has not seen what happens until the list', async () => {
    const { cli: started, fixture } = await emptied('--strict');
    await using _fixture = fixture;
    await using cli = started;
    cli.kill('SIGTERM');
    const { code } = await cli.ended();
    expect(code).toBe(4);
    expect(cli.stderr).toMatch(/disconnected since .* not seen/);
    expect(cli.events<Line>().at(-1)).toMatchObject({ type: 'END', disconnected: [{ reason: 'very-short' }] });
  });
});

it('--live says that it is disconnected, and for how long', async ({ skip }) => {
  if (NO_PTY) return skip(NO_PTY);
  await using fixture = await startFixture();
  await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live', '--strict'], {
    env: fixture.env,
    columns: 120,
  });
  const last = () => screenOf(terminal.text).at(-2) ?? ''; // the keys are below it
  await terminal.until((text) => text.includes('web-2'), 'the pods');
  await fixture.sandbox.stop();
  await terminal.until(() => /^DISCONNECTED [2-9]s · 2 pods/.test(last()), 'the outage in the line of the counts');
  const age = () =>
    screenOf(terminal.text)
      .find((line) => line.includes('web-1'))
      ?.split(/ +/)
      .at(-1);
  const before = age();
  await terminal.until(() => /^DISCONNECTED [5-9]s · 2 pods/.test(last()), 'some seconds more');
  expect(age()).toBe(before);
  terminal.type('q');
  expect(await terminal.ended()).toBe(4);
});

function screenOf(text: string): string[] {
  const screen = new Screen(120, 24);
  screen.write(text);
  return screen.screen;
}
