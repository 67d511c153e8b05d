import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../support/sandbox-requests.ts';
import {
  APPLY,
  MERGE,
  STRATEGIC,
  useSandbox,
  WIDGETS,
  widget,
  widgetDefinition,
} from '../../support/write-requests.ts';

const server = useSandbox();
const configMap = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, ...more });
const define = (properties: object) => server.sandbox.apply(widgetDefinition(properties));

describe('names that every JavaScript object has', () => {
  it.each([
    ['strategic', STRATEGIC],
    ['merge', MERGE],
    ['apply', APPLY],
  ])('are ordinary fields in a %s patch, and reach no other object', async (_kind, headers) => {
    await server.ask('POST', CONFIG_MAPS, configMap({ data: { a: '1' } }));
    const body = '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"p","constructor":"c","toString":"t"}}';
    const { status, body: changed } = await server.ask('PATCH', `${CONFIG_MAPS}/cm?fieldManager=m`, body, headers);
    expect(status).toBe(200);
    expect(Object.entries((changed as unknown as { data: object }).data).sort()).toEqual([
      ['__proto__', 'p'],
      ['a', '1'],
      ['constructor', 'c'],
      ['toString', 't'],
    ]);
  });

  it.each([
    ['strategic', STRATEGIC],
    ['merge', MERGE],
  ])('do not let a %s patch change what all objects share', async (_kind, headers) => {
    await server.ask('POST', CONFIG_MAPS, configMap({ data: { a: '1' } }));
    await server.ask(
      'PATCH',
      `${CONFIG_MAPS}/cm`,
      '{"data":{"__proto__":{"polluted":"x"}},"__proto__":{"polluted":"x"}}',
      headers,
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are unknown fields when the schema does not have them', async () => {
    define({ a: { type: 'string' } });
    const { body } = await server.ask(
      'POST',
      WIDGETS,
      widget('{"a":"x","constructor":{"b":1},"__proto__":{"c":1},"toString":"t"}'),
    );
    expect(Object.keys(body.spec)).toEqual(['a']);
  });

  it('can be required by a schema, and have defaults', async () => {
    define({
      constructor: { type: 'object', default: {}, properties: { valueOf: { type: 'string', default: 'v' } } },
      inner: { type: 'object', required: ['toString'], properties: { toString: { type: 'string' } } },
    });
    expect((await server.ask('POST', WIDGETS, widget('{}'))).body.spec).toEqual({ constructor: { valueOf: 'v' } });
    expect((await server.ask('POST', WIDGETS, widget('{"inner":{}}').replace('"w"', '"v"'))).status).toBe(422);
  });
});
