import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const told = async (line: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { code, stdout, stderr } = await run(line, { env: { ...fixture.env, ...env } });
  return { code, stdout, stderr };
};
const refused = (text: string) => ({ code: 2, stdout: '', stderr: expect.stringContaining(text) });

describe('flags that would do nothing are refused with what to use', () => {
  it.concurrent.each<[string[], string]>([
    [
      ['watch', 'pods', '-o', 'json', '--show-labels'],
      'error: --show-labels does nothing in -o json\nhint: leave it out, or use a table (no -o), -o csv, -o tsv\n',
    ],
    [['watch', 'pods', '-o', 'name', '-L', 'app'], 'error: --label-columns does nothing in -o name\n'],
    [
      ['watch', 'pods', '--old'],
      'error: --old does nothing in a table\nhint: -o json --old has the state before as oldObject',
    ],
    [['watch', 'pods', '-o', 'diff', '--old'], 'error: --old does nothing in -o diff\n'],
    [
      ['watch', 'pods', '-o', 'json', '--timestamps'],
      'error: --timestamps does nothing in -o json\nhint: in -o json, yaml and jq every event has its time\n',
    ],
    [['watch', 'pods', '--show-managed-fields'], 'error: --show-managed-fields does nothing in a table\n'],
    [
      ['watch', 'pods', '--watch-only', '--sort-by', '.metadata.name'],
      'error: --sort-by does nothing beside --watch-only\n',
    ],
    [['query', 'pods', '-o', 'yaml', '--show-labels'], 'error: --show-labels does nothing in -o yaml\n'],
    [
      ['query', 'pods', '-o', 'csv=NAME:.metadata.name', '--show-labels'],
      'error: --show-labels does nothing in -o csv=…\nhint: leave it out, or use a table (no -o), -o csv, -o tsv\n',
    ],
    [['query', 'pods', '--count', '--sort-by', '.metadata.name'], 'error: --sort-by does nothing beside --count\n'],
    [['query', 'pods', '--merge', '1s'], 'error: --merge does nothing without --watch\nhint: add --watch, or leave it'],
    [['query', 'pods', '--strict'], 'error: --strict does nothing without --watch\n'],
    [
      ['query', 'pods', '-w', '--markers', '-o', 'name'],
      'error: --markers has no place in -o name\nhint: use -o json, yaml, jq or a table\n',
    ],
    [
      ['watch', 'pods', '--sandbox', '--context', 'prod'],
      'error: --context does nothing beside --sandbox\nhint: the sandbox is a server of its own',
    ],
    [
      ['query', 'pods', '--scenario', 'rollout', '--kubeconfig', 'x'],
      'error: --kubeconfig does nothing beside --scenario\n',
    ],
    [['watch', 'pods', '--pods', '5'], 'error: --pods does nothing without --sandbox or --scenario\n'],
    [
      ['watch', 'pods', '--scenario', 'rollout', '--pods', '5'],
      'error: --pods does nothing in the scenario rollout\nhint: use it with --scenario fleet or --scenario churn\n',
    ],
    [['sandbox', '--scenario', 'rollout', '--pods', '5'], 'error: --pods does nothing in the scenario rollout\n'],
    [['sandbox', '--rate', '5/s'], 'error: --rate does nothing without a scenario\n'],
  ])('%j', async (line, text) => {
    expect(await told(line)).toEqual(refused(text));
  });

  it('but what the environment sets for all commands is left alone, and so are habits of kubectl', async () => {
    const line = ['watch', 'pods', '-n', 'shop', '--once', '-o', 'name'];
    const names = { code: 0, stdout: 'pod/web-1\npod/web-2\n', stderr: '' };
    expect(await told(line, { KUBECTL_INFORMER_SHOW_LABELS: 'true' })).toEqual(names);
    expect(await told([...line, '--no-headers', '--show-kind'])).toEqual(names);
    expect(
      await told(['query', 'pods', '-n', 'shop', '-o', 'jsonpath={.items[*].metadata.name}', '--no-headers']),
    ).toMatchObject({
      code: 0,
    });
    expect(await told([...line, '-w', '--output-watch-events', '--chunk-size=500', '--ignore-not-found'])).toEqual(
      names,
    );
  });
});

