import { expect, it } from 'vitest';
import { compile } from '../../support/cel.ts';

const deployment = (status: object, type = 'RollingUpdate') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 2, strategy: { type } },
  status,
});
const rolledOut = (object: unknown) => compile('rolledOut(object)').test({ object });

it('is true once every replica is updated and available', () => {
  const counts = { replicas: 2, updatedReplicas: 2 };
  expect(rolledOut(deployment({ observedGeneration: 2, ...counts, availableReplicas: 1 }))).toBe(false);
  expect(rolledOut(deployment({ observedGeneration: 1, ...counts, availableReplicas: 2 }))).toBe(false);
  expect(rolledOut(deployment({ observedGeneration: 2, ...counts, availableReplicas: 2 }))).toBe(true);
});

it('is false after the progress deadline, and for no object', () => {
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
  expect(rolledOut(deployment({ observedGeneration: 2, updatedReplicas: 1, conditions }))).toBe(false);
  expect(rolledOut(null)).toBe(false);
});

it.each([
  ['another kind', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }, 'rolledOut(): '],
  ['a value that is no object', 'web', 'rolledOut() takes an object, got string'],
  [
    'the strategy OnDelete',
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd' },
      spec: { updateStrategy: { type: 'OnDelete' } },
    },
    'rolledOut(): ',
  ],
])('fails for %s', (_, object, message) => {
  expect(rolledOut(object)).toMatchObject({ code: 'argument', message: expect.stringContaining(message) });
});
