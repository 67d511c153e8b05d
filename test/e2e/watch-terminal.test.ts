import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Terminal as Screen } from '../output/terminal.ts';
import { run } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';
import { skipped } from '../support/skipped.ts';
import { NO_PTY, Terminal, type TerminalOptions } from '../support/terminal.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const ESC = '\x1b';
const HIDE = `${ESC}[?25l`;
const SHOW = `${ESC}[?25h`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const onTerminal = (line: string[], options: TerminalOptions = {}) =>
  new Terminal(['watch', ...line], { columns: 160, ...options, env: { ...fixture.env, ...options.env } });

/** What a person sees at last. */
function screenOf(text: string, rows = 24, columns = 160): string[] {
  const terminal = new Screen(columns, rows);
  terminal.write(text);
  return terminal.screen;
}

const CONTROL = new RegExp(`${ESC}\\[\\??[\\d;]*[A-Za-z]`, 'g');
const plain = (text: string) => text.replaceAll(CONTROL, '');

/** The cursor is visible, colours are off, and the line is empty. */
function expectRestored({ text }: Pick<Terminal, 'text'>): void {
  expect(text.lastIndexOf(SHOW)).toBeGreaterThanOrEqual(text.lastIndexOf(HIDE));
  const last = text.match(CONTROL)?.findLast((each) => each.endsWith('m'));
  if (last) expect(['0', '39', '22', '27', '29']).toContain(last.slice(2, -1));
  expect(plain(text).endsWith('\n')).toBe(true);
}

describe.skipIf(NO_PTY)(`on a terminal${skipped(NO_PTY)}`, () => {
  const colours = (text: string) => new Set(text.match(CONTROL)?.filter((each) => each.endsWith('m')));

  it('events and states have colours, which NO_COLOR, TERM=dumb and --color=never take away', async () => {
    const line = ['pods', '-n', 'shop', '--once'];
    const ways: [string[], NodeJS.ProcessEnv][] = [
      [line, {}],
      [line, { NO_COLOR: '1' }],
      [line, { TERM: 'dumb' }],
      [[...line, '--color', 'never'], {}],
      [[...line, '--color', 'always'], { NO_COLOR: '1' }],
    ];
    const seen = await Promise.all(
      ways.map(async ([words, env]) => {
        await using terminal = onTerminal(words, { env });
        expect(await terminal.ended()).toBe(0);
        return terminal.text;
      }),
    );
    expect(seen.map((text) => colours(text).size > 0)).toEqual([true, false, false, false, true]);
    expect(seen[0]).toContain('\x1b[32mADDED');
    const [piped, forced, level] = await Promise.all([
      run(['watch', ...line], { env: fixture.env }),
      run(['watch', ...line, '--color', 'always'], { env: fixture.env }),
      run(['watch', ...line], { env: { ...fixture.env, NO_COLOR: '', FORCE_COLOR: '1' } }),
    ]);
    expect([piped, forced, level].map(({ stdout }) => colours(stdout).size > 0)).toEqual([false, true, true]);
    expect(forced.stdout).toContain('\x1b[32mADDED');
  });

  it('a narrow terminal has signs in place of the words, and a pipe keeps the words', async () => {
    const line = ['pods', '-n', 'shop', '--once'];
    await using terminal = onTerminal([...line, '--color', 'never'], { columns: 50 });
    const [, piped] = await Promise.all([terminal.ended(), run(['watch', ...line], { env: fixture.env })]);
    expect(plain(terminal.text)).toMatch(/^ {2}NAME +READY +STATUS +RESTARTS +AGE\r?\n\+ web-1 /);
    expect(plain(terminal.text)).not.toContain('ADDED');
    expect(piped.stdout).toMatch(/^EVENT +NAME .*\nADDED +web-1 /);
  });

  it('Ctrl-C ends with the summary and 0', async () => {
    await using terminal = onTerminal(['pods', '-n', 'shop']);
    await terminal.until((text) => text.includes('web-2'), 'the pods');
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toMatch(/ended by SIGINT after \d+s: 2 events/);
  });

  it('the progress of a wait is one line that is redrawn, and is gone at the end', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(
      ['watch', 'pods', '-n', 'shop', '--until', 'object.status.phase == "Succeeded"'],
      {
        env: own.env,
        columns: 160,
      },
    );
    await terminal.until((text) => text.includes('0/2 met, waiting for'), 'the progress');
    own.sandbox.apply(pod('web-1', { phase: 'Succeeded' }));
    await terminal.until((text) => text.includes('1/2 met, waiting for web-2'), 'more progress');
    own.sandbox.apply(pod('web-2', { phase: 'Succeeded' }));
    expect(await terminal.ended()).toBe(0);
    const screen = screenOf(terminal.text);
    expect(screen.filter((line) => line.includes('waiting for'))).toEqual([]);
    expect(screen.map((line) => line.split(/ +/).slice(0, 2).join(' ')).slice(0, 5)).toEqual([
      'EVENT NAME',
      'ADDED web-1',
      'ADDED web-2',
      'MODIFIED web-1',
      'MODIFIED web-2',
    ]);
  });
});

