import { expect, it } from 'vitest';
import { StopError } from '../../src/controller/reconciler.ts';
import { parseHookConfig, readWriteLimit } from '../../src/hooks/manifest.ts';

const parse = (config: unknown) => parseHookConfig(config, 'guard.ts');

it('takes the names of flags as keys, in camelCase or as on the command line', () => {
  expect(
    parse({
      workers: 4,
      'hook-timeout': '30s',
      maxRetries: 0,
      owns: 'pods,replicasets',
      namespace: ['shop', 'bank'],
      watches: { type: 'services', map: '.metadata.labels.app' },
      every: '10m',
      schedule: '@daily',
      'schedule-zone': 'Europe/Berlin',
      with: ['pods=pods'],
      on: ['added', 'deleted'],
      predicate: 'generation',
      finalizer: 'example.com/guard',
      'max-writes': '100/m',
      dryRun: true,
      filter: 'object.spec.replicas > 3',
      where: ['READY == "0/1"'],
      'exclude-name': '^kube-',
      watchOnly: true,
      selector: undefined,
    }),
  ).toEqual({
    workers: 4,
    hookTimeoutMs: 30_000,
    maxRetries: 0,
    owns: ['pods', 'replicasets'],
    namespace: ['shop', 'bank'],
    watches: [{ type: 'services', map: '.metadata.labels.app' }],
    everyMs: 600_000,
    schedule: ['@daily'],
    scheduleZone: 'Europe/Berlin',
    with: ['pods=pods'],
    on: ['added', 'deleted'],
    predicate: ['generation'],
    finalizer: 'example.com/guard',
    maxWrites: { writes: 100, perMs: 60_000 },
    dryRun: true,
    filter: ['object.spec.replicas > 3'],
    where: ['READY == "0/1"'],
    excludeName: '^kube-',
    watchOnly: true,
  });
});

it('takes the shortest duration', () => {
  expect(parse({ every: '1ms' })).toEqual({ everyMs: 1 });
});

it('an empty config is valid', () => {
  expect(parse(undefined)).toEqual({});
});

it.each([
  ['x', 'config must be an object, not "x"'],
  [{ worker: 4 }, 'the config of hook guard.ts has an unknown key "worker"'],
  [{ toString: 1 }, 'unknown key "toString"'],
  [{ workers: 0 }, 'workers must be a whole number from 1, not 0'],
  [{ workers: Number.NaN }, 'workers must be a whole number from 1, not NaN'],
  [{ retryQps: 0 }, 'retryQps must be a number above zero, not 0'],
  [{ retryBurst: 0 }, 'retryBurst must be a whole number from 1, not 0'],
  [{ workers: '4' }, 'workers must be a whole number from 1, not "4"'],
  [{ every: 600 }, 'every must be a duration such as "30s", not 600'],
  [{ 'hook-timeout': 'soon' }, 'hook-timeout: invalid duration "soon"'],
  [{ every: '0s' }, 'every must be a duration above zero, not "0s"'],
  [{ dryRun: 'yes' }, 'dryRun must be true or false, not "yes"'],
  [{ on: ['changed'] }, 'on must be added or modified or deleted or left, not "changed"'],
  [{ watches: ['pods'] }, 'watches must be {type: "pods", map: ".metadata.labels.app"}, not "pods"'],
  [{ watches: [null] }, 'watches must be {type: "pods", map: ".metadata.labels.app"}, not null'],
  [{ watches: { type: 'pods' } }, 'not {"type":"pods"}'],
  [{ watches: { map: '.metadata.name' } }, 'not {"map":".metadata.name"}'],
  [{ watches: { type: 1, map: '.a' } }, 'not {"type":1,"map":".a"}'],
  [{ watches: { type: 'pods', map: '.a', on: 'added' } }, 'not {"type":"pods","map":".a","on":"added"}'],
  [{ finalizer: 'guard' }, 'finalizer must be a name such as example.com/cleanup, not "guard"'],
  [{ maxWrites: '100' }, 'maxWrites must be a number of writes per time such as "100/m", not "100"'],
])('%j is refused, with key and value', (config, message) => {
  expect(() => parse(config)).toThrow(StopError);
  expect(() => parse(config)).toThrow(message);
});

it('a misspelt key is refused with the nearest one', () => {
  expect(() => parse({ 'hook-timout': '30s' })).toThrow(
    expect.objectContaining({ hint: 'did you mean "hookTimeout"?' }),
  );
});

it.each([
  ['5/s', { writes: 5, perMs: 1000 }],
  ['20/30s', { writes: 20, perMs: 30_000 }],
  ['1000/h', { writes: 1000, perMs: 3_600_000 }],
])('%s is a limit of writes', (text, limit) => {
  expect(readWriteLimit(text)).toEqual(limit);
});

it.each(['0/m', '5/0s', 'm', '5/x', 5])('%s is no limit of writes', (text) => {
  expect(readWriteLimit(text)).toEqual({
    expected: expect.stringMatching(/^(a number of writes per time|at least one write)/),
  });
});
