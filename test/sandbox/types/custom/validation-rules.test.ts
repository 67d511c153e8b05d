import { describe, expect, it } from 'vitest';
import { CRDS, causesOf, definition, THINGS, useThings, version } from '../../../support/custom-things.ts';
import { ask } from '../../../support/sandbox-requests.ts';
import { useSandbox, WIDGETS, widget, widgetDefinition } from '../../../support/write-requests.ts';

const server = useSandbox();
const define = (properties: object) => server.sandbox.apply(widgetDefinition(properties));

const things = useThings();

describe('rules', () => {
  const RULES = [
    { rule: 'self.min <= self.max', message: 'min is more than max' },
    {
      rule: 'self.max == oldSelf.max || self.max > oldSelf.max',
      messageExpression: '"max went down from " + string(oldSelf.max)',
    },
  ];
  const properties = { min: { type: 'integer' }, max: { type: 'integer' }, name: { type: 'string' } };

  it('are evaluated, with their messages; a rule about a change only for a change', async () => {
    things.serve(properties, { required: ['min', 'max'], 'x-kubernetes-validations': RULES });
    expect(causesOf(await things.post({ min: 2, max: 1 }))).toEqual(['spec: Invalid value: min is more than max']);
    expect((await things.post({ min: 1, max: 5 })).status).toBe(201);
    const down = await ask(things.sandbox, 'PATCH', `${THINGS}/a`, { spec: { max: 4 } });
    expect(causesOf(down)).toEqual(['spec: Invalid value: max went down from 5']);
  });

  it('are not evaluated while the object has other problems, and the answer says so', async () => {
    things.serve(properties, { required: ['min', 'max'], 'x-kubernetes-validations': RULES });
    expect(causesOf(await things.post({ min: 2 }))).toEqual([
      'spec.max: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('show the value of a scalar, can have their own reason and path, and fail when their evaluation fails', async () => {
    const validations = [{ rule: 'self.startsWith("a")', message: 'must begin with a' }];
    things.serve({ name: { type: 'string', 'x-kubernetes-validations': validations } });
    expect(causesOf(await things.post({ name: 'b' }))).toEqual(['spec.name: Invalid value: "b": must begin with a']);
    things.serve(properties, {
      'x-kubernetes-validations': [
        { rule: 'has(self.name)', reason: 'FieldValueRequired', fieldPath: '.name', message: 'say it' },
      ],
    });
    expect(causesOf(await things.post({}))).toEqual(['spec.name: Required value: say it']);
    things.serve(properties, { 'x-kubernetes-validations': [{ rule: 'self.min > 0' }] });
    expect(causesOf(await things.post({}))).toEqual([
      'spec: Invalid value: "object": no such key: min evaluating rule: failed rule: self.min > 0',
    ]);
  });

  it('with an unknown function give a warning for the definition, and 501 for an object, which is not stored', async () => {
    const properties = { name: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isIP(self)' }] } };
    const { headers } = await ask(
      things.sandbox,
      'POST',
      `${CRDS}?dryRun=All`,
      definition([version({ spec: { properties } })]),
    );
    expect(headers.warning).toContain('cannot evaluate the rule');
    things.serve({ name: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isIP(self)' }] } });
    const { status, body } = await things.post({ name: '10.0.0.1' });
    expect([status, body.reason]).toEqual([501, 'NotImplemented']);
    expect(body.message).toContain('"isIP(self)"');
    expect((await ask(things.sandbox, 'GET', THINGS)).body.items).toEqual([]);
  });
});

it('matches a pattern in a rule fast too, and as Go does', async () => {
  define({
    a: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self.matches("^(a+)+$")', message: 'say ".matches(" as you like' }],
    },
    b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.matches("(?i)^x$")' }] },
  });
  const { status, body } = await server.ask('POST', WIDGETS, widget(`{"a":"${'a'.repeat(40)}!","b":"X"}`));
  expect([status, body.message]).toEqual([422, expect.stringContaining('spec.a: Invalid value:')]);
  expect((await server.ask('POST', WIDGETS, widget('{"a":"aa","b":"y"}'))).body.message).toContain(
    'failed rule: self.matches("(?i)^x$")',
  );
  expect((await server.ask('POST', WIDGETS, widget('{"a":"aa","b":"X"}'))).status).toBe(201);
});
