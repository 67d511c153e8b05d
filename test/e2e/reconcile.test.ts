import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, configMap, type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';

const APPLE_TYPE = { group: 'stable.example.com', version: 'v1', resource: 'myapples' };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply([APPLES, apple('fuji', 'red')]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const TYPESCRIPT_HOOK = `
import { formatGvr } from 'kubectl-informer';
interface Apple { metadata: { name: string; labels?: Record<string, string> }; spec: { color: string } }
export default async function reconcile(ctx: { key: string; object: Apple | null; log: { info(m: string, f?: object): void } }) {
  ctx.log.info('looking', { gvr: formatGvr({ group: '', version: 'v1', resource: 'pods' }), color: ctx.object?.spec.color ?? 'gone' });
  if (!ctx.object || ctx.object.metadata.labels?.color === ctx.object.spec.color) return;
  return { actions: [{ patch: { metadata: { labels: { color: ctx.object.spec.color } } } }] };
}
`;

describe('reconcile', () => {
  it('runs a TypeScript hook on a custom type and carries out what it asks for', async () => {
    const file = await hook('label.ts', TYPESCRIPT_HOOK);
    await using cli = new Cli(['reconcile', 'myapples', '-n', 'shop', '--hook', file, '--allow-write'], {
      env: fixture.env,
    });
    await cli.until(() => labelOf('fuji') === 'red', 'the label');
    fixture.sandbox.apply({
      ...apple('fuji', 'yellow'),
      metadata: { name: 'fuji', namespace: 'shop', labels: { color: 'red' } },
    });
    await cli.until(() => labelOf('fuji') === 'yellow', 'the new label');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('writes nothing unless allowed, and says so', async () => {
    fixture.sandbox.apply(apple('granny', 'green'));
    const file = await hook('label2.ts', TYPESCRIPT_HOOK);
    await using cli = new Cli(['reconcile', 'myapples', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => (c.stdout + c.stderr).includes('granny'), 'the action shown');
    await cli.until((c) => c.stderr.includes('--allow-write'), 'the notice');
    cli.kill('SIGINT');
    expect((await cli.ended()).code).toBe(0);
    expect(labelOf('granny')).toBeUndefined();
  });

  it('runs an executable with the request on stdin, retries 75, parks 65, stops at 64', async () => {
    const log = path.join(fixture.folder, 'calls');
    const input = path.join(fixture.folder, 'input');
    const retrying = await hook(
      'retry.sh',
      `#!/bin/sh\ncat > ${input}\necho "$INFORMER_KEY $INFORMER_ATTEMPT" >> ${log}\n[ "$INFORMER_ATTEMPT" -ge 3 ] && exit 65\nexit 75\n`,
    );
    await using cli = new Cli(
      [
        'reconcile',
        'pods',
        '-n',
        'shop',
        '--hook',
        retrying,
        '-l',
        'app=web',
        '--field-selector',
        'metadata.name=web-1',
        '-v',
        '2',
      ],
      {
        env: fixture.env,
      },
    );
    await cli.until((c) => c.stderr.includes('given up until something changes (attempt 3)'), 'the third run');
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^shop\/web-1: given up until something changes \(attempt 3\): .* exited with 65$/m);
    expect(readFileSync(log, 'utf8')).toBe('shop/web-1 1\nshop/web-1 2\nshop/web-1 3\n');
    expect(JSON.parse(readFileSync(input, 'utf8'))).toMatchObject({
      key: 'shop/web-1',
      attempt: 3,
      object: { kind: 'Pod', metadata: { name: 'web-1' } },
    });
    const stopping = await hook('stop.sh', '#!/bin/sh\nexit 64\n');
    expect((await run(['reconcile', 'pods', '-n', 'shop', '--hook', stopping], { env: fixture.env })).code).toBe(1);
  });

  it.each([
    ['a kubeconfig named by a flag', (f: Fixture) => ({ flags: ['--kubeconfig', f.env.KUBECONFIG], env: {} })],
    ['one of the environment', (f: Fixture) => ({ flags: [], env: f.env })],
    ['a server and a token', (f: Fixture) => ({ flags: [...server(f), `--token=${f.sandbox.token}`], env: {} })],
    [
      'a context that is not the current one',
      (f: Fixture) => ({ flags: ['--context=sandbox', '--as=jane', '--as-group=system:masters'], env: f.env }),
    ],
  ])('passes the credentials on when asked to: %s', async (_, choice) => {
    const { flags, env } = choice(fixture);
    const file = await hook(
      'where.sh',
      '#!/bin/sh\ncat > /dev/null\necho "at $KUBECONFIG" >&2\ntr -d "\\n" < "$KUBECONFIG" >&2\necho >&2\n',
    );
    const line = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file, ...flags];
    await using cli = new Cli([...line, '--pass-credentials'], { env });
    await cli.until((c) => c.stderr.includes(fixture.sandbox.token), 'the kubeconfig');
    const place = /at (\S+?)"?\n/.exec(cli.stderr)?.[1] ?? '';
    expect(cli.stderr).toContain(fixture.sandbox.url);
    if (flags.length > 0) expect((await stat(place)).mode & 0o077).toBe(0);
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    if (flags.length > 0) await expect(stat(place)).rejects.toThrow('ENOENT');

    await using without = new Cli(line, { env });
    await without.until((c) => c.stderr.includes('at /dev/null'), 'the empty kubeconfig');
    expect(without.stderr).not.toContain(fixture.sandbox.token);
  });

  it('shows no value of a Secret that a hook’s JSON patch would write, and gives the hook none by its lister', async () => {
    const marker = Buffer.from('patched-marker').toString('base64');
    const file = await hook(
      'secret.mjs',
      `export default (ctx) => {
        const seen = JSON.stringify([ctx.object, ctx.lister('v1/secrets').list(), ctx.index('namespace', 'shop')]);
        ctx.log.info('seen', { raw: seen.includes('${Buffer.from(SECRET_VALUE).toString('base64')}') });
        return { actions: [{ patch: [{ op: 'replace', path: '/data/password', value: '${marker}' }], patchType: 'json' }] };
      };\n`,
    );
    await using cli = new Cli(['reconcile', 'secrets', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stdout.includes('would patch'), 'the action shown');
    cli.kill('SIGTERM');
    const { stdout, stderr } = await cli.ended();
    expect(stdout).toMatch(/"value":"hmac:[0-9a-f]{8}"/);
    expect(stdout + stderr).not.toContain(marker);
    expect(stderr).toContain('raw=false');
  });

  it.each(['--dry-run', '--allow-write'])(
    'with %s shows and gives no value of a Secret that a JSON patch of a hook copies or moves',
    async (flag) => {
      const raw = Buffer.from(SECRET_VALUE).toString('base64');
      const file = await hook(
        'copy.mjs',
        `const secrets = { group: '', version: 'v1', resource: 'secrets' };
        export default async ({ object, client }) => {
          const name = object.metadata.name;
          const api = client.resource(secrets, { namespace: 'shop' });
          for (const [key] of Object.entries(object.data)) {
            for (const op of ['copy', 'move']) {
              const patch = [
                { op: 'add', path: '/metadata/annotations', value: {} },
                { op, from: '/data/' + key, path: '/metadata/annotations/x' },
              ];
              const seen = await api.patch(name, patch, { type: 'json' }).catch((error) => error);
              console.log(op, JSON.stringify(seen), String(seen));
            }
          }
          const [key] = Object.keys(object.data);
          return { actions: [{ patchType: 'json', patch: [{ op: 'copy', from: '/data/' + key, path: '/metadata/annotations/x' }] }] };
        };\n`,
      );
      await using cli = new Cli(['reconcile', 'secrets', '-n', 'shop', '--hook', file, flag, '-v', '9'], {
        env: fixture.env,
      });
      await cli.until(({ stderr }) => /attempt[= ]1\b/.test(stderr), 'the failure of the action');
      cli.kill('SIGTERM');
      const { stdout, stderr } = await cli.ended();
      expect(stderr).toMatch(/move .*would show a value of a Secret/);
      for (const text of [raw, SECRET_VALUE]) expect(stdout + stderr).not.toContain(text);
    },
  );

  it('answers for its finalizer whatever else an update must change', async () => {
    const file = await hook('bye.mjs', "export default (ctx) => ctx.log.info('has run');\n");
    fixture.sandbox.apply(configMap('held', { a: '1' }));
    const held = () => fixture.sandbox.get({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/held');
    const line = [
      'reconcile',
      'configmaps',
      'held',
      '-n',
      'shop',
      '--hook',
      file,
      '--finalizer',
      'example.com/f',
      '--predicate',
      'labels',
    ];
    await using cli = new Cli([...line, '--allow-write'], { env: fixture.env });
    await cli.until(
      (c) => c.stderr.includes('has run'),
      'the run that follows the finalizer, after which only an event can lead to another',
    );
    expect(held()?.metadata.finalizers).toEqual(['example.com/f']);
    fixture.sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'shop/held');
    await cli.until(() => held() === undefined, 'the end of it');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('refuses a hook that cannot be loaded before it watches anything', async () => {
    const file = await hook('enum.ts', 'export enum Color { Red }\nexport default async () => {};\n');
    fixture.sandbox.requests.clear();
    const result = await run(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env: fixture.env });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/enum/i);
    const none = await run(['reconcile', 'pods', '-n', 'shop'], { env: fixture.env });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('--hook');
    expect(fixture.sandbox.requests.matching('/namespaces/shop/pods')).toEqual([]);
  });
});

/** Flags for the fixture's server, as if there were no kubeconfig. */
function server({ sandbox, folder }: Fixture): string[] {
  const ca = path.join(folder, 'ca.pem');
  writeFileSync(ca, sandbox.caPem);
  return ['--server', sandbox.url, '--certificate-authority', ca];
}

function labelOf(name: string): string | undefined {
  const object = fixture.sandbox.get(APPLE_TYPE, `shop/${name}`) as
    | { metadata: { labels?: Record<string, string> } }
    | undefined;
  return object?.metadata.labels?.color;
}

describe('errors about Secrets', () => {
  it.each([
    ['--dry-run', 'text'],
    ['--allow-write', 'json'],
  ])(
    'quote no value, of a patch that the server answers with the whole object: %s, log as %s',
    async (mode, format) => {
      const file = await hook(
        `echoing-${format}.ts`,
        `export default async function reconcile(ctx) {
        const secrets = ctx.client.resource({ group: '', version: 'v1', resource: 'secrets' }, { namespace: ctx.namespace });
        const error = await secrets.patch(ctx.name, { data: ['x'] }, { type: 'merge' }).catch((e) => e);
        ctx.log.info('seen', { message: error.message, stack: error.stack, cause: String(error.cause), status: JSON.stringify(error.status) });
        return { actions: [{ patch: { data: ['x'] } }] };
      }`,
      );
      const args = [
        'reconcile',
        'secrets',
        '-n',
        'shop',
        '--hook',
        file,
        mode,
        '--max-retries',
        '0',
        '--log-format',
        format,
        '-v',
        '9',
      ];
      await using cli = new Cli(args, { env: fixture.env });
      await cli.until((c) => c.stderr.includes('parked'), 'the key to be parked');
      cli.kill('SIGTERM');
      const { stdout, stderr } = await cli.ended();
      expect(stderr).toContain('given up');
      for (const text of [SECRET_VALUE, Buffer.from(SECRET_VALUE).toString('base64')])
        expect(stdout + stderr).not.toContain(text);
    },
  );

  it('--map makes no key of a value', async () => {
    const args = (map: string) => [
      'reconcile',
      'pods',
      '-n',
      'shop',
      '--exec',
      'true',
      '--watches',
      'secrets',
      '--map',
      map,
    ];
    for (const map of ['.data.password', '{.stringData.x}', '.data']) {
      expect(await run(args(map), { env: fixture.env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('would make keys of the values'),
      });
    }
    await using cli = new Cli([...args('..password'), '-v', '9'], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('--map finds values of Secrets'), 'the notice');
    cli.kill('SIGTERM');
    const { stdout, stderr } = await cli.ended();
    for (const text of [SECRET_VALUE, Buffer.from(SECRET_VALUE).toString('base64')])
      expect(stdout + stderr).not.toContain(text);
  });
});

describe('files that cannot be read', () => {
  it.each([
    ['--load', ['sandbox', '--load']],
    ['--config', ['watch', 'pods', '--config']],
  ])('%s says what is wrong where, and shows none of the lines around', async (_, args) => {
    const file = path.join(fixture.folder, 'broken.yaml');
    await writeFile(file, 'kind: Secret\nstringData:\n  password: hunter2\n  token: [\n  other: hunter2\n');
    const { code, stderr } = await run([...args, file], { env: fixture.env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/broken\.yaml.*\(line \d+, column \d+\)/)]);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('a reconcile is never silent', () => {
  it('says once that it runs, and passes on what a command prints beside its reply', async () => {
    const args = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--exec', 'echo hello {{.metadata.name}}'];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until((c) => c.stdout.includes('|'), 'the line of the command');
    cli.kill('SIGTERM');
    const { stdout, stderr } = await cli.ended();
    expect(stdout).toBe('shop/web-1 | hello web-1\n');
    expect(stderr).toMatch(/^1 pod, hook echo, 1 worker$/m);
  });

  it('refuses a placeholder of --exec with a field that the type does not have, before anything runs', async () => {
    for (const [path, near] of [
      ['.metadata.nme', '.metadata.name'],
      ['.spec.containers[*].imag', '.spec.containers[*].image'],
    ]) {
      const args = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--exec', `echo rm {{${path}}} x`];
      const { code, stdout, stderr } = await run(args, { env: fixture.env });
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: --exec: ${path} is no field of Pod\nhint: did you mean ${near}?\n`,
      });
    }
  });

  it('names all that is missing where neither a type nor a hook is given', async () => {
    const { code, stderr } = await run(['reconcile'], { env: fixture.env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('error: reconcile needs a TYPE, and one of --hook FILE and --exec COMMAND\n'),
    ]);
  });

  it('gives up a key whose placeholder has no value and starts nothing for it, and says at the end how often the hook ran', async () => {
    const line = 'echo rm {{.metadata.labels.none}} x';
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--exec', line], { env: fixture.env });
    await cli.until(({ stderr }) => stderr.includes('.metadata.labels.none has no value'), 'the failure');
    cli.kill('SIGTERM');
    const { code, stdout, stderr } = await cli.ended();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^ended by SIGTERM after \d+s: 1 run, failed$/m);
    expect(stderr).toMatch(
      /^given up until something changes:\nKEY {10,}ATTEMPTS {3}LAST ERROR\nshop\/web-1 +1 {10,}\.metadata/m,
    );
    expect(stderr).not.toContain('again in');
  });

  it('runs a command with the default of a placeholder whose value is not there', async () => {
    const line = 'echo app {{.metadata.labels.none | default "of no team"}}';
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--exec', line], { env: fixture.env });
    await cli.until(({ stdout }) => stdout.includes('shop/web-1 | app of no team\n'), 'the run');
    cli.kill('SIGTERM');
    await cli.ended();
  });

  it('passes on what an executable prints before its reply, and of a run that fails', async () => {
    const file = await hook(
      'chatty.sh',
      '#!/bin/sh\ncat > /dev/null\necho "one \\033[31m"\necho two\n[ "$INFORMER_ATTEMPT" = 1 ] && exit 75\necho \'{"actions":[{"log":"replied"}]}\'\n',
    );
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('replied'), 'the reply of the second run');
    cli.kill('SIGTERM');
    const { stdout } = await cli.ended();
    expect(stdout).toMatch(/^(shop\/web-1 \| one \S+\nshop\/web-1 \| two\n){2}$/);
    expect(stdout).not.toContain('\x1b');
  });

  it('refuses a command that cannot reach the cluster, and names --pass-credentials and a KUBECONFIG of its own', async () => {
    for (const [tool, ...line] of [
      ['kubectl', '--exec', 'kubectl get pods'],
      ['kubectl', '--exec', 'env A=1 timeout 5 kubectl label pod {{.metadata.name}} a=b'],
      ['helm', '--exec', 'true; helm ls', '--shell'],
    ]) {
      const { code, stdout, stderr } = await run(['reconcile', 'pods', '-n', 'shop', ...line], { env: fixture.env });
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: --exec runs ${tool} without a way to the cluster: its KUBECONFIG is empty\nhint: --pass-credentials gives it that of this command; --exec 'env KUBECONFIG=FILE ${tool} …' gives it another one\n`,
      });
    }
  });

  it('names --pass-credentials at once when a script, or a program behind a command, needs the cluster', async () => {
    const script = '#!/bin/sh\n# says kubectl get\nif [ -z "$X" ]; then\n  kubectl get pods\nfi\n';
    for (const command of [
      ['--exec', "sh -c 'kubectl get pods'"],
      ['--hook', await hook('tool.sh', script)],
    ]) {
      await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', ...command], { env: fixture.env });
      await cli.until((c) => c.stderr.includes('--pass-credentials gives it one'), 'the notice');
      expect(cli.stderr).toContain('the hook runs kubectl without a way to the cluster');
      cli.kill('SIGTERM');
      await cli.ended();
    }
  });

  const SHOWN = 'actions are shown, not sent; --allow-write sends them, --dry-run lets the server check them';
  const FREE = (what: string, reply: string) =>
    `the ${what} has your credentials: what it does itself is done, and only what it replies ${reply}`;
  const SILENT = '#!/bin/sh\necho ran >&2\n';
  const PATCHES = 'echo \'{"actions":[{"patch":{"metadata":{"labels":{"a":"b"}}}}]}\'; echo ran >&2';

  it.each<[string, () => Promise<string[]>, string[]]>([
    ['a module', async () => ['--hook', await hook('told.mjs', 'export default () => console.log("ran")')], [SHOWN]],
    ['an executable', async () => ['--hook', await hook('told.sh', SILENT)], [SHOWN]],
    [
      'an executable with credentials',
      async () => ['--hook', await hook('told.sh', SILENT), '--pass-credentials'],
      [FREE('hook', 'needs --allow-write')],
    ],
    [
      'a command with credentials',
      async () => ['--exec', 'sh -c "echo ran >&2"', '--pass-credentials'],
      [FREE('command', 'needs --allow-write')],
    ],
    [
      'a dry run of a command with credentials',
      async () => ['--exec', 'sh -c "echo ran >&2"', '--pass-credentials', '--dry-run'],
      [FREE('command', 'is only checked')],
    ],
    [
      'a command with credentials that may write',
      async () => ['--exec', 'sh -c "echo ran >&2"', '--pass-credentials', '--allow-write'],
      [],
    ],
    ['a command that replies nothing', async () => ['--exec', 'sh -c "echo ran >&2"'], []],
    ['a command that replies an action', async () => ['--shell', '--exec', PATCHES], [SHOWN]],
  ])('says what is true of %s about what it may do, and no more', async (_, line, expected) => {
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', ...(await line())], { env: fixture.env });
    await cli.until(({ stderr }) => stderr.includes('| ran'), 'the run');
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr.split('\n').filter((each) => /not sent|has your credentials/.test(each))).toEqual(expected);
  });

  it('does not name it for a script that only speaks of kubectl', async () => {
    const file = await hook('talk.sh', '#!/bin/sh\n# kubectl get\necho "try kubectl get pods" >&2\n');
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('web-1 | try kubectl'), 'the run');
    expect(cli.stderr).not.toContain('--pass-credentials');
  });

  it('says at Ctrl-C which writes it gives up, and does not wait for the hooks that wanted them', async () => {
    const file = await hook(
      'many.ts',
      `export default async ({ object, client }: any) => {
        const maps = client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'shop' });
        for (let n = 0; n < 3; n++) {
          console.log('asks');
          await maps.patch('settings', { metadata: { labels: { n: String(n) } } }, { type: 'merge' });
        }
        return { actions: [{ patch: { metadata: { labels: { never: 'sent' } } } }] };
      };`,
    );
    const args = ['reconcile', 'pods', '-n', 'shop', '--hook', file, '--allow-write', '--max-writes', '2/h'];
    await using cli = new Cli([...args, '--workers', '2'], { env: fixture.env });
    await cli.until((c) => c.stderr.split('| asks').length === 5, 'two writes that were sent, and two that wait');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stderr).toContain('writes are delayed');
    expect(stderr).toContain(
      '\n2 delayed writes are given up, because the program is asked to end; nothing of it was sent\n',
    );
    expect(stderr).not.toContain('waiting for the hook');
    expect(stderr).not.toContain('again in');
  });

  it('says what --max-writes holds back, and gives it up at the first Ctrl-C', async () => {
    const file = await hook(
      'hot.sh',
      '#!/bin/sh\ncat > /dev/null\necho "{\\"actions\\":[{\\"patch\\":{\\"data\\":{\\"n\\":\\"$(date +%N)\\"}}}]}"\n',
    );
    fixture.sandbox.apply(configMap('hot', {}));
    const args = [
      'reconcile',
      'configmaps',
      'hot',
      '-n',
      'shop',
      '--hook',
      file,
      '--allow-write',
      '--max-writes',
      '3/m',
    ];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until((c) => /writes are delayed: more than 3 in 60s.*--max-writes/.test(c.stderr), 'the notice');
    cli.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    expect([code, stdout.split('\n').filter((line) => line.includes('patch ')).length]).toEqual([0, 3]);
  });

  it('holds writes to a limit also where none is given, and says so', async () => {
    const file = await hook(
      'loop.ts',
      'let n = 0; export default async () => ({ actions: [{ patch: { data: { n: String(n++) } } }] });',
    );
    fixture.sandbox.apply(configMap('loop', {}));
    const args = ['reconcile', 'configmaps', 'loop', '-n', 'shop', '--hook', file, '--allow-write', '--hot-loop=0'];
    await using cli = new Cli(args, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('the default of --max-writes'), 'the notice');
    cli.kill('SIGINT');
    const { stdout } = await cli.ended();
    expect(stdout.split('\n').filter((line) => line.includes('patch '))).toHaveLength(600);
  });

  it('says at the start which of the named objects do not exist yet', async () => {
    const line = (...names: string[]) => ['reconcile', 'pods', ...names, '-n', 'shop', '--exec', 'true'];
    for (const [names, text] of [
      [['web-8'], '0 pods, web-8 does not exist yet, hook true'],
      [['web-9', 'web-1', 'web-8'], '1 pod, web-9 and web-8 do not exist yet, hook true'],
    ] as const) {
      await using cli = new Cli(line(...names), { env: fixture.env });
      await cli.until((c) => c.stderr.includes(text), text);
      cli.kill('SIGTERM');
      await cli.ended();
    }
  });

  it('says at Ctrl-C what it waits for', async () => {
    const file = await hook('slow.sh', '#!/bin/sh\ncat > /dev/null\necho started >&2\nexec sleep 600\n');
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('started'), 'the run');
    cli.kill('SIGINT');
    await cli.until(
      (c) => c.stderr.includes('waiting for the hook to finish shop/web-1, for at most 25s (--grace); a second signal'),
      'the notice',
    );
    cli.kill('SIGKILL');
    await cli.ended();
  });

  it('says in the words of JavaScript, with file and line, what a module throws', async () => {
    const file = await hook(
      'thrower.ts',
      'interface T { a: number }\n\nexport default async (ctx: any) => {\n  const t: T = ctx.nothing.x;\n  return;\n};\n',
    );
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('failed (attempt 1)'), 'the failure');
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr).toContain("TypeError: Cannot read properties of undefined (reading 'x') (at thrower.ts:4:");
    expect(stderr).not.toContain('panic');
  });
});

