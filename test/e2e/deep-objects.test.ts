import { chmod, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, run } from '../support/cli.ts';
import {
  type ConfigMapRequest,
  type ConfigMapServer,
  configMapServer,
  configMapText,
  eventText,
  nested,
} from '../support/config-map-server.ts';
import { envelopeSchema, faults } from '../support/schema.ts';

let server: ConfigMapServer;
let folder: string;
let env: { KUBECONFIG: string };

/**
 * As much of an API server as it takes to serve objects that the sandbox does not: nested as deep as a real one takes
 * them.
 */
function answer({ isWatch, send }: ConfigMapRequest, response: ServerResponse): void {
  if (!isWatch) {
    const items = [configMapText('deep', 1, nested(9_000, '1')), configMapText('flat', 2, nested(100, '"x"'))].join(
      ',',
    );
    return void send(
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[${items}]}`,
    );
  }
  response.setHeader('content-type', 'application/json');
  response.write(eventText('MODIFIED', configMapText('deep', 6, nested(9_000, '2'))));
  response.write(eventText('ADDED', configMapText('later', 7, '{}')));
  response.write(eventText('MODIFIED', configMapText('deep', 8, '{"a":1}')));
  response.write(eventText('MODIFIED', configMapText('deep', 9, nested(3_000, '1'))));
  response.write(eventText('DELETED', configMapText('deep', 10, nested(3_000, '1'))));
  response.write(eventText('ADDED', configMapText('last', 11, '{}')));
}

beforeAll(async () => {
  server = await configMapServer(answer);
  ({ folder, env } = server);
});
afterAll(() => server[Symbol.asyncDispose]());

const REASON = 'it is nested deeper than 1,000 levels';
const NOTICE = `v1/configmaps shop/deep cannot be printed: ${REASON}`;
const watch = (...flags: string[]) =>
  run(['watch', 'configmaps', '-n', 'shop', '--limit', '8', '--timeout', '30s', ...flags], { env });
const lines = (text: string) => text.trimEnd().split('\n');

describe('an object nested too deep to be printed does not end a watch', () => {
  it('-o json: it is an event with its key, its name and the error; the others are whole', async () => {
    const { code, stdout, stderr } = await watch('-o', 'json', '--old');
    const events = lines(stdout).map((line) => JSON.parse(line));
    expect(events.map((e) => [e.type, e.key, e.error === undefined])).toEqual([
      ['ADDED', 'shop/deep', false],
      ['ADDED', 'shop/flat', true],
      ['MODIFIED', 'shop/deep', false],
      ['ADDED', 'shop/later', true],
      ['MODIFIED', 'shop/deep', true],
      ['MODIFIED', 'shop/deep', false],
      ['DELETED', 'shop/deep', false],
      ['ADDED', 'shop/last', true],
    ]);
    expect(events[0]).toMatchObject({
      gvr: 'v1/configmaps',
      error: `this object cannot be printed: ${REASON}`,
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'deep', namespace: 'shop', uid: 'u-deep', resourceVersion: '1' },
        error: `this object cannot be printed: ${REASON}`,
      },
    });
    expect(JSON.stringify(events[1].object.spec)).toBe(nested(100, '"x"'));
    for (const each of events) expect(faults(envelopeSchema, each, envelopeSchema)).toEqual([]);
    expect(stderr.split(NOTICE)).toHaveLength(2); // once an object
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('8 events (4 ADDED, 3 MODIFIED, 1 DELETED), no gaps, 4 unprintable objects'),
    ]);
  });

  it.each([
    [
      'yaml',
      ['-o', 'yaml'],
      /type: ADDED[\s\S]*error: 'this object cannot be printed: it is nested deeper than 1,000 levels'[\s\S]*name: last/,
    ],
    [
      'jq',
      ['-o', 'jq=[.type,.key,.error]'],
      /\["ADDED","shop\/deep","this object cannot be printed[\s\S]*\["ADDED","shop\/last",null\]/,
    ],
    ['jsonpath', ['-o', 'jsonpath={.metadata.name}'], /^flat\nlater\ndeep\nlast\n$/],
    ['jsonpath that descends', ['-o', 'jsonpath={..name}'], /^flat\nlater\ndeep\nlast\n$/],
    ['custom-columns', ['-o', 'custom-columns=N:.metadata.name'], /^N *\nflat *\nlater *\ndeep *\nlast *\n$/],
    [
      'changes',
      ['-o', 'changes'],
      /ADDED +shop\/deep +<cannot be printed: it is nested deeper[\s\S]*MODIFIED +shop\/deep +<cannot[\s\S]*ADDED +shop\/last\n/,
    ],
    [
      'diff',
      ['-o', 'diff'],
      /ADDED +configmap\/shop\/deep +\(cannot be printed: it is nested deeper[\s\S]*ADDED +configmap\/shop\/last/,
    ],
  ])('-o %s says so and goes on', async (_name, flags, expected) => {
    const { code, stdout, stderr } = await watch(...flags);
    expect([code, stderr]).toEqual([0, expect.stringContaining(NOTICE)]);
    expect(stdout).toMatch(expected);
  });

  it.each([
    ['a table', []],
    ['names', ['-o', 'name']],
    [
      'filters and comparisons of all kinds',
      ['-o', 'name', '--filter', 'object.spec != 1 && (oldObject == null || object != oldObject || true)'],
    ],
    [
      '--no-noise, --ignore-changes and --changed',
      ['-o', 'name', '--no-noise', '--ignore-changes', '.metadata.labels', '--changed', '.spec'],
    ],
    ['a predicate', ['-o', 'name', '--predicate', 'spec']],
  ])('%s: every event is shown', async (_name, flags) => {
    const { code, stdout } = await watch(...flags);
    expect(code).toBe(0);
    expect(stdout.match(/deep/g)).toHaveLength(5);
    expect(stdout).toMatch(/last\s*\S*\s*$/);
  });

  it('--until and --for judge it as any other', async () => {
    const until = await run(
      [
        'watch',
        'configmaps',
        '-n',
        'shop',
        '--until-any',
        'object.spec.a.a.a.a.a.a.a.a == 0 || object.metadata.resourceVersion == "11"',
        '--timeout',
        '30s',
      ],
      { env },
    );
    expect(until.code).toBe(0);
    const wait = ['watch', 'configmaps/deep', '-n', 'shop', '--timeout', '30s', '--for'];
    const met = await run([...wait, 'jsonpath={.metadata.resourceVersion}=6'], { env });
    expect([met.code, met.stderr]).toEqual([0, expect.stringContaining('1/1 met')]);
  });
});

describe('an object nested too deep to be printed leaves the rest of an answer whole', () => {
  it.each([
    ['json', /"error": "this object cannot be printed: it is nested deeper than 1,000 levels"[\s\S]*"name": "flat"/],
    ['yaml', /error: 'this object cannot be printed: it is nested deeper than 1,000 levels'[\s\S]*name: flat/],
    ['name', /^configmap\/deep\nconfigmap\/flat\n$/],
    ['jsonpath={.metadata.name}', /^flat\n$/],
    ['custom-columns=N:.metadata.name', /^N *\nflat *\n$/],
  ])('query -o %s', async (output, expected) => {
    const { code, stdout, stderr } = await run(['query', 'configmaps', '-n', 'shop', '-o', output], { env });
    expect([code, stderr]).toEqual([0, output === 'name' ? '' : `${NOTICE}\n`]);
    expect(stdout).toMatch(expected);
  });

  it('indexes, values, groups and sorting take it', async () => {
    const query = (...flags: string[]) => run(['query', 'configmaps', '-n', 'shop', ...flags], { env });
    for (const flags of [
      ['--index', 'x=.spec', '--values', 'x'],
      ['--group-by', '.spec'],
      ['--sort-by', '.metadata.name', '-o', 'name'],
      ['--count'],
    ])
      expect([flags, (await query(...flags)).code]).toEqual([flags, 0]);
  });

  it('a hook program that cannot be given it has its key parked with the reason; others run', async () => {
    const hook = path.join(folder, 'hook.sh');
    await writeFile(hook, '#!/bin/sh\ncat > /dev/null\necho "ran for $INFORMER_NAME" >&2\n');
    await chmod(hook, 0o755);
    await using cli = new Cli(['reconcile', 'configmaps', '-n', 'shop', '--hook', hook, '-v', '4'], { env });
    await cli.until(({ stderr }) => stderr.includes('ran for last'), 'the last object');
    cli.kill('SIGTERM');
    const { stderr } = await cli.ended();
    expect(stderr).not.toContain('Maximum call stack');
    expect(stderr).toMatch(new RegExp(`^shop/deep: given up until something changes .*${REASON}`, 'm'));
  });
});
