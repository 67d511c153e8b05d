import { expect, it } from 'vitest';
import { FieldSelector } from '../../../src/model/field-selector.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { selectionOf } from '../../../src/sandbox/read/selection.ts';
import { StoredObject } from '../../../src/sandbox/store/stored-object.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { builtinType } from '../../support/api-types.ts';
import { ask } from '../../support/sandbox-requests.ts';

const PODS = builtinType('pods');

function selection(labels: string, fields: string) {
  return selectionOf(PODS, { labels: LabelSelector.parse(labels), fields: FieldSelector.parse(fields) });
}

const pod = (app: string | undefined, nodeName: string) =>
  new StoredObject(
    'a/b',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'b', namespace: 'a', ...(app ? { labels: { app } } : {}) },
      spec: { nodeName },
    },
    1,
  );

it.each([
  ['app=web', '', true, false],
  ['', 'spec.nodeName=n1', true, true],
  ['app=web', 'spec.nodeName=n2', false, false],
  ['!app', 'metadata.name=b', false, true],
])('labels %j and fields %j match a pod with labels: %s, without: %s', (labels, fields, withLabels, without) => {
  const matches = selection(labels, fields);
  expect([matches?.(pod('web', 'n1')), matches?.(pod(undefined, 'n1'))]).toEqual([withLabels, without]);
});

it('is undefined when every object matches', () => {
  expect(selection('', '')).toBeUndefined();
});

it('throws for a field that pods cannot be selected by', () => {
  expect(() => selection('', 'spec.foo=bar')).toThrow('field label not supported: spec.foo');
});

it('selects pods by the fields that kubectl uses; an absent field counts as empty', async () => {
  await using sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
  sandbox.apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'on' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running' },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'off' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  ]);
  const select = async (selector: string) =>
    (await ask(sandbox, 'GET', `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`)).body.items.map(
      (o) => o.metadata.name,
    );
  expect(await select('spec.nodeName=n1')).toEqual(['on']);
  expect(await select('spec.nodeName=')).toEqual(['off']);
  expect(await select('status.phase!=Running')).toEqual(['off']);
  expect(await select('metadata.name=on,metadata.namespace=default')).toEqual(['on']);
});
