import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { APPLES, apple, configMap, type Fixture, startFixture } from '../support/fixture.ts';
import { type RawSocketScript, rawSocketScript, socketScript } from '../support/socket-script.ts';

let fixture: Fixture;
/** Discovery is on disk already: what goes wrong then goes wrong in the informers. */
let cached: string;
beforeAll(async () => {
  fixture = await startFixture();
  cached = path.join(fixture.folder, 'cache');
  await run(['query', 'pods', '-n', 'shop', '--cache-dir', cached], { env: fixture.env });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const commands = ['watch', 'query'] as const;

describe.each(commands)('%s ends with what is wrong and the next step', (command) => {
  const line = (...flags: string[]) =>
    run([command, 'pods', '-n', 'shop', '--timeout', '20s', ...flags], { env: fixture.env });

  it.each([
    [
      'the server does not know the token',
      ['--token=bad'],
      /^error: You must be logged in to the server \(Unauthorized\)/,
    ],
    [
      'the certificate is for another name',
      ['--tls-server-name=other.example'],
      /^error: .*tls: failed to verify certificate/,
    ],
    ['no server listens', ['--server=https://127.0.0.1:1'], /^error: .*127\.0\.0\.1:1 was refused/],
  ])('when %s', async (_, flags, text) => {
    for (const folder of [cached, path.join(fixture.folder, 'none')]) {
      const { code, stdout, stderr } = await line(...flags, '--cache-dir', folder);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(text);
      expect(stderr).toMatch(/^hint: /m);
      expect(stderr.split('\n')).toHaveLength(3);
    }
  });
});

describe('a server that never answers', () => {
  let silent: RawSocketScript;
  let flags: string[];
  beforeAll(async () => {
    silent = await rawSocketScript();
    flags = ['-n', 'shop', '--server', silent.url];
  });
  afterAll(() => silent[Symbol.asyncDispose]());

  it.each([
    ['watch', 'SIGINT', 130],
    ['query', 'SIGTERM', 143],
    ['reconcile', 'SIGINT', 130],
  ] as const)('lets %s end by %s at once', async (command, signal, code) => {
    const hook = command === 'reconcile' ? ['--exec', 'true'] : [];
    await using cli = new Cli([command, 'pods', ...flags, ...hook, '-v', '9']);
    await Promise.race([once(silent.server, 'connection'), cli.ended()]);
    const [started] = [performance.now(), cli.kill(signal)];
    expect(await cli.ended()).toMatchObject({ code, signal: null, stdout: '' });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it.each(commands)('is given up by %s after --timeout', async (command) => {
    const { code, stdout, stderr } = await run([command, 'pods', ...flags, '--timeout', '500ms']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^error: .*127\.0\.0\.1.*--timeout/m);
    expect(stderr).toMatch(/^hint: /m);
  });
});

describe('a server that accepts and says nothing', () => {
  const ONE_SHOT = [
    ['query', []],
    ['watch', ['--once']],
  ] as const;
  /** The discovery of a real server; every other request stalls. */
  const stalling = (where: 'at once' | 'headers' | 'body') =>
    socketScript((request, response) => {
      if (where === 'at once') return;
      const { pathname } = new URL(request.url ?? '', 'http://x');
      if (pathname === '/api' || pathname === '/apis') {
        const pods = {
          resource: 'pods',
          responseKind: { kind: 'Pod' },
          scope: 'Namespaced',
          verbs: ['list', 'watch'],
          singularResource: 'pod',
        };
        const versions =
          pathname === '/api' ? [{ metadata: {}, versions: [{ version: 'v1', resources: [pods] }] }] : [];
        response.end(JSON.stringify({ kind: 'APIGroupDiscoveryList', items: versions }));
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      if (where === 'body') response.write('{"kind":"PodList","apiVersion":"v1",');
      else response.flushHeaders();
    });

  it.concurrent.each(
    ONE_SHOT.flatMap(([command, flags]) =>
      (['at once', 'headers', 'body'] as const).map((where) => [command, where, flags] as const),
    ),
  )(
    'is given up by %s after 30 s, stalled in its %s, without any flag',
    async (command, where, flags) => {
      await using server = await stalling(where);
      const startedAt = performance.now();
      const { code, stdout, stderr } = await run([
        command,
        'pods',
        '-n',
        'shop',
        '-o',
        'name',
        '--server',
        server.url,
        ...flags,
      ]);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toBe(
        `error: ${server.url} has not sent a byte for 30s\nhint: is it the right server, and does a proxy on the way work? --timeout sets how long to wait instead\n`,
      );
      expect(performance.now() - startedAt).toBeGreaterThan(29_000);
    },
    90_000,
  );

  it.concurrent.each(ONE_SHOT)('is given up by %s after --request-timeout', async (command, flags) => {
    for (const where of ['at once', 'headers'] as const) {
      await using server = await stalling(where);
      const { code, stderr } = await run([
        command,
        'pods',
        '-n',
        'shop',
        '--server',
        server.url,
        '--request-timeout',
        '300ms',
        ...flags,
      ]);
      expect(code).toBe(3);
      expect(stderr).toMatch(/^error: .*GET \S+: no complete answer within 0.3s.*\nhint: .*--request-timeout/m);
    }
  });
});

it.each([false, true])('http to a port with TLS is named, and no usage error; discovery known: %s', async (isKnown) => {
  await using server = await socketScript(({ url }, response) => {
    if (isKnown && url?.startsWith('/api')) {
      const pods = {
        resource: 'pods',
        responseKind: { kind: 'Pod' },
        scope: 'Namespaced',
        verbs: ['list'],
        singularResource: 'pod',
      };
      const items = url === '/api' ? [{ metadata: {}, versions: [{ version: 'v1', resources: [pods] }] }] : [];
      if (url === '/api' || url === '/apis')
        return void response.end(JSON.stringify({ kind: 'APIGroupDiscoveryList', items }));
    }
    response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.\n'); // what Go's servers answer
  });
  const { code, stdout, stderr } = await run(['query', 'pods', '-n', 'shop', '--server', server.url]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: .*Client sent an HTTP request to an HTTPS server/);
  expect(stderr).toMatch(/^hint: the server wants TLS: write it https:\/\//m);
});

describe('a discovery that cannot be had is no wrong type', () => {
  it.each([
    ['an HTML page', 200, '<html>log in</html>', /is not a list of types but an HTML page/],
    ['null', 200, 'null', /is not a list of types but JSON without a kind/],
    ['a failure', 500, '{}', /500|error on the server/],
  ])('%s', async (_, status, body, text) => {
    for (const broken of [['/api'], ['/api', '/apis']]) {
      await using server = await socketScript((request, response) => {
        const isBroken = broken.includes(request.url ?? '');
        response
          .writeHead(isBroken ? status : 200)
          .end(isBroken ? body : JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [] }));
      });
      const { code, stdout, stderr } = await run(['query', 'pods', '-n', 'shop', '--server', server.url]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(text);
      expect(stderr).toMatch(/^hint: /m);
      expect(stderr).not.toContain('Cannot read');
    }
  });
});

it.each(commands)('%s says what did not sync within --timeout', async (command) => {
  await using own = await startFixture();
  own.sandbox.faults.add({
    fault: { kind: 'status', code: 500 },
    match: { path: '/pods' },
    times: Number.POSITIVE_INFINITY,
  });
  const { code, stdout, stderr } = await run([command, 'cm,pods', '-n', 'shop', '-o', 'name', '--timeout', '1s'], {
    env: own.env,
  });
  expect(code).toBe(3);
  expect(stdout).toBe(command === 'watch' ? 'configmap/settings\n' : '');
  expect(stderr).toMatch(/^error: no initial sync of pods within --timeout\nhint: /m);
});

it.each(commands)('%s asks again when its first answer breaks off', async (command) => {
  await using own = await startFixture();
  own.sandbox.faults.add({ fault: { kind: 'cut' }, match: { path: '/pods', watch: false }, times: 2 });
  const once = command === 'watch' ? ['--once'] : [];
  const { code, stdout, stderr } = await run([command, 'pods', '-n', 'shop', '-o', 'name', ...once], { env: own.env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'pod/web-1\npod/web-2\n' });
  expect(stderr).toMatch(/trying again/);
});

it.each(commands)('%s says so when a type it knew is gone, and forgets it', async (command) => {
  await using own = await startFixture([APPLES, apple('fuji', 'red')]);
  const line = [
    command,
    'myapples',
    '-n',
    'shop',
    '-o',
    'name',
    '--timeout',
    '20s',
    '--cache-dir',
    path.join(own.folder, 'cache'),
  ];
  expect((await run(['query', ...line.slice(1)], { env: own.env })).stdout).toBe('myapple.stable.example.com/fuji\n');
  own.sandbox.delete(
    { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
    APPLES.metadata.name,
  );
  const first = await run(line, { env: own.env });
  expect(first).toMatchObject({ code: 2, stdout: '' });
  expect(first.stderr).toMatch(
    /^error: the server doesn't have a resource type "myapples.stable.example.com" any more\nhint: /,
  );
  const second = await run(line, { env: own.env });
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toMatch(/^error: the server doesn't have a resource type "myapples"\nhint: /);
});

it.each([
  ['query', []],
  ['watch', ['--once']],
])('%s looks a type up again when the version it knew is gone', async (command, flags) => {
  await using own = await startFixture([APPLES, apple('fuji', 'red')]);
  const cache = ['--cache-dir', path.join(own.folder, 'cache')];
  const line = [command, 'myapples', '-n', 'shop', '-o', 'name', ...cache, ...flags];
  expect((await run(line, { env: own.env })).stdout).toBe('myapple.stable.example.com/fuji\n');
  const [version] = APPLES.spec.versions;
  const versions = [
    { ...version, served: false },
    { ...version, name: 'v2', storage: false },
  ];
  own.sandbox.apply([{ ...APPLES, spec: { ...APPLES.spec, versions } }]);
  expect(await run(line, { env: own.env })).toMatchObject({
    code: 0,
    stdout: 'myapple.stable.example.com/fuji\n',
    stderr: '',
  });
});

it('never calls a watch resumed that the server then refuses', async () => {
  await using own = await startFixture();
  await using cli = new Cli(['watch', 'configmaps', '-n', 'shop', '-o', 'name'], { env: own.env });
  await cli.until((c) => c.lines.length === 1, 'the initial state');
  const restarting = own.sandbox.restart({ keepHistory: false, downMs: 200 });
  own.sandbox.apply(configMap('meanwhile', {}));
  await restarting;
  await cli.until((c) => c.stderr.includes('relisted'), 'the relist');
  cli.kill('SIGTERM');
  const { stderr } = await cli.ended();
  expect(stderr).not.toContain('nothing was missed');
  expect(stderr).toMatch(/1 relist, 1 gap\n$/);
});

it('reports an outage once for all types that it hits', async () => {
  await using own = await startFixture();
  own.sandbox.apply(configMap('elsewhere', {}, 'other'));
  await using cli = new Cli(['watch', 'pods,configmaps', '-n', 'shop,other', '-o', 'name'], { env: own.env });
  await cli.until((c) => c.lines.length === 5, 'the initial state, of which each of the four lists has a part');
  await own.sandbox.restart({ keepHistory: true, downMs: 1500 });
  await cli.until((c) => c.stderr.split('watch resumed at').length === 5, 'all watches to go on');
  expect(cli.stderr.split('was refused')).toHaveLength(2);
});

describe('a command line that cannot be', () => {
  it.each([
    [['sandbox', 'pods'], 'sandbox takes no arguments'],
    [['version', 'please'], 'version takes no arguments'],
    [['sandbox', '--port', '99999'], 'from 0 to 65535'],
    [['sandbox', '--kubeconfig', '/nonexistent/folder/file'], 'cannot write the kubeconfig'],
    [['--halp'], 'unknown flag: --halp'],
    [['-n', 'shop'], 'a command is missing'],
    [['watch', 'pods', '--live', '-o', 'json'], '--live is a table'],
    [['watch', 'pods', '--filter', 'object.metadata.name ='], '--filter'],
    [['watch', 'pods', '--filter', 'objekt.metadata.name == "x"'], 'objekt'],
    [['watch', 'pods', '--until', '1 + 1'], '--until'],
    [['watch', 'pods', '--for', 'ready'], 'unrecognized condition: "ready"'],
    [['watch', 'pods', '--for', 'rolout'], 'hint: did you mean --for rollout? --for takes create'],
    [['watch', 'pods', '--for', 'Ready=false'], 'hint: did you mean --for condition=Ready=false? --for takes'],
    [['watch', 'pods', '--stays', '3s'], '--stays needs something'],
    [['watch', 'pods', '--predicate', 'name'], 'expected one of generation, labels'],
    [['watch', 'pods', '--changed', '.spec['], '--changed'],
    [['watch', 'pods', '--markers', '-o', 'name'], '--markers has no place in -o name'],
    [['watch', 'pods', '--overflow', 'sometimes'], 'one of block, coalesce, drop'],
    [['watch', 'pods', '-o', 'jq=.['], 'jq'],
    [['watch', 'pods', '-o', 'go-template={{.x}}'], 'use -o jsonpath'],
    [['query', 'pods', '-o', 'diff'], 'diff'],
    [
      ['query', 'pods', '--watch', '-o', 'csv'],
      '-o csv cannot be used with --watch: it prints one table\nhint: leave out',
    ],
    [['serve'], "name a type to cache\nhint: for example 'kubectl-informer serve pods,deploy'"],
    [['optoins'], "hint: did you mean 'kubectl-informer options'?"],
    [['wach', '--help'], "hint: did you mean 'kubectl-informer watch'?"],
    [['config', 'x'], "error: config is incomplete\nhint: use 'kubectl-informer config show'"],
    [['get', 'pods'], "hint: use 'kubectl-informer query TYPE'"],
    [['logs', 'web'], 'unknown command "logs"\nhint: kubectl has it: \'kubectl logs\''],
    [['gizmos'], "hint: to look at a type, 'kubectl-informer query gizmos' or 'kubectl-informer watch gizmos'; 'kub"],
    [['watch', 'pods', '-o', 'tabel'], 'hint: without -o it is a table'],
    [
      ['query', 'pods', '-o', 'csv=NAME,STATUS'],
      'error: -o csv=…: the column "NAME" has no path\nhint: columns of your own are HEADING:PATH',
    ],
    [['watch', 'pods', '--timeout', '5'], 'for "--timeout": expected a duration such as 30s, 5m, 1h30m or 2d\n'],
    [['watch', 'pods', '--timeout', '300y'], 'for "--timeout": expected a duration of at most 292 years'],
    [
      ['watch', 'pods', '--filter', 'object.status.phase', '==', 'Running', '--sandbox'],
      'hint: an expression with blanks needs quotes around it',
    ],
    [
      ['query', 'pods', '--at-least-rv', 'abc'],
      'invalid argument "abc" for "--at-least-rv": expected a resourceVersion',
    ],
    [['options', '--context', 'x'], 'unknown flag: --context'],
    [
      ['watch', 'pods', '--context'],
      "flag needs an argument: --context\nhint: see 'kubectl-informer options' for usage",
    ],
    [['watch', 'pods', '--sandbox=maybe'], "hint: see 'kubectl-informer options' for usage"],
    [['watch', 'pods', '-s'], "flag needs an argument: 's' in -s\nhint: see 'kubectl-informer options' for usage"],
    [
      ['watch', 'pods', '--where'],
      "flag needs an argument: --where\nhint: see 'kubectl-informer watch --help' for usage",
    ],
    [
      ['sandbox', '--config'],
      "flag needs an argument: --config\nhint: see 'kubectl-informer sandbox --help' for usage",
    ],
  ])('%j is refused before anything else, with nothing on stdout', async (line, text) => {
    const { code, stdout, stderr } = await run(line, { env: { KUBECONFIG: '/nonexistent' } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(text);
  });
});

describe('help', () => {
  it('of a group with one command is that command’s', async () => {
    const { code, stdout } = await run(['config', 'show', '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('config show [COMMAND]') });
    for (const line of [
      ['config', '--help'],
      ['config', '-h'],
      ['help', 'config'],
      ['help', 'config', 'show'],
    ]) {
      expect((await run(line)).stdout).toBe(stdout);
    }
  });

  it.each([['queue'], ['queue', '--help'], ['queue', '-h'], ['help', 'queue']])(
    'of a group with several commands lists them: %s %s',
    async (...line) => {
      const { code, stdout, stderr } = await run(line.filter((word) => word !== undefined));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const name of ['queue list', 'queue retry', 'queue drop'])
        expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
    },
  );

  it('is what a word gets that needs another one', async () => {
    expect(await run(['config'])).toMatchObject(await run(['config', '--help']));
  });

  it('of the flags that commands share is behind options, under either name of the program', async () => {
    const { code, stdout, stderr } = await run(['options'], { env: { KUBECONFIG: '/nonexistent' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ {6}--context=NAME /m);
    expect(stdout).toContain("Use 'kubectl-informer COMMAND --help'");
    const plugin = path.join(fixture.folder, 'kubectl-informer'); // as an installation links it
    await symlink(path.resolve(import.meta.dirname, '../../bin/run.js'), plugin);
    expect((await run(['options'], { script: plugin })).stdout).toContain("Use 'kubectl informer COMMAND --help'");
    expect((await run(['watch', '--help'], { script: plugin })).stdout).toMatch(
      /\nUse 'kubectl informer options' for the flags .*\n$/,
    );
    expect((await run([], { script: plugin })).stdout).toContain('$ kubectl informer watch pods -A --sandbox --live');
  });

  it('ends quietly when its reader has enough', async () => {
    await using cli = new Cli(['watch', '--help', '--help']);
    cli.child.stdout?.destroy();
    expect(await cli.ended()).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([[], ['watch'], ['query'], ['reconcile'], ['sandbox'], ['version']])(
    'set by the build says what the program itself would: %j',
    async (...words) => {
      const set = await run([...words, '--help']);
      const live = await run([...words, '--help', '--help']); // no plain request, so it is worked out
      expect(set).toEqual(live);
      expect(set.stdout.length).toBeGreaterThan(60);
      expect((await run(['help', ...words])).stdout).toBe(set.stdout);
    },
  );

  it.each(['watch', 'query', 'reconcile', 'sandbox'])(
    'of %s says nothing twice and promises no flag that is refused',
    async (command) => {
      const { stdout } = await run([command, '--help']);
      expect(stdout).not.toContain('[no-]');
      const [summary = ''] = stdout.split('\n');
      expect(stdout.split(summary)).toHaveLength(2);
      const places = [...stdout.matchAll(/^ {2}(?:-\w, | {4})?(--\S+) /gm)].map(([line]) => line.indexOf('--'));
      expect(places.length).toBeGreaterThan(5);
      // sections without a short flag have no room for one
      expect(places.filter((place) => place !== 6 && place !== 2)).toEqual([]);
    },
  );
});

it('a 401 names the token that has expired, in a watch and in a question', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'none' })}.${part({ exp: Date.UTC(2020, 0, 31) / 1000 })}.${part({})}`;
  for (const command of ['watch', 'query']) {
    const { code, stderr } = await run([command, 'pods', '--token', token], { env: fixture.env });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: You must be logged in to the server \(Unauthorized\)\nhint: the token expired at 2020-01-31T00:00:00Z, \S+ ago: log in again with the tool that wrote the kubeconfig\n$/,
    );
    expect(stderr).not.toContain(token);
  }
});