describe('a scenario of any size and with faults needs no second command', () => {
  it('by --scenario, --pods, --seed and --faults', async () => {
    const { code, stdout } = await told(
      ['query', 'pods', '-A', '--scenario', 'fleet', '--pods', '7', '--seed', '3', '--count'],
      {
        KUBECONFIG: '',
      },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '7\n' });
    const faulty = await told(
      ['query', 'pods', '-A', '--scenario', 'fleet', '--pods', '7', '--faults', 'status=403:list:pods'],
      {
        KUBECONFIG: '',
      },
    );
    expect(faulty).toMatchObject({ code: 1, stderr: expect.stringContaining('forbidden') });
  });
});

describe('the environment', () => {
  it('is named where its value is bad', async () => {
    expect(await told(['watch', 'pods'], { KUBECTL_INFORMER_TIMEOUT: 'abc' })).toEqual(
      refused(
        'error: invalid argument "abc" for "--timeout": expected a duration such as 30s, 5m, 1h30m or 2d\nhint: --timeout is set by KUBECTL_INFORMER_TIMEOUT',
      ),
    );
    expect(await told(['watch', 'pods'], { KUBECTL_INFORMER_FILTER: 'object.' })).toEqual(
      refused('--filter is set by KUBECTL_INFORMER_FILTER'),
    );
    expect((await told(['watch', 'pods', '--timeout', 'abc'])).stderr).not.toContain('KUBECTL_INFORMER');
  });

  it('is warned of where a variable sets no flag, and not where it is that of another command', async () => {
    const line = ['watch', 'pods', '-n', 'shop', '--once', '-o', 'name'];
    const env = { KUBECTL_INFORMER_NO_NOIS: 'true', KUBECTL_INFORMER_WORKERS: '2' };
    expect(await told(line, env)).toMatchObject({
      code: 0,
      stderr: 'Warning: KUBECTL_INFORMER_NO_NOIS sets no flag; did you mean KUBECTL_INFORMER_NO_NOISE?\n',
    });
  });
});

describe('durations of flags are those of expressions', () => {
  it('1d may be written, and a wrong duration is quoted as it was written', async () => {
    expect(await told(['watch', 'pods', '-n', 'shop', '--once', '-o', 'name', '--timeout', '1d'])).toMatchObject({
      code: 0,
    });
    expect(await told(['watch', 'pods', '--timeout', '0'])).toEqual(
      refused('error: invalid argument "0" for "--timeout": expected more than no time\nhint: --once looks once'),
    );
  });
});

describe('hints of expressions name what to write', () => {
  it.concurrent.each<[string[], string]>([
    [
      ['--until-any', 'STATUS == "CrashLoopBackOff"'],
      `hint: printed columns are for --where: --where 'STATUS == …'; with --limit 1 the stream ends at the first such row`,
    ],
    [['--filter', 'RESTARTS > 3'], `hint: printed columns are for --where: --where 'RESTARTS == …'`],
    [['--filter', 'type == "ADDED"'], 'hint: the type of the event is the variable event: event == "ADDED"'],
    [['--where', 'AGE < 10m'], 'hint: put a duration in quotes: "10m"'],
    [['--filter', 'now - object.metadata.creationTimestamp > 8h'], 'hint: put a duration in quotes: "8h"'],
    [['--filter', '.metadata.name == "web"'], 'hint: write fields with object in front: object.metadata.name'],
    [['--filter', 'status.phase == "Running"'], 'hint: write fields with object in front: object.status.phase\n'],
    [
      ['--until', 'event == "ADDED" && spec.replicas > 3'],
      'hint: write fields with object in front: object.spec.replicas\n',
    ],
    [
      ['--filter', 'pod.status.phase == "Running"'],
      'hint: the variable is object for every type: object.status.phase\n',
    ],
    [
      ['--filter', 'object.metadata.labels.app-name == "x"'],
      'hint: put a key with - or / in brackets: object.metadata.labels["app-name"]\n',
    ],
    [
      ['--filter', 'object.metadata.labels.app.kubernetes.io/name == "x"'],
      'hint: put a key with - or / in brackets: object.metadata.labels["app.kubernetes.io/name"]\n',
    ],
    [
      ['--filter', 'object.spec.containers[*].image == "x"'],
      'hint: test the items of a list with .exists(item, item.name == "…")',
    ],
    [['--filter', 'objct.spec.replicas > 3'], 'hint: did you mean object?'],
    [
      ['--filter', 'select(.status.phase == "Running")'],
      'hint: this is jq, but --filter takes CEL: object.status.phase',
    ],
  ])('%j', async (flags, text) => {
    expect(await told(['watch', 'pods', ...flags])).toEqual(refused(text));
  });
});

