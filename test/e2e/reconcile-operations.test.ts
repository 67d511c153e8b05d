import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load } from 'js-yaml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';
import { valuesIn } from '../support/prometheus.ts';

let fixture: Fixture;
let runtime: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  runtime = await mkdtemp(path.join(tmpdir(), 'run-'));
  env = { ...fixture.env, XDG_RUNTIME_DIR: runtime };
});
afterEach(() => rm(runtime, { recursive: true, force: true }));

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

/** Fails for web-1 for good, for web-2 for now; all others are fine. */
const MIXED = '#!/bin/sh\ncat > /dev/null\ncase $INFORMER_KEY in */web-1) exit 65;; */web-2) exit 75;; esac\n';

const command = (...line: string[]) => run(line, { env });
const addressIn = ({ stderr }: Cli) => /pages: (http:\S+)/.exec(stderr)?.[1] ?? '';
const page = async (cli: Cli, at: string) => {
  const answer = await fetch(`${addressIn(cli)}${at}`);
  return { status: answer.status, text: await answer.text() };
};

describe('reconcile --metrics', () => {
  it('serves metrics of queue, controller, informers, requests, hook and process, and no key, object or token', async () => {
    const file = await hook('mixed.sh', MIXED);
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file, '--metrics', ':0'], { env });
    await cli.until((c) => c.stderr.includes('web-2') && c.stderr.includes('web-1'), 'both runs');
    const address = addressIn(cli);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { text } = await page(cli, '/metrics');
    const host = new URL(fixture.sandbox.url).host;
    const values = valuesIn(text);
    expect(values).toMatchObject({
      'controller_runtime_terminal_reconcile_errors_total{controller="mixed.sh"}': 1,
      'kubectl_informer_parked_keys{name="mixed.sh"}': 1,
      'kubectl_informer_hook_exits_total{code="65",hook="mixed.sh"}': 1,
      'kubectl_informer_hook_runs_total{hook="mixed.sh",outcome="permanent"}': 1,
      'kubectl_informer_cache_objects{name="pods"}': 2,
      'reflector_lists_total{name="pods"}': 1,
      'kubectl_informer_synced{name="pods"}': 1,
    });
    expect(values[`rest_client_requests_total{code="200",host="${host}",method="GET"}`]).toBeGreaterThan(0);
    expect(values['workqueue_retries_total{name="mixed.sh"}']).toBeGreaterThan(0);
    expect(values.process_cpu_seconds_total).toBeGreaterThan(0);
    expect(text).not.toMatch(new RegExp(`web-1|${fixture.sandbox.token}`));
    expect((await page(cli, '/readyz')).text).toBe('ok');
    expect((await page(cli, '/debug/explain?key=shop/web-1')).text).toContain('"state": "parked"');
    expect((await page(cli, '/debug/informers')).text).toContain('"objects": 2');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
  });

  it('refuses a port that is taken, and a text that is no address, before anything is asked of a server', async () => {
    const file = await hook('mixed.sh', MIXED);
    await using first = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file, '--metrics', ':0'], { env });
    await first.until((c) => addressIn(c) !== '', 'the address');
    const taken = addressIn(first).replace('http://', '');
    const elsewhere = ['--server', 'http://127.0.0.1:1'];
    const busy = await command('reconcile', 'pods', '--hook', file, '--metrics', taken, ...elsewhere);
    expect([busy.code, busy.stderr]).toEqual([
      1,
      `error: cannot listen on ${taken}: EADDRINUSE\nhint: another program listens there: choose another port, or 0 for a free one\n`,
    ]);
    const odd = await command('reconcile', 'pods', '--hook', file, '--metrics', 'http://x:80', ...elsewhere);
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('"http://x:80" is no address to listen on')]);
  });
});

