import { expect, it } from 'vitest';
import type { HookRequest } from '../../../src/hooks/hook.ts';
import { KnownVersions, knownVersions } from '../../../src/hooks/run/known-versions.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const SERVER = 'https://10.0.0.1:6443';
const [DEPLOYMENTS, PODS] = [parseGvr('apps/v1/deployments'), parseGvr('v1/pods')];

function setUp() {
  const clock = new FakeClock();
  const versions = new KnownVersions(SERVER, clock);
  const of = (version: string | undefined, causes: Partial<HookRequest['causes'][number]>[] = []) => {
    const object = version === undefined ? null : { metadata: { name: 'web', resourceVersion: version } };
    const text = versions.of({ gvr: 'apps/v1/deployments', object, causes: causes as HookRequest['causes'] });
    return Object.fromEntries(knownVersions(text.INFORMER_VERSIONS ?? '', SERVER));
  };
  return { clock, versions, of };
}

it('a run knows the versions of its object and of what led to it, the newest of each type', () => {
  const { of } = setUp();
  const child = (resourceVersion: string) => ({ source: 'pods', key: 'shop/web-1', resourceVersion });
  expect(of('81', [{ source: 'deployments.apps', resourceVersion: '79' }, child('100'), child('99')])).toEqual({
    'deployments.apps': '81',
    pods: '100',
  });
  expect(of('81', [{ source: 'deployments.apps', resourceVersion: '90' }])).toEqual({ 'deployments.apps': '90' });
  expect(of(undefined, [{ reason: 'requeue' }, child('x7')])).toEqual({});
});

it('it knows what actions of the last minute wrote, the newest of each type', async () => {
  const { of, versions, clock } = setUp();
  versions.wrote(PODS, '9');
  versions.wrote(PODS, '12');
  versions.wrote(PODS, '10');
  versions.wrote(PODS, undefined); // a deletion
  versions.wrote(DEPLOYMENTS, 'x9');
  expect(of('8')).toEqual({ 'deployments.apps': '8', pods: '12' });
  await clock.advance(59_999);
  expect(of('8')).toEqual({ 'deployments.apps': '8', pods: '12' });
  await clock.advance(1);
  expect(of('8')).toEqual({ 'deployments.apps': '8' });
  versions.wrote(PODS, '3'); // the server was restored
  expect(of('8')).toEqual({ 'deployments.apps': '8', pods: '3' });
});

it.each([
  ['of another server', JSON.stringify({ server: 'https://10.0.0.2:6443', versions: { pods: '1' } })],
  ['that is no JSON', 'pods=1'],
  ['that is null', 'null'],
  ['without versions', JSON.stringify({ server: SERVER })],
  ['with other values', JSON.stringify({ server: SERVER, versions: { pods: 1, nodes: 'x', services: '' } })],
])('nothing is known from a text %s', (_, text) => {
  expect(knownVersions(text, SERVER).size).toBe(0);
});
