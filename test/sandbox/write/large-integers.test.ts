import { beforeEach, describe, expect, it } from 'vitest';
import { bodyText } from '../../../src/sandbox/index.ts';
import {
  APPLY,
  deployment,
  JSON_PATCH,
  MERGE,
  PATHS,
  STRATEGIC,
  useSandbox,
  WIDGETS,
  widget,
  widgetDefinition,
} from '../../support/write-requests.ts';

const server = useSandbox();
const define = (properties: object) => server.sandbox.apply(widgetDefinition(properties));

describe('integers beyond 2^53 are not rounded', () => {
  const N = '9007199254740993';
  const textOf = async (path = `${WIDGETS}/w`, headers: Record<string, string> = {}) =>
    bodyText(await server.sandbox.handle({ method: 'GET', path, headers }));
  const whole = { type: 'integer', format: 'int64' };
  beforeEach(() => define({ n: whole, m: whole, l: whole, set: { type: 'array', items: { type: 'integer' } } }));

  it.each([
    ['a create', 'POST', WIDGETS, widget(`{"n":${N}}`), {}, N],
    ['a merge patch', 'PATCH', `${WIDGETS}/w`, `{"spec":{"n":-${N}}}`, MERGE, `-${N}`],
    [
      'a JSON patch',
      'PATCH',
      `${WIDGETS}/w`,
      `[{"op":"test","path":"/spec/n","value":${N}},{"op":"replace","path":"/spec/n","value":${N}1}]`,
      JSON_PATCH,
      `${N}1`,
    ],
    [
      'a JSON patch that copies',
      'PATCH',
      `${WIDGETS}/w`,
      '[{"op":"copy","from":"/spec/n","path":"/spec/l"},{"op":"move","from":"/spec/n","path":"/spec/m"}]',
      JSON_PATCH,
      N,
    ],
    ['an apply of JSON', 'PATCH', `${WIDGETS}/w?fieldManager=m&force=1`, widget(`{"n":${N}2}`), APPLY, `${N}2`],
    [
      'an apply of YAML',
      'PATCH',
      `${WIDGETS}/w?fieldManager=m&force=1`,
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {n: -${N}}\n`,
      APPLY,
      `-${N}`,
    ],
  ])('by %s', async (_how, method, path, body, headers, kept) => {
    if (method !== 'POST') expect((await server.ask('POST', WIDGETS, widget(`{"n":${N}}`))).status).toBe(201);
    const { status } = await server.ask(method, path, body, headers);
    expect([200, 201]).toContain(status);
    expect(await textOf()).toContain(`:${kept}`);
    expect(await textOf(WIDGETS)).toContain(`:${kept}`);
    expect(await textOf(`${WIDGETS}/w`, { accept: 'application/yaml' })).toContain(`: ${kept}\n`);
  });

  it('by a strategic merge patch of a built-in type', async () => {
    await server.ask('POST', PATHS.deployments, deployment('d', [{ name: 'c', image: 'i' }]));
    const body = `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${N}}}}}`;
    const { status } = await server.ask('PATCH', `${PATHS.deployments}/d`, body, STRATEGIC);
    const patched = await textOf(`${PATHS.deployments}/d`);
    expect([status, patched.includes(`"terminationGracePeriodSeconds":${N}`)]).toEqual([200, true]);
  });

  it('by validation: limits, formats, equality of items in a set', async () => {
    define({
      n: { type: 'integer', format: 'int64', maximum: 9007199254740993n },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
    });
    expect((await server.ask('POST', WIDGETS, widget(`{"n":${N},"set":[9007199254740992,${N}]}`))).status).toBe(201);
    const { status, body } = await server.ask('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740994}}', MERGE);
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining(`9007199254740994: spec.n in body should be less than or equal to ${N}`),
    ]);
    expect((await server.ask('PATCH', `${WIDGETS}/w`, '{"spec":{"n":-9223372036854775809}}', MERGE)).status).toBe(422);
    expect((await server.ask('PATCH', `${WIDGETS}/w`, `{"spec":{"set":[${N},${N}]}}`, MERGE)).status).toBe(422);
    const again = await server.ask('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740992}}', MERGE);
    const { resourceVersion } = again.body.metadata;
    expect(
      (await server.ask('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740992}}', MERGE)).body.metadata
        .resourceVersion,
    ).toBe(resourceVersion);
    expect(
      (await server.ask('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740993}}', MERGE)).body.metadata
        .resourceVersion,
    ).not.toBe(resourceVersion);
  });
});