describe.skipIf(NO_PTY)(`what is waited for, on a terminal${skipped(NO_PTY)}`, () => {
  const line = ['watch', 'pods', '-n', 'shop', '--until', 'object.status.phase == "Succeeded"'];
  const waiting = (text: string) => screenOf(text).filter((each) => each.includes('waiting for'));

  it('is below the rows from the initial list on, whatever is printed', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(line, { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('web-2') && waiting(text).length > 0, 'the progress below the rows');
    own.sandbox.apply(pod('web-3', { phase: 'Pending' }));
    await terminal.until(
      (text) => waiting(text)[0]?.startsWith('0/3 met') === true && text.includes('web-3  '),
      'the new pod',
    );
    const screen = screenOf(terminal.text).filter((each) => each !== '');
    expect(screen.slice(1).map((each) => each.split(/ +/)[1])).toEqual(['web-1', 'web-2', 'web-3', 'met,']);
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(130);
    expect(waiting(terminal.text)).toEqual([]);
  });

  it('is below the table of --live', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal([...line, '--live'], { env: own.env, columns: 160 });
    await terminal.until(
      (text) => screenOf(text).some((each) => each.startsWith('0/2 met, waiting for web-1, web-2 · 2 pods')),
      'it',
    );
    own.sandbox.apply([pod('web-1', { phase: 'Succeeded' }), pod('web-2', { phase: 'Succeeded' })]);
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
  });
});