describe('a reconcile that ends while the server is away', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s says last since when, and that what changed was not reconciled',
    async (signal) => {
      await using own = await startFixture();
      const file = await hook('quiet.sh', '#!/bin/sh\ncat > /dev/null\n');
      const args = ['reconcile', 'pods', '-n', 'shop', '--hook', file];
      await using cli = new Cli(args, { env: own.env });
      await cli.until((c) => c.stderr.includes('2 pods, hook quiet.sh'), 'the start');
      await own.sandbox.stop();
      await cli.until((c) => c.stderr.includes('trying again'), 'the outage');
      cli.kill(signal);
      const { stderr, code } = await cli.ended();
      expect(stderr).toMatch(
        /\ndisconnected since \d\d:\d\d:\d\d, \d+s not seen; what changed meanwhile was not reconciled\n$/,
      );
      expect(code).toBe(0);
    },
  );

  it('names the types that were away where others were not, below what was given up', async () => {
    await using own = await startFixture();
    const file = await hook('parking.sh', '#!/bin/sh\ncat > /dev/null\nexit 65\n');
    await using cli = new Cli(
      ['reconcile', 'pods', 'web-1', '-n', 'shop', '--watches', 'configmaps', '--map', '.data.pod', '--hook', file],
      {
        env: own.env,
      },
    );
    await cli.until((c) => c.stderr.includes('given up until something changes'), 'the key that is parked');
    own.sandbox.faults.add({
      fault: { kind: 'status', code: 503 },
      match: { path: '/configmaps' },
      times: Number.POSITIVE_INFINITY,
    });
    await own.sandbox.restart({ keepHistory: true, downMs: 100 });
    await cli.until(
      (c) => c.stderr.includes('pods in shop: watch resumed') && c.stderr.includes('configmaps in shop: '),
      'the outage',
    );
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr).toMatch(
      /given up until something changes:\n[\s\S]*shop\/web-1[\s\S]*\nconfigmaps disconnected since [^\n]* was not reconciled\n$/,
    );
  });
});