describe('queue and reconcile explain', () => {
  it('find the running reconcile, list its keys, release and drop them, and explain what led to each state', async () => {
    const file = await hook('mixed.sh', MIXED);
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env });
    await cli.until((c) => /web-2: failed \(attempt [6-9]/.test(c.stderr), 'many retries of web-2');

    const list = await command('queue', 'list');
    expect(list.stdout).toMatch(/^KEY +STATE +PRIORITY +WAITED +DUE +FAILURES +REASON\n/);
    expect(list.stdout).toMatch(/^shop\/web-1 +parked +- +\S+ +- +1 +.*exited with 65$/m);
    expect((await command('queue', 'list', '--parked', '-o', 'name')).stdout).toBe('shop/web-1\n');
    const json = JSON.parse((await command('queue', 'list', '-o', 'json')).stdout);
    expect(json).toMatchObject({
      program: { name: 'mixed.sh', pid: cli.child.pid, type: 'pods', namespaces: ['shop'] },
      controllers: [{ counts: { parked: 1 } }],
    });

    const explained = await command('reconcile', 'explain', 'shop/web-1');
    expect(explained.stdout).toMatch(/^pods shop\/web-1: parked .* ago, after 1 attempt, .*exited with 65\n/);
    expect(explained.stdout).toMatch(/\n {2}[\d:.]{12} {2}initial list \(version \d+\): queued\n/);
    expect(explained.stdout).toMatch(/run \d+, attempt 1, for 1 event, .*failed for good after \d+ms: .*; parked\n/);
    expect(explained.stdout).toContain('→ queue retry shop/web-1 releases it\n');
    const delayed = await command('reconcile', 'explain', 'shop/web-2', '-o', 'json');
    expect(JSON.parse(delayed.stdout).controllers[0]).toMatchObject({ key: 'shop/web-2', isCached: true });

    const retried = await command('queue', 'retry', 'shop/web-1', 'shop/wbe-2');
    expect([retried.code, retried.stdout, retried.stderr]).toEqual([
      1,
      'shop/web-1: released: its failures are forgotten, and it is in line\n',
      expect.stringMatching(
        /^from mixed\.sh .*\nerror: shop\/wbe-2: there is no such key; did you mean shop\/web-2, shop\/web-1\?\n$/,
      ),
    ]);
    await cli.until((c) => (c.stderr.match(/web-1: given up/g) ?? []).length > 1, 'its second run');
    const dropped = await command('queue', 'drop', 'shop/web-1');
    expect([dropped.code, dropped.stdout]).toEqual([
      0,
      'shop/web-1: dropped: nothing runs for it until its next event\n',
    ]);
    expect((await command('reconcile', 'explain', 'shop/web-1')).stdout).toContain('dropped by hand');

    const unknown = await command('reconcile', 'explain', 'web-1');
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toContain('no object web-1 is in the cache');
    expect(unknown.stdout).toContain('did you mean shop/web-1?');
    cli.kill('SIGTERM');
    await cli.ended();
    expect(await readdir(path.join(runtime, 'kubectl-informer', 'run'))).toEqual([]);
  });

  it('name all that run where several do, and take --name or --pid', async () => {
    const one = await hook('one.sh', '#!/bin/sh\ncat > /dev/null\n');
    const two = await hook('two.sh', '#!/bin/sh\ncat > /dev/null\n');
    await using first = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', one], { env });
    await using second = new Cli(['reconcile', 'configmaps', '-A', '--hook', two], { env });
    for (const cli of [first, second]) await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    const several = await command('queue', 'list');
    expect(several.code).toBe(1);
    expect(several.stderr).toMatch(/^error: several reconcile run\n +NAME +PID +TYPE +NAMESPACES/);
    expect(several.stderr).toMatch(new RegExp(`one\\.sh +${first.child.pid} +pods +shop `));
    expect(several.stderr).toMatch(new RegExp(`two\\.sh +${second.child.pid} +configmaps +\\(all\\) `));
    expect(several.stderr).toContain('\nhint: choose one with --name or --pid\n');
    for (const choice of [['--name', 'two.sh'], [`--pid=${second.child.pid}`]]) {
      const chosen = await command('queue', 'list', '-o', 'json', ...choice);
      expect(JSON.parse(chosen.stdout).program.name).toBe('two.sh');
    }
    const none = await command('queue', 'list', '--name', 'three.sh');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no running reconcile fits --name three.sh')]);
  });

  it('are about the reconcile of the cluster and user of the current context; another one only by --name or --pid, and they say whose it is', async () => {
    await using other = await startFixture();
    const file = (name: string) => hook(name, '#!/bin/sh\ncat > /dev/null\nexit 65\n');
    const there = { ...other.env, XDG_RUNTIME_DIR: runtime };
    const words = ['reconcile', 'pods', '-n', 'shop', '--hook'];
    await using here = new Cli([...words, await file('here.sh')], { env });
    await using away = new Cli([...words, await file('away.sh')], { env: there });
    const kubeconfig = load(await readFile(fixture.env.KUBECONFIG ?? '', 'utf8')) as {
      users: { user: object }[];
      contexts: { context: object }[];
    };
    const as = async (name: string) => {
      const { users, contexts } = kubeconfig;
      const file = path.join(fixture.folder, `of-${name}`);
      const mine = {
        ...kubeconfig,
        users: [{ ...users[0], name }],
        contexts: [{ ...contexts[0], context: { ...contexts[0]?.context, user: name } }],
      };
      await writeFile(file, JSON.stringify(mine));
      return { ...env, KUBECONFIG: file };
    };
    const [asBob, asCarol] = [await as('bob'), await as('carol')];
    await using bobs = new Cli([...words, await file('bobs.sh')], { env: asBob });
    for (const cli of [here, away, bobs]) await cli.until((c) => c.stderr.includes('web-1: given up'), 'the start');
    for (const [name, url, options] of [
      ['here.sh', fixture.sandbox.url, { env }],
      ['away.sh', other.sandbox.url, { env: there }],
    ] as const) {
      const list = await run(['queue', 'list', '--parked', '-o', 'name'], options);
      expect([list.stdout, list.stderr]).toEqual([
        expect.stringContaining('shop/web-1\n'),
        expect.stringMatching(new RegExp(`^from ${name} \\(pid \\d+\\) at ${url} \\(context \\S+\\)\n$`)),
      ]);
      const explained = await run(['reconcile', 'explain', 'shop/web-1'], options);
      expect(explained.stdout).toContain(`controller ${name}: running`);
      expect(explained.stderr).toContain(`from ${name} `);
      const asked = await run(['reconcile', 'explain', 'shop/web-1', '-o', 'json'], options);
      expect(JSON.parse(asked.stdout).program).toMatchObject({ name, server: url });
    }
    const dropped = await run(['queue', 'drop', 'shop/none', '-o', 'json'], { env: asBob });
    expect(JSON.parse(dropped.stdout).program.name).toBe('bobs.sh');
    const byName = await run(['queue', 'retry', 'shop/web-1', '--name', 'away.sh'], { env });
    expect([byName.code, byName.stderr]).toEqual([
      0,
      expect.stringContaining(`from away.sh (pid ${away.child.pid}) at ${other.sandbox.url}`),
    ]);
    const none = await run(['queue', 'drop', 'shop/web-1'], { env: asCarol });
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: no reconcile runs for this cluster and user\n +NAME +PID[\s\S]*away\.sh[\s\S]*\nhint: choose one with --name or --pid, or its cluster with --context\n$/,
      ),
    ]);
  });

  it('say what to do where none runs, also after one was killed', async () => {
    const none = await command('reconcile', 'explain', 'shop/web-1');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: no reconcile of this user runs on this machine\nhint: start one: .* reconcile TYPE/,
      ),
    ]);
    const file = await hook('one.sh', '#!/bin/sh\ncat > /dev/null\n');
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env });
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    cli.kill('SIGKILL');
    await cli.ended();
    const folder = path.join(runtime, 'kubectl-informer', 'run');
    expect(await readdir(folder)).toHaveLength(1);
    expect((await command('queue', 'list')).stderr).toContain('no reconcile of this user runs');
    expect(await readdir(folder)).toEqual([]);
  });

  it('show no value of a Secret, whatever the hook did with it', async () => {
    const file = await hook('secret.sh', '#!/bin/sh\ncat >&2\nexit 65\n');
    await using cli = new Cli(['reconcile', 'secrets', '-n', 'shop', '--hook', file, '--metrics', ':0'], { env });
    await cli.until((c) => c.stderr.includes('65'), 'the run');
    const encoded = Buffer.from(SECRET_VALUE).toString('base64');
    const texts = [
      (await command('queue', 'list', '-o', 'json')).stdout,
      (await command('reconcile', 'explain', 'shop/login', '-o', 'json')).stdout,
      ...(await Promise.all(['/metrics', '/debug/queue', '/debug/informers'].map((at) => page(cli, at)))).map(
        ({ text }) => text,
      ),
    ];
    expect(texts[0]).toContain('shop/login');
    expect(texts.join('')).not.toMatch(new RegExp(`${SECRET_VALUE}|${encoded}`));
  });

  it('say so at start where the socket cannot be opened, and reconcile goes on', async () => {
    await mkdir(path.join(runtime, 'kubectl-informer'));
    await chmod(path.join(runtime, 'kubectl-informer'), 0o777);
    const file = await hook('one.sh', '#!/bin/sh\ncat > /dev/null\n');
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file], { env });
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    expect(cli.stderr).toContain('queue and reconcile explain cannot reach this program: the folder');
  });
});

