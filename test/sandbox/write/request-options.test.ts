import { beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, configMapNamed, PODS } from '../../support/sandbox-requests.ts';
import { PATHS, refusal, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const configMap = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, ...more });
const patch = (path: string, change: object) => server.ask('PATCH', path, change);
const held = { metadata: { name: 'a', finalizers: ['example.com/x'] } };
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

it('refuses options that a patch does not have', async () => {
  server.sandbox.apply(configMapNamed('a'));
  expect(refusal(await patch(`${CONFIG_MAPS}/a?force=true`, {}))).toEqual([
    422,
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ]);
  expect(refusal(await patch(`${CONFIG_MAPS}/a?fieldManager=${'x'.repeat(129)}`, {}))).toEqual([
    422,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  ]);
});

it.each([
  [
    { propagationPolicy: 'Sideways' },
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    { propagationPolicy: 'Orphan', orphanDependents: true },
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
])('refuses the propagation policy of %o', async (options, message) => {
  await server.ask('POST', CONFIG_MAPS, held);
  const { status, body } = await server.ask('DELETE', `${CONFIG_MAPS}/a`, options);
  expect([status, body.message]).toEqual([422, message]);
});

it('leaves the pods of a job by default, and warns about it', async () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  await server.ask('POST', PATHS.jobs, { metadata: { name: 'j' }, spec: { template } });
  const { headers, body } = await server.ask('DELETE', `${PATHS.jobs}/j`);
  expect(body.metadata.finalizers).toEqual(['orphan']);
  expect(headers.warning).toBe(
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
  );
  await server.clock.advance(100);
  expect((await server.ask('GET', `${PATHS.jobs}/j`)).status).toBe(404);
});

it('refuses a delete whose body is not DeleteOptions', async () => {
  await server.ask('POST', CONFIG_MAPS, configMap());
  expect((await server.ask('DELETE', `${CONFIG_MAPS}/cm`, { apiVersion: 'v1', kind: 'ConfigMap' })).status).toBe(400);
  expect((await server.ask('GET', `${CONFIG_MAPS}/cm`)).status).toBe(200);
  expect((await server.ask('DELETE', `${CONFIG_MAPS}/cm`, { apiVersion: 'v1', kind: 'DeleteOptions' })).status).toBe(
    200,
  );
});

describe('a delete', () => {
  beforeEach(() => server.ask('POST', PODS, pod));
  const isThere = async () => (await server.ask('GET', `${PODS}/p`)).body.metadata.deletionTimestamp === undefined;

  it.each<[string, string, object?]>([
    ['strconv.ParseInt: parsing "abc": invalid syntax', '?gracePeriodSeconds=abc'],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      '',
      { gracePeriodSeconds: 'abc' },
    ],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
      '',
      { dryRun: 'All' },
    ],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
      '',
      { preconditions: 'x' },
    ],
  ])('refuses options that cannot be decoded: %s', async (message, query, body) => {
    const answer = await server.ask('DELETE', `${PODS}/p${query}`, body);
    expect([answer.status, answer.body.message]).toEqual([400, message]);
    expect(await isThere()).toBe(true);
  });
});
