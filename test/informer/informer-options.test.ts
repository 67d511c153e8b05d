import { describe, expect, it } from 'vitest';
import {
  checkInformerOptions,
  checkSources,
  type ScopedSource,
  selectorsOfName,
} from '../../src/informer/informer-options.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

describe('the sources of an informer', () => {
  const check = (...parts: Partial<ScopedSource<unknown>>[]) => {
    try {
      checkSources(parts as ScopedSource<unknown>[]);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each<Partial<ScopedSource<unknown>>[]>([
    [{}],
    [{ namespace: 'a' }, { namespace: 'b' }],
    [{ name: 'a' }, { name: 'b' }],
    [
      { namespace: 'a', name: 'x' },
      { namespace: 'a', name: 'y' },
    ],
    [{ namespace: 'a', name: 'x' }, { namespace: 'a' }],
  ])('may be %j and %j', (...parts) => {
    expect(check(...parts)).toBeUndefined();
  });

  it.each<[Partial<ScopedSource<unknown>>[], string]>([
    [[], 'an informer needs at least one source'],
    [[{}, { namespace: 'a' }], 'sources must be of different namespaces or names, not ["","a"]'],
    [[{ namespace: 'a' }, { namespace: 'a' }], 'sources must be of different namespaces or names, not ["a","a"]'],
    [[{ name: 'x' }, { name: 'x' }], 'sources must be of different namespaces or names, not ["/x","/x"]'],
  ])('%j are refused: %s', (parts, message) => {
    expect(check(...parts)).toBe(message);
  });
});

it('indexes that were added later can be removed, those that an informer began with stay', async () => {
  await using place = await inProcess();
  const source = place.client.resource<UnknownObject>(CONFIG_MAPS);
  const informer = new SharedInformer<UnknownObject>(source, { indexers: { own: () => ['x'] } });
  informer.addIndexers({ more: () => ['y'] });
  const names = ['own', 'more', 'namespace'];
  expect(names.map((name) => informer.lister.hasIndex(name))).toEqual([true, true, true]);
  informer.removeIndexers([...names, 'unknown']);
  expect(names.map((name) => informer.lister.hasIndex(name))).toEqual([true, false, true]);
});

it.each([
  [2, 3],
  [3, 0],
])('with `auto` and compactAbove %i, %i of three objects become compact', async (compactAbove, packed) => {
  const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });
  await using place = await inProcess({ objects: ['a', 'b', 'c'].map(object) });
  const { client, clock } = place;
  const source = client.resource<UnknownObject>(CONFIG_MAPS);
  const informer = new SharedInformer<UnknownObject>(source, { clock, store: 'auto', compactAbove });
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  await informer.whenSynced(ending.signal);
  await clock.advance(1);
  expect(informer.memory).toMatchObject({ objects: 3, packed });
  ending.abort();
  await running;
});

it('refuses a compactAbove below 0', async () => {
  await using place = await inProcess();
  const source = place.client.resource<UnknownObject>(CONFIG_MAPS);
  expect(() => new SharedInformer(source, { compactAbove: -1 })).toThrow('compactAbove must be a number not below 0');
});

it('takes 0 for each time and number, and has the checks of a reflector', () => {
  expect(() => checkInformerOptions({ resyncMs: 0, verifyEveryMs: 0, compactAbove: 0 })).not.toThrow();
  for (const name of ['resyncMs', 'verifyEveryMs', 'compactAbove'])
    expect(() => checkInformerOptions({ [name]: -1 })).toThrow(`${name} must be a number not below 0, not -1`);
  expect(() => checkInformerOptions({ idleMs: 0 })).toThrow('idleMs');
});

it('selects a source of one name by that name, beside the other selectors', () => {
  expect(selectorsOfName('x')).toEqual({ fieldSelector: 'metadata.name=x' });
  expect(selectorsOfName('x', { labelSelector: 'a', fieldSelector: 'spec.nodeName=n' })).toEqual({
    labelSelector: 'a',
    fieldSelector: 'metadata.name=x,spec.nodeName=n',
  });
});