describe('the end of a reconcile', () => {
  it('lets running hooks finish within --grace, starts no others, says what it waits for, and is not ready at once', async () => {
    const gate = path.join(fixture.folder, 'gate');
    const file = await hook(
      'waits.sh',
      `#!/bin/sh\ncat > /dev/null\necho "run $INFORMER_KEY" >&2\nuntil [ -e ${gate} ]; do sleep 0.1; done\n`,
    );
    await using cli = new Cli(
      ['reconcile', 'pods', '-n', 'shop', '--hook', file, '--grace', '60s', '--metrics', ':0'],
      { env },
    );
    await cli.until((c) => c.stderr.includes('run shop/'), 'a run');
    cli.kill('SIGTERM');
    await cli.until((c) => c.stderr.includes('waiting for the hook to finish'), 'the notice');
    expect(cli.stderr).toMatch(/waiting for the hook to finish shop\/web-\d, for at most 60s \(--grace\)/);
    const ready = await page(cli, '/readyz');
    expect([ready.status, ready.text]).toEqual([
      503,
      expect.stringContaining('[-]shutdown failed: the program is ending'),
    ]);
    expect((await page(cli, '/healthz')).status).toBe(200);
    await cli.until((c) => c.stderr.includes('still waiting for'), 'the reminder');
    await writeFile(gate, '');
    const { code, stderr } = await cli.ended();
    expect([code, stderr.match(/run shop\//g)]).toEqual([0, ['run shop/']]);
  });

  it('sends what a hook asks for that finishes within --grace, and what a module writes in it', async () => {
    const gate = path.join(fixture.folder, 'gate-of-writes');
    const wait = `until [ -e ${gate} ]; do sleep 0.1; done`;
    const reply = '{"actions":[{"patch":{"metadata":{"labels":{"late":"sent"}}}}]}';
    const script = await hook('late.sh', `#!/bin/sh\ncat > /dev/null\necho "begun" >&2\n${wait}\necho '${reply}'\n`);
    const module = await hook(
      'late.ts',
      `import { existsSync } from 'node:fs';
      export default async ({ name, client }: any) => {
        console.log('begun');
        while (!existsSync('${gate}')) await new Promise((resolve) => setTimeout(resolve, 50));
        const pods = client.resource({ group: '', version: 'v1', resource: 'pods' }, { namespace: 'shop' });
        await pods.patch(name, { metadata: { labels: { late: 'sent' } } }, { type: 'merge' });
      };`,
    );
    await using programs = new AsyncDisposableStack();
    const clis = [
      ['web-1', script],
      ['web-2', module],
    ].map(([pod = '', file = '']) =>
      programs.use(new Cli(['reconcile', 'pods', pod, '-n', 'shop', '--hook', file, '--allow-write'], { env })),
    );
    for (const cli of clis) {
      await cli.until((c) => c.stderr.includes('begun'), 'the run');
      cli.kill('SIGTERM');
      await cli.until((c) => c.stderr.includes('waiting for the hook to finish'), 'the notice');
    }
    await writeFile(gate, '');
    for (const cli of clis)
      expect(await cli.ended()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
    for (const name of ['web-1', 'web-2'])
      expect(fixture.sandbox.get({ apiVersion: 'v1', kind: 'Pod' }, `shop/${name}`)?.metadata.labels).toMatchObject({
        late: 'sent',
      });
  });

  it('ends a hook that goes on after --grace, with its children, also one that ignores SIGTERM', async () => {
    const file = await hook(
      'stubborn.sh',
      "#!/bin/sh\ntrap '' TERM\ncat > /dev/null\nsleep 600 &\necho child $! >&2\nwait\nsleep 600\n",
    );
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file, '--grace', '1s'], { env });
    await cli.until((c) => /child \d+/.test(c.stderr), 'the run');
    const child = Number(/child (\d+)/.exec(cli.stderr)?.[1]);
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr).toContain('the grace is over');
    expect(isAlive(child)).toBe(false);
  });

  it('ends within a bounded time although a module never ends its run, with an error that names the key', async () => {
    const file = await hook(
      'endless.ts',
      'export default async (ctx: any) => { ctx.log.info("started"); await new Promise(() => { setInterval(() => {}, 1000); }); };\n',
    );
    await using cli = new Cli(['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file, '--grace', '1s'], { env });
    await cli.until((c) => c.stderr.includes('started'), 'the run');
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toContain('error: the hook has not ended for shop/web-1');
    expect(stderr).toContain('hint: a module must end its run when ctx.signal aborts');
  });

  it('ends within a bounded time although the startup of a module never ends', async () => {
    const file = await hook(
      'startup.ts',
      'export const onStartup = () => { console.log("starting"); return new Promise(() => { setInterval(() => {}, 1000); }); };\nexport default async () => {};\n',
    );
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file, '--grace', '1s'], { env });
    await cli.until((c) => c.stderr.includes('starting') || c.stdout.includes('starting'), 'the startup');
    cli.kill('SIGTERM');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toContain('waiting for the hook to finish its startup, for at most 1s (--grace)');
    expect(stderr).toContain('error: the hook has not ended for its startup');
  });

  it('refuses a grace below 0', async () => {
    const { code, stderr } = await command('reconcile', 'pods', '--exec', 'true', '--grace=-1s');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('invalid argument "-1s" for "--grace": expected a duration of at least 0s'),
    ]);
  });

  it('ends also when the hook asks for it (exit code 64) while another run goes on', async () => {
    const file = await hook(
      'stop.sh',
      '#!/bin/sh\ncat > /dev/null\ncase $INFORMER_KEY in */web-1) sleep 0.5; exit 64;; esac\nexec sleep 600\n',
    );
    await using cli = new Cli(['reconcile', 'pods', '-n', 'shop', '--hook', file, '--workers', '2', '--grace', '1s'], {
      env,
    });
    const { code, stderr } = await cli.ended();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/waiting for the hook to finish shop\/web-2[\s\S]*exited with 64/),
    ]);
  });
});