describe('hints of types name the one there is', () => {
  it.concurrent.each([
    ['pods.v1', 'hint: pods is in the core group, not in v1: write pods or v1/pods'],
    ['pods.apps', 'hint: pods is in the core group, not in apps: write pods or v1/pods'],
    ['pods.metrics.k8s.io', 'hint: pods is in the core group, not in metrics.k8s.io: write pods or v1/pods'],
    ['deployments.v2.apps', 'hint: deployments.apps is served as v1: write deployments.v1.apps'],
    ['deployments.batch', 'hint: deployments is in the group apps, not in batch: write deployments.apps'],
  ])('%s', async (type, text) => {
    const { stderr } = await told(['watch', type]);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('Did you mean');
  });
});

describe('what cannot be read on the way to a cluster is named, with its flag', () => {
  const write = async (name: string, text: string) => {
    const file = path.join(fixture.folder, name);
    await writeFile(file, text);
    return file;
  };
  const line = ['query', 'pods', '-n', 'shop'];

  it.each(['certificate-authority', 'client-certificate', 'client-key'])('--%s', async (flag) => {
    // a certificate needs one
    const key = flag === 'client-certificate' ? [`--client-key=${fixture.env.KUBECONFIG}`] : [];
    const { code, stderr } = await told([...line, `--${flag}=/nope`, ...key]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `unable to read ${flag} /nope: no such file or directory\nhint: --${flag} names another file`,
    );
  });

  it('a kubeconfig that is empty, or no YAML', async () => {
    const [empty, bad] = await Promise.all([write('empty', ''), write('bad', 'a: [')]);
    expect(await told([...line, '--kubeconfig', empty])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is empty\nhint: name another file with --kubeconfig/),
    });
    expect(await told([...line, '--kubeconfig', bad])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nhint: correct that file, or name another with --kubeconfig/),
    });
  });

  it('a credential plugin that is missing, or fails', async () => {
    const config = (command: string) =>
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [
          {
            name: 'u',
            user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command } },
          },
        ],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      });
    const [missing, failing] = await Promise.all([
      write('missing', config('no-such-plugin')),
      write('failing', config('false')),
    ]);
    expect(await told([...line, '--kubeconfig', missing])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hint: install no-such-plugin, or correct the exec command'),
    });
    expect(await told([...line, '--kubeconfig', failing])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hint: log in again if it asks for that'),
    });
  });
});

it('SIGHUP has its own words and exit code', async () => {
  await using cli = new Cli(['watch', 'pods', '-n', 'shop', '--until', 'false'], { env: fixture.env });
  await cli.until((c) => c.stderr.includes('0/2'), 'the progress');
  cli.kill('SIGHUP');
  const { code, stderr } = await cli.ended();
  expect(code).toBe(129);
  expect(stderr).toContain('ended by SIGHUP');
});

it('one GET /version for all informers of a command', async () => {
  const { code, stderr } = await told([
    'watch',
    'pods,cm,secrets,svc',
    '-n',
    'shop,other',
    '--once',
    '-o',
    'name',
    '-v',
    '6',
  ]);
  expect({ code, asked: stderr.match(/path=\/version/g)?.length }).toEqual({ code: 0, asked: 1 });
});

it('values are counted among what --filter holds for', async () => {
  const line = ['query', 'pods', '-n', 'shop', '--values', 'node', '--no-headers'];
  expect((await told([...line, '--filter', 'object.metadata.name == "web-1"'])).stdout).toMatch(/^worker-1 +1\n$/);
});
