import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, configMapNamed, PODS } from '../../support/sandbox-requests.ts';
import { deployment, PATHS, refusal, STRATEGIC, useSandbox, workload } from '../../support/write-requests.ts';

const server = useSandbox();
const patch = (path: string, change: object) => server.ask('PATCH', path, change);

describe('values without the type of their field', () => {
  const PROBLEM = 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32';

  it('are refused with 400 in a body, with 422 and the whole object in a patch', async () => {
    const { status, body } = await server.ask('POST', PATHS.deployments, workload({ replicas: '3' }));
    expect([status, body.message]).toEqual([
      400,
      `Deployment in version "v1" cannot be handled as a Deployment: ${PROBLEM}`,
    ]);
    await server.ask('POST', PATHS.deployments, workload());
    const patched = await patch(`${PATHS.deployments}/web`, { spec: { replicas: '3' } });
    expect(patched.status).toBe(422);
    expect(patched.body.message).toMatch(/^ "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"apps\/v1\\"/);
    expect(patched.body.message?.endsWith(PROBLEM)).toBe(true);
  });

  it.each([
    [
      'a label',
      { metadata: { name: 'a', labels: { x: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'data',
      { metadata: { name: 'a' }, data: { x: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ],
    [
      'a list',
      { metadata: { name: 'a', finalizers: 'x' } },
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
  ])('%s', async (_what, object, problem) => {
    const { status, body } = await server.ask('POST', CONFIG_MAPS, object);
    expect([status, body.message]).toEqual([
      400,
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${problem}`,
    ]);
  });

  it('an invalid quantity is refused with its own text', async () => {
    const spec = { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'much' } } }] };
    const { body } = await server.ask('POST', PODS, { metadata: { name: 'a' }, spec });
    expect(body.message).toContain(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  });
});

describe('unknown and duplicate fields', () => {
  it('of a body give 400 when validation is strict, a warning by default, and nothing when it is off', async () => {
    const text = '{"metadata":{"name":"NAME"},"data":{"a":"1","a":"2"},"dta":{}}';
    const post = (name: string, how: string) =>
      server.ask('POST', `${CONFIG_MAPS}?fieldValidation=${how}`, text.replace('NAME', name));
    const strict = await post('a', 'Strict');
    const problem = 'strict decoding error: duplicate field "data.a", unknown field "dta"';
    expect(refusal(strict)).toEqual([400, `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${problem}`]);
    const warned = await post('b', 'Warn');
    expect([warned.status, warned.headers.warning]).toEqual([
      201,
      '299 - "duplicate field \\"data.a\\"", 299 - "unknown field \\"dta\\""',
    ]);
    const ignored = await post('c', 'Ignore');
    expect([ignored.status, ignored.headers.warning, ignored.body.data]).toEqual([201, undefined, { a: '2' }]);
  });

  it('of a patch give 422, with the result, or with the patch itself when it is strategic', async () => {
    await server.ask('POST', PATHS.deployments, workload());
    const path = `${PATHS.deployments}/web?fieldValidation=Strict`;
    const merge = await patch(path, { spec: { paused: true, foo: 1 } });
    expect(merge.status).toBe(422);
    expect(merge.body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "{.*\\"foo\\":1.*}": strict decoding error: unknown field "spec.foo"$/,
    );
    const strategic = await server.ask('PATCH', path, { spec: { paused: true, foo: [1] } }, STRATEGIC);
    expect(refusal(strategic)).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: "map[spec:map[foo:[1] paused:true]]": strict decoding error: unknown field "spec.foo"',
    ]);
    const warned = await patch(`${PATHS.deployments}/web`, { spec: { foo: 1 } });
    expect([warned.status, warned.headers.warning]).toEqual([200, '299 - "unknown field \\"spec.foo\\""']);
  });
});

it('refuses a body of more than three megabytes', async () => {
  const { status, body } = await server.ask(
    'POST',
    CONFIG_MAPS,
    configMapNamed('a', { a: 'x'.repeat(3 * 1024 * 1024) }),
  );
  expect([status, body.reason, body.message]).toEqual([
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3145728',
  ]);
});

it('refuses a quantity of a hundred thousand digits fast', async () => {
  const resources = { requests: { cpu: `${'1'.repeat(100_000)}!` } };
  const started = process.cpuUsage();
  const { status } = await server.ask(
    'POST',
    PATHS.deployments,
    deployment('web', [{ name: 'a', image: 'a', resources }]),
  );
  expect(status).toBe(400);
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});
