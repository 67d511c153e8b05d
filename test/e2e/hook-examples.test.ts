import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const deployment = (name: string, namespace = 'shop', podSpec = {}): UnknownObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'nginx' }], ...podSpec },
    },
  },
});

/** A running example, with all it asks for allowed. */
const started = (file: string) => {
  const hook = path.resolve(import.meta.dirname, '../../examples/hooks', file);
  return new Cli(['reconcile', 'deployments', '-A', '--hook', hook, '--allow-write'], { env: fixture.env });
};

const held = (name: string, namespace = 'shop') =>
  fixture.sandbox.get(DEPLOYMENTS, `${namespace}/${name}`) as UnknownObject & {
    spec: { template: { metadata: { annotations?: Record<string, string> } } };
  };

async function ended(cli: Cli) {
  cli.kill('SIGTERM');
  const { code, stdout, stderr } = await cli.ended();
  expect(code, stderr).toBe(0);
  return stdout;
}

it('config-rollout.ts restarts the Deployments that use a changed ConfigMap, and no others, also after it did not run', async () => {
  const mounted = { volumes: [{ name: 'v', configMap: { name: 'settings' } }] };
  const taken = { containers: [{ name: 'c', image: 'nginx', envFrom: [{ configMapRef: { name: 'settings' } }] }] };
  const other = { volumes: [{ name: 'v', configMap: { name: 'other' } }] };
  fixture.sandbox.apply([
    configMap('other', { a: '1' }),
    deployment('api', 'shop', mounted),
    deployment('shop', 'shop', taken),
    deployment('db', 'shop', other),
    deployment('plain'),
  ]);
  const seen = (name: string) => held(name).metadata.annotations?.['example.com/config-seen'];
  const restarted = (name: string) =>
    held(name).spec.template.metadata.annotations?.['example.com/restarted-for-config'];
  await using first = started('config-rollout.ts');
  await first.until(() => ['api', 'shop', 'db'].every((name) => seen(name) !== undefined), 'what they start with');
  expect(['api', 'shop', 'db', 'plain'].map(restarted)).toEqual([undefined, undefined, undefined, undefined]);
  fixture.sandbox.apply(configMap('settings', { color: 'blue' }));
  await first.until(() => restarted('api') !== undefined && restarted('shop') !== undefined, 'the restarts');
  await ended(first);
  const once = restarted('api');
  fixture.sandbox.apply(configMap('settings', { color: 'green' }));
  await using second = started('config-rollout.ts');
  await second.until(() => restarted('api') !== once && restarted('shop') !== once, 'the restarts that were due');
  const writes = (await ended(second)).split('\n').filter((line) => line.includes('patch '));
  expect([restarted('api'), restarted('db'), restarted('plain')]).toEqual([restarted('shop'), undefined, undefined]);
  expect([writes.length, seen('plain')]).toEqual([2, undefined]);
});

it('auto-label.ts keeps the labels of the Namespace on its Deployments, and leaves others and kube-system alone', async () => {
  const namespace = (name: string, labels: Record<string, string>) =>
    fixture.sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  namespace('shop', { team: 'a' });
  namespace('kube-system', { team: 'platform' });
  fixture.sandbox.apply([deployment('api'), deployment('far', 'other'), deployment('dns', 'kube-system')]);
  const labels = (name: string, of?: string) => held(name, of).metadata.labels;
  await using cli = started('auto-label.ts');
  await cli.until(() => labels('api')?.team === 'a' && labels('web')?.team === 'a', 'the team');
  namespace('shop', { team: 'b', 'cost-center': '7' });
  await cli.until(() => labels('api')?.team === 'b' && labels('web')?.['cost-center'] === '7', 'the new labels');
  fixture.sandbox.apply({
    ...deployment('api'),
    metadata: { name: 'api', namespace: 'shop', labels: { app: 'api', team: 'x' } },
  });
  await cli.until(() => labels('api')?.team === 'b', 'the label again');
  namespace('shop', { 'cost-center': '7' });
  await cli.until(() => labels('api')?.team === undefined && labels('web')?.team === undefined, 'the end of the label');
  await ended(cli);
  expect(labels('api')).toEqual({ app: 'api', 'cost-center': '7' });
  expect([labels('far', 'other'), labels('dns', 'kube-system')]).toEqual([{ app: 'far' }, { app: 'dns' }]);
});