describe.skipIf(NO_PTY)(`--live${skipped(NO_PTY)}`, () => {
  it('redraws one table in place, leaves the last state, and restores the terminal', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('web-2'), 'the pods');
    own.sandbox.apply(pod('web-3', { phase: 'Pending' }));
    await terminal.until((text) => text.includes('web-3'), 'the new pod');
    own.sandbox.apply(pod('web-3', { phase: 'Failed' }));
    await terminal.until((text) => text.includes('Failed'), 'the change');
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
    const screen = screenOf(terminal.text);
    const names = screen.flatMap((line) => /^[ +~-] (web-\d) /.exec(line)?.[1] ?? []);
    expect(screen.join('\n')).not.toContain('^C');
    expect(names).toEqual(['web-1', 'web-2', 'web-3']);
    expect(screen.find((line) => /^[ +~-] web-3 /.test(line))).toContain('Failed');
    expect(screen.some((line) => line.startsWith('ended by SIGINT'))).toBe(true);
  });

  it('opens the selected object with the writer of each change, searches, and goes on after Ctrl-Z', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env });
    const screen = () => screenOf(terminal.text, 24, 80);
    const until = (what: string) => terminal.until(() => screen().some((line) => line.includes(what)), what);
    await until('? keys');
    own.sandbox.apply(pod('web-2', { phase: 'Failed' }));
    await until('Failed');
    terminal.type('/web-2\r');
    await until('1 of 2 pods');
    terminal.type('\r');
    await until('.status.phase: Running → Failed');
    expect(screen()[0]).toBe('CHANGES since the start, the newest first');
    terminal.type('G');
    await until('phase: Failed');
    terminal.type('\x1a');
    await expect.poll(() => terminal.isStopped).toBe(true);
    terminal.goOn();
    terminal.type('q');
    await until('1 of 2 pods');
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
    expect(screen().some((line) => /^.>web-2 .*Failed/.test(line))).toBe(true);
  });

  it('hides values of Secrets in the YAML and the changes of an object', async () => {
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      data: { password: btoa(value) },
    });
    await using own = await startFixture([secret('swordfish-one')]);
    await using terminal = new Terminal(['watch', 'secrets', '-n', 'default', '--live'], { env: own.env, rows: 40 });
    const until = (what: string) =>
      terminal.until(() => screenOf(terminal.text, 40, 80).some((line) => line.includes(what)), what);
    await until('login');
    own.sandbox.apply(secret('swordfish-two'));
    await until('MODIFIED');
    terminal.type('\r');
    await until('password: hmac:');
    await until('.data.password: hmac:');
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).not.toContain(btoa('swordfish-one').slice(0, 8));
    expect(terminal.text).not.toContain('swordfish');
  });

  it('shows the messages of Events on 80 columns', async () => {
    const message = 'Back-off restarting failed container web in pod web-1';
    const about = { apiVersion: 'v1', kind: 'Pod', name: 'checkout-jw2pn47ms4-gp94f', namespace: 'shop' };
    await using own = await startFixture([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'checkout-1', namespace: 'shop' },
        ...{ involvedObject: about, reason: 'FailedScheduling', type: 'Warning', message },
      },
    ]);
    await using terminal = new Terminal(['watch', 'events', '-A', '--live'], { env: own.env });
    const screen = () => screenOf(terminal.text, 24, 80).join('\n');
    await terminal.until(() => screen().includes(message.slice(0, 15)), 'the message');
    terminal.type('llll');
    await terminal.until(() => screen().includes(message), 'the whole message');
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
  });

  it('shows what fits on the screen, and follows its size', async () => {
    await using own = await startFixture(Array.from({ length: 40 }, (_, i) => configMap(`m-${i + 10}`, {}, 'default')));
    await using terminal = new Terminal(['watch', 'cm', '-n', 'default', '--live'], {
      env: own.env,
      rows: 12,
      columns: 60,
    });
    const rowsShown = (text: string) => screenOf(text, 30, 60).filter((line) => /^[ +~-] m-\d+ /.test(line)).length;
    await terminal.until((text) => rowsShown(text) > 0, 'the first frame');
    expect(rowsShown(terminal.text)).toBeLessThan(12);
    expect(terminal.text).toMatch(/\d+ more/);
    const before = terminal.text.length;
    await terminal.resize(60, 30);
    await terminal.until((text) => rowsShown(text) > 20, 'the larger frame');
    const frame = plain(terminal.text.slice(before));
    expect(Math.max(...frame.split(/[\r\n]+/).map((line) => line.length))).toBeLessThanOrEqual(60);
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
  });

  it.each<[string, string[], number, (terminal: Terminal) => void]>([
    ['a limit', ['--limit', '2'], 0, () => {}],
    ['a condition', ['--until', 'object.status.phase == "Running"'], 0, () => {}],
    ['an expression that is met', ['--fail-if', 'object.metadata.name == "web-2"'], 5, () => {}],
    ['the time', ['--timeout', '2s'], 0, () => {}],
    ['an error', ['--for', 'jsonpath={.status}=x'], 2, () => {}],
    ['--once', ['--once'], 0, () => {}],
    ['SIGTERM', [], 0, (terminal) => terminal.kill('SIGTERM')],
    ['SIGTERM before the condition', ['--until', 'false'], 143, (terminal) => terminal.kill('SIGTERM')],
    ['Ctrl-C before the condition', ['--until', 'false'], 130, (terminal) => terminal.type('\x03')],
  ])('restores the terminal when %s ends it', async (_, flags, code, act) => {
    await using terminal = onTerminal(['pods', '-n', 'shop', '--live', ...flags]);
    await terminal.until((text) => text.includes('web-2'), 'the pods').catch(() => {});
    act(terminal);
    expect(await terminal.ended()).toBe(code);
    expectRestored(terminal);
    expect(screenOf(terminal.text).filter((line) => /\bweb-\d /.test(line)).length).toBeGreaterThan(0);
  });

  it('restores the terminal at a second Ctrl-C, which waits for nothing', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('web-2'), 'the pods');
    const first = performance.now();
    terminal.type('\x03');
    // what comes sooner is taken for an echo
    await expect.poll(() => performance.now() - first, { interval: 10 }).toBeGreaterThan(80);
    terminal.type('\x03');
    expect([0, 130]).toContain(await terminal.ended());
    // the echo of the second, when the table has ended already
    expectRestored({ text: terminal.text.replace(/\^C$/, '') });
  });

  it('prints notices above it', async () => {
    await using own = await startFixture();
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('web-2'), 'the pods');
    await own.sandbox.restart({ keepHistory: true, downMs: 100 });
    await terminal.until((text) => text.includes('watch resumed at'), 'the notice');
    own.sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    own.sandbox.apply(pod('web-9'));
    await terminal.until((text) => text.includes('web-9'), 'the change');
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    const screen = screenOf(terminal.text);
    const place = (what: string | RegExp) =>
      screen.findIndex((line) => (typeof what === 'string' ? line.includes(what) : what.test(line)));
    expect(place('watch resumed at')).toBeGreaterThanOrEqual(0);
    expect(place('watch resumed at')).toBeLessThan(place(/NAME +READY/));
    expect(screen.filter((line) => /NAME +READY/.test(line))).toHaveLength(1);
    expect(place('web-9')).toBeGreaterThan(place(/NAME +READY/));
  });

  it.each<[string, (terminal: Terminal) => void]>([
    ['Ctrl-Z', (terminal) => terminal.type('\x1a')],
    ['SIGTSTP', (terminal) => terminal.kill('SIGTSTP')],
  ])('gives the terminal back at %s, and draws the whole table again when it goes on', async (_, stop) => {
    await using own = await startFixture();
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('web-2'), 'the pods');
    stop(terminal);
    await expect.poll(() => terminal.isStopped, { timeout: 5000 }).toBe(true);
    own.sandbox.apply(pod('web-3'));
    terminal.goOn();
    const again = (text: string) => text.slice(text.indexOf(SHOW)); // from where the cursor was given back
    await terminal.until((text) => text.includes(SHOW) && again(text).includes('web-3'), 'the table with the new pod');
    const frame = plain(again(terminal.text));
    expect(again(terminal.text).indexOf(HIDE)).toBeGreaterThan(0);
    for (const part of ['NAME', 'web-1', 'web-2', 'web-3', '3 pods']) expect(frame).toContain(part);
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
  });

  it('scrolls by keys, and q ends it', async () => {
    await using own = await startFixture(Array.from({ length: 40 }, (_, i) => configMap(`m-${i + 10}`, {}, 'default')));
    await using terminal = new Terminal(['watch', 'cm', '-n', 'default', '--live'], {
      env: own.env,
      rows: 12,
      columns: 80,
    });
    const names = (text: string) =>
      screenOf(text, 12, 80).flatMap((line) => /^[ +~-][ >](m-\d+) /.exec(line)?.[1] ?? []);
    const see = (first: string, what: string) => terminal.until((text) => names(text)[0] === first, what);
    const selected = (text: string) => screenOf(text, 12, 80).flatMap((line) => /^.>(\S+)/.exec(line)?.[1] ?? [])[0];
    await see('m-10', 'the first page');
    terminal.type('\x1b[6~');
    await see('m-18', 'the next page');
    terminal.type('G');
    await terminal.until((text) => names(text).at(-1) === 'm-49', 'the end');
    expect(names(terminal.text)).toHaveLength(9);
    terminal.type('\x1b[5~');
    await see('m-33', 'a page back');
    expect(screenOf(terminal.text, 12, 80).at(-2)).toContain('from row 24');
    terminal.type('\x1b[B\x1b[B');
    await terminal.until((text) => selected(text) === 'm-34', 'the second row, selected');
    terminal.type('\x1b[5~');
    await terminal.until((text) => selected(text) === 'm-26', 'a row a page above');
    terminal.type('g');
    await see('m-10', 'the beginning');
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
    expectRestored(terminal);
  });

  it('says that it is loading until the initial list is there', async () => {
    await using own = await startFixture([]);
    own.sandbox.faults.add({ fault: { kind: 'delay', ms: 2500 }, match: { path: '/pods' } });
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--live'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('loading'), 'it');
    expect(terminal.text).not.toContain('no objects');
    await terminal.until((text) => text.includes('no objects'), 'the initial list');
    terminal.type('\x03');
    expect(await terminal.ended()).toBe(0);
  });

  it('has the largest first with - before the path, as rows have', async () => {
    const line = ['watch', 'pods', '-n', 'shop', '--sort-by=-.metadata.name', '--once'];
    await using terminal = new Terminal([...line, '--live'], { env: fixture.env, columns: 160 });
    expect(await terminal.ended()).toBe(0);
    const names = (text: readonly string[]) => text.flatMap((each) => /web-\d/.exec(each)?.[0] ?? []);
    expect(names(screenOf(terminal.text).slice(0, 3))).toEqual(['web-2', 'web-1']);
    const { stdout } = await run(line, { env: fixture.env });
    expect(names(stdout.split('\n'))).toEqual(['web-2', 'web-1']);
  });

  it('falls back to rows on a terminal that cannot redraw, without one control sequence', async () => {
    const env = { TERM: 'dumb' };
    await using terminal = onTerminal(['pods', '-n', 'shop', '--live', '--until', 'false', '--timeout', '2500ms'], {
      env,
    });
    expect(await terminal.ended()).toBe(3);
    expect(terminal.text).toContain(
      '--live needs a terminal that can redraw, and TERM is dumb; rows are appended instead',
    );
    expect(terminal.text).toContain('0/2 met, waiting for web-1, web-2');
    expect(terminal.text).not.toContain(ESC);
  });

  it('has no place for --timestamps', async () => {
    const { code, stderr } = await run(['watch', 'pods', '--live', '--timestamps'], { env: fixture.env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --live has no place for --timestamps\nhint: /)]);
  });

  it('falls back to rows where there is no terminal, and says so', async () => {
    const { code, stdout, stderr } = await run(['watch', 'pods', '-n', 'shop', '--live', '--limit', '2'], {
      env: fixture.env,
    });
    expect({ code, rows: stdout.trim().split('\n').length }).toEqual({ code: 0, rows: 3 });
    expect(stderr).toContain('--live needs a terminal; rows are appended instead');
    expect(stdout).not.toContain('\x1b');
  });
});

describe.skipIf(NO_PTY)(`a long initial list${skipped(NO_PTY)}`, () => {
  it('has a line of progress on the terminal, that is gone when it is there', async () => {
    await using own = await startFixture();
    own.sandbox.faults.add({ fault: { kind: 'delay', ms: 1600 }, match: { path: '/pods' } });
    await using terminal = new Terminal(['watch', 'pods', '-n', 'shop', '--once'], { env: own.env, columns: 160 });
    await terminal.until((text) => text.includes('syncing pods:'), 'the progress');
    expect(await terminal.ended()).toBe(0);
    expect(
      screenOf(terminal.text)
        .filter((line) => line !== '')
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(['NAME', 'web-1', 'web-2']);
  });
});
