import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const line = (file: string, ...flags: string[]) => ['reconcile', 'pods/web-1', '-n', 'shop', '--hook', file, ...flags];

/** Runs a hook until its output satisfies the condition; then ends the program. */
async function output(args: readonly string[], condition: (cli: Cli) => boolean, env = {}) {
  await using cli = new Cli(args, { env: { ...fixture.env, ...env } });
  await cli.until(condition);
  cli.kill('SIGTERM');
  return await cli.ended();
}

describe('what an executable prints', () => {
  it('is shown while it runs', async () => {
    const gate = path.join(fixture.folder, 'gate');
    const file = await hook(
      'slow.sh',
      `#!/bin/sh\necho step 1\necho halfway >&2\nwhile [ ! -e ${gate} ]; do sleep 0.02; done\necho '{"actions":[{"log":"replied"}]}'\n`,
    );
    await using cli = new Cli(line(file), { env: fixture.env });
    await cli.until((c) => c.stdout.includes('shop/web-1 | step 1\n'), 'the first step');
    await cli.until((c) => c.stderr.includes('shop/web-1 | halfway\n'), 'the line on stderr');
    expect(cli.stderr).not.toContain('replied');
    await writeFile(gate, '');
    await cli.until((c) => c.stderr.includes('shop/web-1: replied\n'), 'the reply');
    cli.kill('SIGTERM');
    expect((await cli.ended()).stdout).toBe('shop/web-1 | step 1\n');
  });

  it('is cut when it is a flood on stderr, and the other keys go on', async () => {
    const file = await hook(
      'flood.sh',
      `#!/bin/sh\n[ "$INFORMER_NAME" = web-2 ] && { echo quiet; exit 0; }\nwhile :; do echo "a line of the flood" >&2; done\n`,
    );
    const args = ['reconcile', 'pods', '-n', 'shop', '--hook', file, '--workers', '2', '--hook-timeout', '2s'];
    const { stdout, stderr } = await output(args, (c) => c.stderr.includes('took longer') && c.stdout !== '');
    expect(stdout).toBe('shop/web-2 | quiet\n');
    expect(stderr).toMatch(/^shop\/web-1 \| … \d{3,} lines left out$/m);
    expect(stderr.split('\n').length).toBeLessThan(1_000);
  });

  it('may be no text, or one line of 10 MB', async () => {
    const file = await hook(
      'bytes.sh',
      `#!/bin/sh\nhead -c 10000000 /dev/zero | tr '\\0' y\necho\nprintf '\\377\\033[2J\\0end\\n'\n`,
    );
    const { stdout } = await output(line(file), (c) => c.stdout.includes('end'));
    expect(stdout).toMatch(
      /^shop\/web-1 \| y{16384}… \(9983616 more characters\)\nshop\/web-1 \| \ufffd\^\[\[2J\^@end\n$/,
    );
  });
});

describe('an executable', () => {
  it('gets nothing of the environment but what is allowed, and is not waited for by what it leaves behind', async () => {
    const file = await hook(
      'env.sh',
      '#!/bin/sh\nsleep 60 &\necho "pid $!"\nenv | sed "s/=.*//" | grep -v -e "^_$" -e "^PWD$" -e "^SHLVL$" -e "^INFORMER_" | sort | tr "\\n" " "\n',
    );
    const secrets = [
      'AWS_SECRET_ACCESS_KEY',
      'NPM_TOKEN',
      'NODE_EXTRA_CA_CERTS',
      'HTTPS_PROXY',
      'KUBECTL_INFORMER_NOPE',
      'SSH_AUTH_SOCK',
    ];
    const env = {
      NODE_OPTIONS: '--no-warnings',
      ...Object.fromEntries(secrets.map((name) => [name, 'x'])),
      HTTPS_PROXY: '',
    };
    const { stdout } = await output(line(file), (c) => c.stdout.includes('PATH'), env);
    const pid = Number(/pid (\d+)/.exec(stdout)?.[1]);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect(stdout).toContain('shop/web-1 | HOME KUBECONFIG PATH \n');
  });
});

describe('what a module prints', () => {
  it('is cut when it is a flood, and says how much was left out', async () => {
    const file = await hook('flood.mjs', 'export default () => { for (let i = 0; i < 5000; i++) console.log(i); };\n');
    const { stderr } = await output(line(file), (c) => c.stderr.includes('left out'));
    expect(stderr).toContain('shop/web-1 | 199\nshop/web-1 | … 4800 lines left out\n');
  });
});

describe('a run that fails', () => {
  it('is one short line for people, with the last line of its stderr', async () => {
    const file = await hook('fail.sh', '#!/bin/sh\necho "no such team" >&2\nexit 75\n');
    const { stderr } = await output(line(file), (c) => c.stderr.includes('attempt 2'));
    expect(stderr).toMatch(/^shop\/web-1 \| no such team$/m);
    expect(stderr).toMatch(/^shop\/web-1: failed \(attempt 1\).*: hook fail\.sh exited with 75: no such team$/m);
    expect(stderr).not.toMatch(/controller=|run=|WARN/);
  });

  it.each([
    ['exit 65', 'hook park.sh exited with 65'],
    ['echo \'{"foo":1}\'', 'the hook\'s reply is not valid: reply has an unknown key "foo"'],
    ['kill -9 $$', 'hook park.sh was ended by SIGKILL'],
  ])('of `%s` is given up in the same words', async (body, why) => {
    const file = await hook('park.sh', `#!/bin/sh\n${body}\n`);
    const { stderr } = await output(line(file, '--max-retries', '0'), (c) => c.stderr.includes('given up'));
    expect(stderr).toContain(`shop/web-1: given up until something changes (attempt 1): ${why}\n`);
    expect(stderr).not.toContain('terminal error');
  });

  it('shows the stack of a module: its own frames, also those of imported files and of async code', async () => {
    await hook('lib.mjs', 'export async function deep(ctx) {\n  await null;\n  return ctx.nothing.x;\n}\n');
    const file = await hook(
      'thrower.mjs',
      "import { deep } from './lib.mjs';\nexport default async function reconcile(ctx) {\n  await deep(ctx);\n}\n",
    );
    const { stderr } = await output(line(file), (c) => c.stderr.includes('attempt 3'));
    const stack = stderr.split('\n').filter((each) => each.startsWith('shop/web-1 | '));
    expect(stack).toEqual([
      "shop/web-1 | TypeError: Cannot read properties of undefined (reading 'x')",
      `shop/web-1 |     at deep (${path.join(fixture.folder, 'lib.mjs')}:3:22)`,
      `shop/web-1 |     at async reconcile (${file}:3:3)`,
    ]);
  });

  it.each([
    ['"text"', 'text was thrown, which is not an Error'],
    ['undefined', 'undefined was thrown, which is not an Error'],
    ['Object.create(null)', '{} was thrown, which is not an Error'],
    ['new Error("plain")', 'plain'],
  ])('says what was thrown: %s', async (value, text) => {
    const file = await hook('throws.mjs', `export default async () => { throw ${value}; };\n`);
    const { stderr } = await output(line(file), (c) => c.stderr.includes('attempt 1'));
    expect(stderr).toMatch(new RegExp(`^shop/web-1: failed \\(attempt 1\\).*: ${text}$`, 'm'));
  });
});

describe('with --log-format json every line on stderr is a JSON object', () => {
  const parsed = (stderr: string) =>
    stderr
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>);

  it('of a module: notices, the start, its output, what it throws, and the end', async () => {
    const file = await hook(
      'json.mjs',
      "console.log('loaded');\nexport const config = { allowWrite: true };\nexport default async ({ log }) => {\n  console.log('printed\\x1b[2J');\n  log.info('logged', { a: 1 });\n  setImmediate(() => Promise.reject(new Error('stray')));\n  throw new Error('why');\n};\n",
    );
    const { code, stderr } = await output(
      line(file, '--max-retries', '0', '--log-format', 'json', '-v', '7'),
      (c) => c.stderr.includes('left an error behind') && c.stderr.includes('gave up'),
      { KUBECTL_INFORMER_NOPE: '1' },
    );
    const entries = parsed(stderr);
    expect(code).toBe(0);
    for (const entry of entries)
      expect(entry).toMatchObject({ time: expect.any(String), level: expect.any(String), msg: expect.any(String) });
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'warn', msg: expect.stringContaining('KUBECTL_INFORMER_NOPE sets no flag') }),
        expect.objectContaining({ msg: expect.stringContaining('actions are shown, not sent') }),
        expect.objectContaining({ msg: '1 pod, hook json.mjs, 1 worker' }),
        expect.objectContaining({ msg: 'hook output', key: 'json.mjs', line: 'loaded' }),
        expect.objectContaining({ msg: 'hook output', key: 'shop/web-1', line: 'printed\x1b[2J' }),
        expect.objectContaining({ msg: 'logged', key: 'shop/web-1', a: 1, run: 1, controller: 'json.mjs' }),
        expect.objectContaining({
          msg: 'the hook threw',
          key: 'shop/web-1',
          error: expect.stringContaining('why'),
          stack: expect.any(Array),
        }),
        expect.objectContaining({ level: 'error', msg: 'gave up; parked until something changes', attempt: 1 }),
        expect.objectContaining({ msg: 'given up until something changes:', details: expect.any(Array) }),
      ]),
    );
  });

  it('of an executable, and the error that ends the program', async () => {
    const file = await hook('json.sh', '#!/bin/sh\necho "one" >&2\nexit 64\n');
    const { code, stderr } = await run(line(file, '--log-format=json'), { env: fixture.env });
    expect(code).toBe(1);
    expect(parsed(stderr)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'hook output', key: 'shop/web-1', line: 'one' }),
        expect.objectContaining({
          level: 'error',
          msg: 'hook json.sh exited with 64: one',
          hint: expect.stringContaining('bad configuration'),
        }),
      ]),
    );
  });

  it('of a command line that cannot be read', async () => {
    const { code, stderr } = await run(['reconcile', 'pods', '--nope', '--log-format', 'json'], { env: fixture.env });
    expect(code).toBe(2);
    expect(parsed(stderr)).toEqual([
      expect.objectContaining({ level: 'error', msg: expect.stringContaining('--nope'), hint: expect.any(String) }),
    ]);
  });
});
