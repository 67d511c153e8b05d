import { expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { ask } from '../../support/sandbox-requests.ts';

it('refuses a micro-time that it cannot parse', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const lease = { metadata: { name: 'l' }, spec: { renewTime: '2026-01-01T00:00:00Z' } };
  const { status, body } = await ask(sandbox, 'POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
  expect([status, body.message]).toEqual([400, expect.stringContaining('cannot parse "Z" as ".000000"')]);
});
