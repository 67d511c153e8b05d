import { expect, it } from 'vitest';
import { negotiate, parseAccept } from '../../../src/sandbox/api/negotiate.ts';
import { bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

const form = (accept: string | undefined, watch = false) => {
  const headers = new Map(accept === undefined ? [] : [['accept', accept]]);
  const { form: as, syntax } = negotiate(headers, new URLSearchParams(), watch);
  return `${as} ${syntax}`;
};

it.each([
  [undefined, 'object json'],
  ['*/*', 'object json'],
  ['application/vnd.kubernetes.protobuf,application/json', 'object json'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'table json'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'object json'],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'metadata json',
  ],
  ['application/json;q=0.5, application/yaml', 'object yaml'],
  ['application/json;drop=metadata.managedFields,application/json', 'object json'],
])('answers Accept %s with %s', (accept, expected) => {
  expect(form(accept)).toBe(expected);
});

it('refuses media types that it does not have, and YAML in a watch', () => {
  expect(() => form('text/csv')).toThrow('406: Not Acceptable');
  expect(() => form('application/vnd.kubernetes.protobuf')).toThrow('406: Not Acceptable');
  expect(() => form('application/yaml', true)).toThrow('406: Not Acceptable');
});

it.each<[agent: string, query: string, pretty: boolean]>([
  ['kubectl/v1.35.0', '', false],
  ['kubectl/v1.35.0', 'pretty=true', true],
  ['kubectl/v1.35.0', 'pretty', true],
  ['curl/8.5.0', '', true],
  ['Mozilla/5.0 (X11)', '', true],
  ['Wget/1.21', '', true],
  ['curl/8.5.0', 'pretty=false', false],
  ['curl/8.5.0', 'pretty=0', false],
])('a client %s that asks ?%s gets indented output: %s', (agent, query, pretty) => {
  expect(negotiate(new Map([['user-agent', agent]]), new URLSearchParams(query), false).pretty).toBe(pretty);
});

it.each([
  ['', 'Metadata'],
  ['includeObject=None', 'None'],
  ['includeObject=Object', 'Object'],
  ['includeObject=Everything', 'Metadata'],
])('?%s puts into each table row: %s', (query, expected) => {
  expect(negotiate(new Map(), new URLSearchParams(query), false).includeObject).toBe(expected);
});

it('sorts the types of an Accept header by quality, keeps the order of equal ones, and takes an invalid quality for 1', () => {
  const types = parseAccept('a/x;q=0.2, B/Y, c/z;q=often;v=v1 , , d/w;q=0.5');
  expect(types.map(({ type, quality }) => `${type} ${quality}`)).toEqual(['b/y 1', 'c/z 1', 'd/w 0.5', 'a/x 0.2']);
  expect(types[1]?.parameters.get('v')).toBe('v1');
});

it('answers curl with indented JSON and programs with one line, as the real server does', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply(configMapNamed('small', { a: '1' }));
  const text = async (path: string, headers: Record<string, string>) =>
    bodyText(await sandbox.handle({ method: 'GET', path, headers }));
  expect(await text(`${CONFIG_MAPS}/small`, { 'user-agent': 'curl/8.5.0' })).toMatch(
    /^\{\n {2}"kind": "ConfigMap",\n[\s\S]*\n\}$/,
  );
  expect(await text(`${CONFIG_MAPS}/small`, { 'user-agent': 'kubectl/v1.35.0' })).toMatch(
    /^\{"kind":"ConfigMap",.*\}\n$/,
  );
  expect(await text(`${CONFIG_MAPS}/small?pretty=0`, { 'user-agent': 'curl/8.5.0' })).toMatch(/^\{"kind"/);
});

it.each([
  ['application/json', false],
  ['application/json; drop=metadata.managedFields', true],
  ['application/json;as=Table;v=v1;g=meta.k8s.io;drop=metadata.managedFields,application/json', true],
  ['application/json;drop=metadata.annotations+metadata.managedFields', true],
  ['application/json;drop=metadata.annotations', false],
  ['application/json;drop=', false],
])('reads from Accept %s whether managedFields are dropped: %s', (accept, expected) => {
  expect(negotiate(new Map([['accept', accept]]), new URLSearchParams(), false).dropsManagedFields).toBe(expected);
});
