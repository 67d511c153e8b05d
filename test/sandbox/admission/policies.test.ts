import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { ask } from '../../support/sandbox-requests.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });
const apiVersion = 'admissionregistration.k8s.io/v1';
const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
};

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false });
});
afterEach(() => sandbox.close());

const policy = (spec: object) =>
  sandbox.apply({
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
  });
const bind = (spec: object = {}) =>
  sandbox.apply({
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
  });

const DENIED = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `;
const refusal = async (body: object = map('a', { size: '7' })) => {
  const { status, body: answer } = await ask(sandbox, 'POST', MAPS, body);
  return [status, answer.message];
};

describe('a policy', () => {
  it.each([
    ['its expression', { expression: 'int(object.data.size) <= 5' }, 'failed expression: int(object.data.size) <= 5'],
    ['its message', { expression: 'false', message: ' too large ' }, 'too large'],
    ['the message that it makes', { expression: 'false', messageExpression: '"size " + object.data.size' }, 'size 7'],
    ['its message where none can be made', { expression: 'false', message: 'm', messageExpression: 'object.no' }, 'm'],
    [
      'an error',
      { expression: 'object.spec.a == 1' },
      "expression 'object.spec.a == 1' resulted in error: no such key: spec",
    ],
  ])('refuses with %s', async (_, validation, why) => {
    policy({ validations: [validation] });
    bind();
    expect(await refusal()).toEqual([422, `${DENIED}${why}`]);
  });

  it('refuses with its reason', async () => {
    policy({ validations: [{ expression: 'false', reason: 'Forbidden' }] });
    bind();
    const { body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([body.code, body.reason, body.details.causes]).toEqual([
      403,
      'Forbidden',
      [{ message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: false" }],
    ]);
  });

  it.each([
    [
      'a condition that is false',
      { matchConditions: [{ name: 'c', expression: 'request.operation == "DELETE"' }] },
      {},
    ],
    ['an error that it ignores', { failurePolicy: 'Ignore', validations: [{ expression: 'object.no == 1' }] }, {}],
    [
      'an excluded resource',
      { matchConstraints: { resourceRules: [rule], excludeResourceRules: [{ ...rule, resourceNames: ['a'] }] } },
      {},
    ],
    ['a binding for another namespace', {}, { matchResources: { namespaceSelector: { matchLabels: { on: 'yes' } } } }],
    ['a binding that only audits', {}, { validationActions: ['Audit'] }],
  ])('does not refuse with %s', async (_, spec, binding) => {
    policy({ validations: [{ expression: 'false' }], ...spec });
    bind(binding);
    expect((await ask(sandbox, 'POST', MAPS, map('a'))).status).toBe(201);
  });

  it('warns where the binding says so', async () => {
    policy({ validations: [{ expression: 'false', message: 'careful' }] });
    bind({ validationActions: ['Warn'] });
    const { status, headers } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([status, headers.warning]).toEqual([
      201,
      `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': careful"`,
    ]);
  });

  it('reads variables, each made of those before it, the namespace, and the object before', async () => {
    const variables = [
      { name: 'size', expression: 'int(object.data.size)' },
      { name: 'twice', expression: 'variables.size * 2' },
    ];
    const expression = 'variables.twice == 14 && namespaceObject.metadata.name == "default" && oldObject == null';
    policy({ variables, validations: [{ expression }] });
    bind();
    expect((await ask(sandbox, 'POST', MAPS, map('a', { size: '7' }))).status).toBe(201);
    expect((await refusal(map('a', { size: '8' })))[0]).toBe(422);
  });

  it('names the variable that has no value', async () => {
    policy({
      variables: [{ name: 'size', expression: 'int(object.data.no)' }],
      validations: [{ expression: 'variables.size == 1' }],
    });
    bind();
    expect(await refusal()).toEqual([
      422,
      `${DENIED}expression 'variables.size == 1' resulted in error: composited variable "size" fails to evaluate: no such key: no`,
    ]);
  });

  it('is evaluated with each of its params', async () => {
    policy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'int(object.data.size) <= int(params.data.max)' }],
    });
    const limit = (name: string, max: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'infra', labels: { limit: 'yes' } },
      data: { max },
    });
    sandbox.apply([limit('one', '9'), limit('two', '6')]);
    const paramRef = { namespace: 'infra', parameterNotFoundAction: 'Deny' };
    bind({ paramRef: { ...paramRef, name: 'one' } });
    expect((await ask(sandbox, 'POST', `${MAPS}?dryRun=All`, map('a', { size: '7' }))).status).toBe(201);
    bind({ paramRef: { ...paramRef, name: null, selector: { matchLabels: { limit: 'yes' } } } });
    expect((await refusal())[0]).toBe(422);
    bind({ paramRef: { ...paramRef, name: 'none', selector: null } });
    expect(await refusal()).toEqual([
      422,
      `${DENIED}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    ]);
  });

  it('decides about deletions too, and never about policies', async () => {
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...map('a') });
    policy({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }],
      },
      validations: [{ expression: 'object != null' }],
    });
    bind();
    expect((await ask(sandbox, 'DELETE', `${MAPS}/a`)).status).toBe(422);
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p';
    expect((await ask(sandbox, 'DELETE', policies)).status).toBe(200);
  });

  it('that needs what only a real server has is answered with 501', async () => {
    policy({ validations: [{ expression: 'authorizer.group("").resource("pods").check("get").allowed()' }] });
    bind();
    expect((await refusal())[0]).toBe(501);
  });
});
