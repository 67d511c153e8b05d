import { expect, test } from 'vitest';
import { isNameOf, nameRuleOf } from '../../src/model/object-name.ts';

test.each<[string, boolean, boolean, boolean]>([
  ['web-1', true, true, true],
  ['a', true, true, true],
  ['kube-root-ca.crt', false, true, true],
  ['system:node', false, false, true],
  ['Web', false, false, true],
  ['web_1', false, false, true],
  ['-web', false, false, true],
  ['web-', false, false, true],
  ['web.-1', false, false, true],
  ['v1.', false, false, true],
  ['web-*', false, false, true],
  ['a/b', false, false, false],
  ['a%b', false, false, false],
  ['.', false, false, false],
  ['..', false, false, false],
  ['', false, false, false],
  ['a'.repeat(63), true, true, true],
  ['a'.repeat(64), false, true, true],
  ['a'.repeat(254), false, false, true],
])('"%s" is a label %s, a subdomain %s, a path segment %s', (name, label, subdomain, segment) => {
  expect([isNameOf('label', name), isNameOf('subdomain', name), isNameOf('segment', name)]).toEqual([
    label,
    subdomain,
    segment,
  ]);
});

test.each<[string, string, string | undefined]>([
  ['', 'namespaces', 'label'],
  ['', 'pods', 'subdomain'],
  ['apps', 'deployments', 'subdomain'],
  ['', 'events', 'segment'],
  ['rbac.authorization.k8s.io', 'clusterroles', 'segment'],
  ['apiregistration.k8s.io', 'apiservices', 'segment'],
  ['networking.k8s.io', 'ingresses', 'subdomain'],
  ['networking.k8s.io', 'ipaddresses', 'segment'],
  ['stable.example.com', 'myapples', undefined],
  ['user.openshift.io', 'identities', undefined],
])('the rule for names in group "%s" of %s is %s', (group, resource, rule) => {
  expect(nameRuleOf({ group, version: 'v1', resource })).toBe(rule);
});