describe('what a module leaves behind', () => {
  it('a rejection that is not awaited and a callback that throws are reported with hook and key, and end nothing', async () => {
    const file = await hook(
      'careless.ts',
      `export default async ({ key, log }) => {
        if (key === 'shop/web-1') {
          Promise.reject(new Error('this is not awaited'));
          setTimeout(() => { throw new Error('this comes late'); }, 1);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
        log.info('finished');
      };`,
    );
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env: fixture.env });
    await cli.until(
      (c) => /finished.*web-2|web-2.*finished/.test(c.stderr) && c.stderr.includes('this comes late'),
      'the other key',
    );
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    for (const text of ['this is not awaited', 'this comes late']) {
      expect(stderr.split('\n').find((line) => line.includes(text))).toMatch(
        /^shop\/web-1: ERROR the hook left an error behind: nothing awaits what it started: Error: this .*careless\.ts:\d+/,
      );
    }
  });
});

describe('a hot loop', () => {
  const LOOP = `export default (ctx) => ctx.object && ({
    actions: [{ patch: { metadata: { annotations: { at: String(process.hrtime.bigint()) } } } }],
  });\n`;

  it('is parked after 10 runs by its own writes; the log names the key, the field and what to do', async () => {
    fixture.sandbox.apply(apple('looping', 'red'));
    const file = await hook('loop.mjs', LOOP);
    const line = ['reconcile', 'myapples', 'looping', '-n', 'shop', '--hook', file, '--allow-write'];
    await using cli = new Cli(line, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('a hot loop: 10 runs'), 'the loop');
    expect(cli.stderr).toContain('.metadata.annotations.at');
    expect(cli.stderr).toContain('shop/looping');
    expect(cli.stderr).toContain('Write only when something differs');
    const version = () => fixture.sandbox.get(APPLE_TYPE, 'shop/looping')?.metadata.resourceVersion;
    const parkedAt = version();
    fixture.sandbox.apply(apple('looping', 'green')); // another writer
    await cli.until((c) => c.stderr.split('a hot loop: 10 runs').length === 3, 'the loop after a change');
    expect(version()).not.toBe(parkedAt);
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /given up until something changes:\nKEY +ATTEMPTS +LAST ERROR\nshop\/looping +10 +hot loop: 10 runs/,
    );
  });

  it('of a hook that writes with a client of its own is suspected, and goes on', async () => {
    fixture.sandbox.apply(apple('turning', 'red'));
    const { url, token } = fixture.sandbox;
    const file = await hook(
      'turn',
      `#!/usr/bin/env node
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      const headers = { authorization: 'Bearer ${token}', 'content-type': 'application/merge-patch+json' };
      const body = JSON.stringify({ metadata: { annotations: { at: String(process.hrtime.bigint()) } } });
      const path = '/apis/stable.example.com/v1/namespaces/shop/myapples/turning';
      fetch('${url}' + path, { method: 'PATCH', headers, body }).then(() => setTimeout(() => {}, 50));\n`,
    );
    const line = ['reconcile', 'myapples', 'turning', '-n', 'shop', '--hook', file];
    await using cli = new Cli(line, { env: fixture.env });
    await cli.until((c) => c.stderr.includes('a hot loop? 10 runs'), 'the suspicion');
    const versionOf = () => fixture.sandbox.get(APPLE_TYPE, 'shop/turning')?.metadata?.resourceVersion;
    for (let round = 0; round < 2; round += 1) {
      const before = versionOf();
      await cli.until(() => versionOf() !== before, 'a further write');
    }
    expect(cli.stderr).not.toContain('parked');
  });
});
