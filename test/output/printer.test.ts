import { expect, it } from 'vitest';
import { qualifiedName, typeName } from '../../src/output/printer.ts';
import { DEPLOYMENTS, PODS } from './fixtures.ts';

it.each([
  [PODS, 'pod', 'pod/web'],
  [DEPLOYMENTS, 'deployment.apps', 'deployment.apps/web'],
  [
    { gvr: { group: 'example.com', version: 'v1', resource: 'crontabs' }, kind: 'CronTab' },
    'crontab.example.com',
    'crontab.example.com/web',
  ],
])('%j has the name %s, and its object %s', (type, name, object) => {
  expect(typeName(type)).toBe(name);
  expect(qualifiedName('web', type)).toBe(object);
});
