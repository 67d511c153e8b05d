import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, pod, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const kubectl = findKubectl();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply([ready(pod('web-1')), pod('web-2')]);
});
afterAll(() => fixture[Symbol.asyncDispose]());

function ready(object: UnknownObject, status = 'True'): UnknownObject {
  return { ...object, status: { ...(object.status as object), conditions: [{ type: 'Ready', status }] } };
}

const line = (words: string, ...flags: string[]) => [
  'watch',
  ...words.split(' '),
  '-n',
  'shop',
  '-o',
  'name',
  ...flags,
];
const ended = (words: string, ...flags: string[]) => run(line(words, ...flags), { env: fixture.env });

describe('--for ends as kubectl wait does', () => {
  it.concurrent.each<[string, string[], string]>([
    ['met at once', ['pod/web-1', '--for', 'condition=Ready'], ''],
    ['met, said in other words', ['pod/web-1', '--for', 'condition=ready=true'], ''],
    [
      'a condition that is false',
      ['pod/web-1', '--for', 'condition=Ready=False'],
      'timed out waiting for the condition on pods/web-1',
    ],
    [
      'a condition that is not there',
      ['pod/web-2', '--for=condition=Ready'],
      'timed out waiting for the condition on pods/web-2',
    ],
    ['a value', ['pod/web-1', '--for', 'jsonpath={.status.phase}=Running'], ''],
    [
      'a value of one that has none',
      ['pod/web-1', '--for', 'jsonpath={.status.podIP}'],
      'timed out waiting for the condition on pods/web-1',
    ],
    ['a value that is there at all', ['pod/web-1', '--for', 'jsonpath={.spec.nodeName}'], ''],
    [
      'a deletion that does not come',
      ['pod/web-1', '--for', 'delete'],
      'timed out waiting for the condition on pods/web-1',
    ],
    ['a deletion of what is not there', ['pod/nobody', '--for', 'delete'], ''],
    ['something that is there', ['pod/web-1', '--for', 'create'], ''],
    [
      'two of which one is not ready',
      ['pods', 'web-1', 'web-2', '--for', 'condition=Ready'],
      'timed out waiting for the condition on pods/web-2',
    ],
  ])('%s', async (_, words, error) => {
    const flags = [...words, '-n', 'shop', '--timeout', error === '' ? '20s' : '2500ms'];
    const [ours, theirs] = await Promise.all([
      run(['watch', ...flags, '-o', 'name'], { env: fixture.env }),
      'path' in kubectl ? runKubectl(kubectl.path, ['wait', ...flags], { env: fixture.env }) : undefined,
    ]);
    expect({ code: ours.code, error: /^error: (.*)/m.exec(ours.stderr)?.[1] ?? '' }).toEqual({
      code: error === '' ? 0 : 3,
      error,
    });
    if (theirs)
      expect({ isMet: theirs.code === 0, error: /^error: (.*)/m.exec(theirs.stderr)?.[1] ?? '' }).toEqual({
        isMet: error === '',
        error,
      });
  });

  it('and does what it cannot: waits for an object that does not exist yet', async () => {
    await using cli = new Cli(line('pod/late', '--for', 'condition=Ready', '--timeout', '20s'), { env: fixture.env });
    await cli.until((c) => c.stderr.includes('0/1 met, waiting for late'), 'the progress');
    fixture.sandbox.apply(pod('late'));
    fixture.sandbox.apply(ready(pod('late')));
    fixture.sandbox.apply(ready(pod('late'), 'False'));
    const { code, stdout, stderr } = await cli.ended();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'pod/late\npod/late\n' });
    expect(stderr).toMatch(/1\/1 met\n--for is met after/);
  });

  it('reports an object that is deleted meanwhile, and waits for it to come back', async () => {
    await using own = await startFixture();
    await using cli = new Cli(line('pod/web-2', '--for', 'condition=Ready', '--timeout', '20s'), { env: own.env });
    await cli.until((c) => c.stderr.includes('0/1 met'), 'the progress');
    own.sandbox.delete(PODS, 'shop/web-2');
    await cli.until(
      (c) => c.stderr.includes('pods shop/web-2 was deleted; waiting for it to come back (--fail-if'),
      'it',
    );
    own.sandbox.apply(ready(pod('web-2')));
    expect((await cli.ended()).code).toBe(0);
  });

  it('sees a generation that is not observed yet', async () => {
    await using own = await startFixture();
    const web = own.sandbox.get(DEPLOYMENTS, 'shop/web') as UnknownObject;
    const status = (observedGeneration: number) => ({
      observedGeneration,
      conditions: [{ type: 'Available', status: 'True' }],
    });
    own.sandbox.apply({ ...web, status: status(0) });
    await using cli = new Cli(line('deploy/web', '--for', 'condition=Available', '--timeout', '20s'), { env: own.env });
    await cli.until((c) => c.stderr.includes('0/1 met'), 'the progress');
    own.sandbox.apply({ ...web, status: status(1) });
    expect(await cli.ended()).toMatchObject({ code: 0, stdout: 'deployment.apps/web\ndeployment.apps/web\n' });
  });

  it('--for rollout waits as kubectl rollout status does, and fails where that fails', async () => {
    await using own = await startFixture();
    const web = own.sandbox.get(DEPLOYMENTS, 'shop/web') as UnknownObject;
    const observedGeneration = web.metadata.generation;
    const old = { observedGeneration, replicas: 2, readyReplicas: 2, availableReplicas: 2 };
    own.sandbox.apply({ ...web, status: old });
    await using cli = new Cli(line('deploy/web', '--for', 'rollout', '--timeout', '20s'), { env: own.env });
    await cli.until((c) => c.stderr.includes('0/1'), 'the progress');
    own.sandbox.apply({ ...web, status: { ...old, updatedReplicas: 2 } });
    expect(await cli.ended()).toMatchObject({ code: 0, stdout: 'deployment.apps/web\ndeployment.apps/web\n' });
    const late = { ...old, conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] };
    own.sandbox.apply({ ...web, status: late });
    const words = ['deploy/web', '-n', 'shop'];
    const [ours, theirs] = await Promise.all([
      run(['watch', ...words, '--for', 'rollout', '--timeout', '20s'], { env: own.env }),
      'path' in kubectl ? runKubectl(kubectl.path, ['rollout', 'status', ...words], { env: own.env }) : undefined,
    ]);
    expect(ours.code).toBe(1);
    expect(ours.stderr).toContain(
      'error: deployment "web" exceeded its progress deadline\nhint: kubectl describe deployment web -n shop',
    );
    if (theirs)
      expect(theirs).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('error: deployment "web" exceeded its progress deadline'),
      });
  });

  it('a rollout of a type that has none is refused before anything is watched', async () => {
    const [wait, until, query, guarded] = await Promise.all([
      ended('pods', '--for', 'rollout'),
      ended('pods,deploy', '--until', 'rolledOut(object)'),
      run(['query', 'pods', '-n', 'shop', '--filter', 'rolledOut(object)'], { env: fixture.env }),
      ended('pods,deploy', '--filter', 'object.kind == "Deployment" && !rolledOut(object)', '--once'),
    ]);
    const text = 'it is for Deployments, StatefulSets and DaemonSets, not for pods\n';
    expect(wait).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: --for rollout: ${text}`),
    });
    expect(until).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: --until: rolledOut(): ${text}`),
    });
    expect(query).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: --filter: rolledOut(): ${text}`),
    });
    expect(guarded).toMatchObject({ code: 0, stdout: 'deployment.apps/web\n' });
  });

  it('of two conditions one after the other', async () => {
    await using own = await startFixture();
    const flags = ['--for', 'create', '--for', 'condition=Ready', '--for', 'delete', '--timeout', '20s'];
    await using cli = new Cli(line('pod/late', ...flags), { env: own.env });
    await cli.until((c) => c.stderr.includes('waiting for late'), 'the progress');
    own.sandbox.apply(ready(pod('late')));
    await cli.until((c) => c.lines.length === 1, 'the pod');
    own.sandbox.delete(PODS, 'shop/late', { gracePeriodSeconds: 0 });
    expect((await cli.ended()).code).toBe(0);
  });
});

describe('one look', () => {
  const nope = ['--until', 'object.status.phase == "Nope"'];

  it.concurrent.each([
    ['--once', ['--once']],
    ['--timeout 0, as with kubectl', ['--timeout', '0']],
    ['--timeout 0s', ['--timeout=0s']],
  ])('is all that %s takes', async (_, flags) => {
    const unmet = await ended('pod/web-1', ...flags, ...nope);
    expect(unmet).toMatchObject({ code: 3, stdout: 'pod/web-1\n' });
    expect(unmet.stderr).toMatch(/^error: condition not met for pods\/web-1$/m);
    const met = await ended('pods', ...flags, '--until', 'object.status.phase == "Running"');
    expect(met).toMatchObject({ code: 0, stdout: expect.stringContaining('pod/web-1\n') });
    expect(met.stderr).toMatch(/--until is met/);
  });

  it('has nothing to look for without a condition', async () => {
    expect(await ended('pods/web-1', '--timeout', '0')).toMatchObject({ code: 2, stdout: '' });
  });

  it('has kubectl’s words', async ({ skip }) => {
    if ('missing' in kubectl) return skip(kubectl.missing);
    const { stderr } = await runKubectl(
      kubectl.path,
      ['wait', 'pod/web-2', '-n', 'shop', '--for=condition=Ready', '--timeout=0'],
      {
        env: fixture.env,
      },
    );
    expect((await ended('pod/web-2', '--for=condition=Ready', '--timeout=0')).stderr).toContain(stderr);
  });
});

describe('what ends a stream', () => {
  it.concurrent.each<[string, string[], number, RegExp]>([
    [
      '--until-any',
      ['--until-any', 'object.metadata.name == "web-2"'],
      0,
      /^--until-any is met: pods shop\/web-2 after/m,
    ],
    [
      '--fail-if',
      ['--fail-if', 'object.metadata.name == "web-2"'],
      5,
      /^ended by --fail-if: pods shop\/web-2 after .*\nerror: --fail-if is met by pods shop\/web-2\n$/m,
    ],
    [
      '--fail-if before --until',
      ['--until', 'true', '--fail-if', 'object.metadata.name == "web-2"'],
      5,
      /^ended by --fail-if: pods shop\/web-2 after/m,
    ],
    [
      '--stays',
      ['--until', 'object.status.phase == "Running"', '--stays', '300ms'],
      0,
      /^2\/2 met\n--until is met after/m,
    ],
    [
      '--stays that the time is too short for',
      ['--until', 'true', '--stays', '1m', '--timeout', '5s'],
      3,
      /^error: timed out waiting for the condition/m,
    ],
    ['--timeout with nothing to wait for', ['--timeout', '5s'], 0, /^ended by --timeout after \d+s: 2 events/m],
    [
      '--timeout and a limit',
      ['--limit', '9', '--timeout', '5s'],
      3,
      /^error: timed out with 2 of the 9 events of --limit\nhint: /m,
    ],
    ['--limit', ['--limit', '1'], 0, /^ended by --limit after \d+s: 1 event /m],
    ['--limit and --once', ['--limit', '9', '--once'], 0, /^$/],
  ])('%s', async (_, flags, code, text) => {
    const result = await ended('pods web-1 web-2', ...flags);
    expect(result.stderr).toMatch(text);
    expect(result.code).toBe(code);
  });

  it('is a fault that lasts no longer than one event', async () => {
    await using own = await startFixture();
    const flags = ['--until', 'object.status.phase == "Succeeded"', '--fail-if', 'object.status.phase == "Failed"'];
    await using cli = new Cli(line('pod/web-1', ...flags), { env: own.env });
    await cli.until((c) => c.stderr.includes('0/1 met'), 'the progress');
    own.sandbox.apply(pod('web-1', { phase: 'Failed' }));
    own.sandbox.apply(pod('web-1', { phase: 'Succeeded' }));
    expect(await cli.ended()).toMatchObject({ code: 5, stdout: 'pod/web-1\npod/web-1\n' });
  });

  it('is about everything that is selected, whatever is shown of it', async () => {
    const { code, stdout, stderr } = await ended(
      'pods',
      '--filter',
      'object.metadata.name == "web-1"',
      '--until',
      'object.metadata.name == "web-1"',
      '--timeout',
      '1s',
    );
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'pod/web-1\n' });
    expect(stderr).toMatch(/^1\/[23] met, waiting for /m);
  });

  it.each([
    ['SIGINT', 130, ['--until', 'false']],
    ['SIGTERM', 143, ['--for', 'delete']],
    ['SIGINT', 130, ['--limit', '99']],
    ['SIGINT', 0, []],
    ['SIGTERM', 0, ['--fail-if', 'false']],
  ] as const)('by %s is exit code %i with %j', async (signal, code, flags) => {
    await using cli = new Cli(line('pod/web-1', ...flags), { env: fixture.env });
    await cli.until((c) => c.stdout === 'pod/web-1\n', 'the pod');
    cli.kill(signal);
    const result = await cli.ended();
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(new RegExp(`^ended by ${signal} after \\d+s: 1 event `, 'm'));
  });
  it('says in one line that a deletion has nothing to wait for', async () => {
    const { code, stderr } = await ended('jobs', '--for', 'delete', '--timeout', '20s');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^--for is met after \d+s: no events, no gaps\n$/),
    });
  });
  it('shows the part that came of an initial list that never became complete', async () => {
    await using own = await startFixture();
    own.sandbox.faults.add({ fault: { kind: 'stall' }, match: { path: '/namespaces/other/pods' } });
    await using cli = new Cli(['watch', 'pods', '-n', 'shop,other', '-v', '6'], { env: own.env });
    await cli.until((c) => /namespaces\/shop\/pods.*watch/.test(c.stderr), 'the watch of the other namespace');
    cli.kill('SIGINT');
    const { code, stdout, stderr } = await cli.ended();
    expect(code).toBe(130);
    expect(stderr).toContain(': 2 events (2 ADDED');
    expect(stdout.match(/^ADDED +shop +web-\d /gm)).toHaveLength(2);
  });
});
