import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';

const ABSENT = 'namespace "shpo" does not exist; did you mean "shop"?\n';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe('a namespace that does not exist', () => {
  it.each<[string, string[], string]>([
    ['watch --once', ['watch', 'pods', '--once', '-n', 'shpo'], `No resources found in shpo namespace.\n${ABSENT}`],
    ['watch --once -o json', ['watch', 'pods', '--once', '-o', 'json', '-n', 'shpo'], ABSENT],
    ['query', ['query', 'pods', '-n', 'shpo'], `No resources found in shpo namespace.\n${ABSENT}`],
    ['query --count', ['query', 'pods', '--count', '-n', 'shpo'], ABSENT],
    ['query of one of two namespaces', ['query', 'pods', '-o', 'name', '-n', 'shop,shpo'], ABSENT],
  ])('is named by %s, with the one that it resembles', async (_, line, stderr) => {
    expect(await run(line, { env: fixture.env })).toMatchObject({ code: 0, stderr });
  });

  it.each<[string, string[], number]>([
    ['watch', ['watch', 'pods', '-n', 'shpo'], 0],
    ['watch -o json', ['watch', 'pods', '-o', 'json', '-n', 'shop,shpo'], 0],
    ['watch --for', ['watch', 'pods/web-1', '--for', 'condition=Ready', '-n', 'shpo'], 130],
    ['query --watch', ['query', 'pods', '--watch', '-n', 'shpo'], 0],
    ['reconcile', ['reconcile', 'pods', '--exec', 'true', '-n', 'shpo'], 0],
  ])('is named by %s, which goes on until it is interrupted', async (_, line, code) => {
    await using cli = new Cli(line, { env: fixture.env });
    await cli.until((c) => c.stderr.includes(ABSENT), 'the line');
    cli.kill('SIGINT');
    expect(await cli.ended()).toMatchObject({ code, stderr: expect.stringContaining('ended by SIGINT') });
  });

  it('is named in a table alone where it resembles none: no objects may be what a script asks for', async () => {
    const line = ['query', 'pods', '-n', 'elsewhere'];
    expect(await run(line, { env: fixture.env })).toMatchObject({
      code: 0,
      stderr: 'No resources found in elsewhere namespace.\nnamespace "elsewhere" does not exist\n',
    });
    for (const format of ['json', 'name', 'yaml'])
      expect(await run([...line, '-o', format], { env: fixture.env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('is not looked for where none is asked for, where it is empty, and with --ignore-not-found', async () => {
    await using own = await startFixture([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    const stderrOf = async (...line: string[]) =>
      (await run(['watch', 'pods', '--once', ...line], { env: own.env })).stderr;
    expect(await stderrOf('-n', 'shop')).toBe('No resources found in shop namespace.\n');
    expect(await stderrOf('-A')).toBe('No resources found\n');
    expect(await stderrOf('-n', 'shpo', '--ignore-not-found')).toBe('');
  });
});

describe('an object that is asked for by name and is not there', () => {
  const LINE = 'pods "wbe-1" is not there yet: it is shown when it comes\n';

  it('is named by watch, alone and beside others, and shown when it comes', async () => {
    await using own = await startFixture();
    await using alone = new Cli(['watch', 'pod/wbe-1', '-n', 'shop', '-o', 'name'], { env: own.env });
    await using beside = new Cli(['watch', 'pod', 'web-1', 'wbe-1', '-n', 'shop', '-o', 'name'], { env: own.env });
    await alone.until((c) => c.stderr.includes(`No resources found in shop namespace.\n${LINE}`), 'both lines');
    await beside.until((c) => c.stderr.includes(LINE), 'the line');
    own.sandbox.apply(pod('wbe-1'));
    for (const cli of [alone, beside]) await cli.until((c) => c.stdout.endsWith('pod/wbe-1\n'), 'the object');
    expect(beside.stderr).not.toContain('No resources');
  });

  it('is not named where the end of a wait names it, and with --ignore-not-found', async () => {
    const waits = await run(['watch', 'pod/wbe-1', '-n', 'shop', '--for', 'create', '--timeout', '1s'], {
      env: fixture.env,
    });
    expect(waits).toMatchObject({ code: 3, stderr: expect.stringContaining('waiting for wbe-1') });
    const ignored = await run(['watch', 'pod/wbe-1', '-n', 'shop', '--ignore-not-found', '--timeout', '1s'], {
      env: fixture.env,
    });
    expect(ignored.code).toBe(0);
    for (const { stderr } of [waits, ignored]) expect(stderr).not.toContain('is not there yet');
  });
});

it('a misspelt value of a filter is named to a log, too', async () => {
  await using cli = new Cli(['watch', 'pods', '-n', 'shop', '--where', 'NAME == "wbe-1"'], { env: fixture.env });
  await cli.until(
    (c) => c.stderr.includes('none of 2 pods matches\n--where: NAME == "wbe-1" holds for none; did you mean "web-1"?'),
    'both lines',
  );
});
