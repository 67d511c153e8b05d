import { describe, expect, it } from 'vitest';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { shapeOf } from '../../../src/sandbox/types/merge-rules.ts';
import { strategicMerge } from '../../../src/sandbox/write/strategic-merge.ts';

describe('strategic merge patch', () => {
  const deployments = builtinTypes().find((t) => t.storage === 'deployments.apps');
  const podSpec = (containers: object[], more: object = {}) => ({
    spec: { template: { spec: { containers, ...more } } },
  });
  const merged = (current: object, patch: object) =>
    strategicMerge(
      structuredClone(current) as Record<string, unknown>,
      patch as Record<string, unknown>,
      deployments && shapeOf(deployments),
    );

  it('refuses an item without its key and an unknown directive, in the words of the real server', () => {
    expect(() => merged(podSpec([]), podSpec([{ image: 'x' }]))).toThrow(
      'map: map[image:x] does not contain declared merge key: name',
    );
    expect(() => merged({}, { $patch: 'mix' })).toThrow('unknown patch type: mix in map: map[$patch:mix]');
  });

  it('merges list items by their key and adds new ones', () => {
    const current = podSpec([
      { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
      { name: 'b', image: 'b:1' },
    ]);
    const patch = podSpec([
      { name: 'b', image: 'b:2' },
      { name: 'c', image: 'c:1' },
      { name: 'a', env: [{ name: 'Y', value: '2' }] },
    ]);
    expect(merged(current, patch)).toEqual(
      podSpec([
        {
          name: 'a',
          image: 'a:1',
          env: [
            { name: 'X', value: '1' },
            { name: 'Y', value: '2' },
          ],
        },
        { name: 'b', image: 'b:2' },
        { name: 'c', image: 'c:1' },
      ]),
    );
  });

  it('removes items, replaces lists and objects, and sorts by $setElementOrder', () => {
    const current = podSpec([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { nodeSelector: { old: 'yes' } });
    expect(merged(current, podSpec([{ name: 'b', $patch: 'delete' }]))).toEqual(
      podSpec([{ name: 'a' }, { name: 'c' }], { nodeSelector: { old: 'yes' } }),
    );
    const replaced = merged(
      current,
      podSpec([{ $patch: 'replace' }, { name: 'z' }] as object[], { nodeSelector: { $patch: 'replace', new: 'yes' } }),
    );
    expect(replaced).toEqual(podSpec([{ name: 'z' }], { nodeSelector: { new: 'yes' } }));
    const order = {
      spec: { template: { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] } } },
    };
    expect(merged(current, order)).toEqual(
      podSpec([{ name: 'c' }, { name: 'a' }, { name: 'b' }], { nodeSelector: { old: 'yes' } }),
    );
  });

  it('keeps only the named keys of a union', () => {
    const volumes = (volume: object) => ({ spec: { template: { spec: { volumes: [volume] } } } });
    const current = volumes({ name: 'v', emptyDir: {} });
    const patch = volumes({ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'x' } });
    expect(merged(current, patch)).toEqual(volumes({ name: 'v', configMap: { name: 'x' } }));
  });

  it('removes values from a list of scalars', () => {
    const current = { metadata: { finalizers: ['a', 'b'] } };
    expect(merged(current, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } })).toEqual({
      metadata: { finalizers: ['b', 'c'] },
    });
  });

  it('replaces a list without a merge key', () => {
    const tolerations = (list: object[]) => ({ spec: { template: { spec: { tolerations: list } } } });
    expect(merged(tolerations([{ key: 'a' }]), tolerations([{ key: 'b' }]))).toEqual(tolerations([{ key: 'b' }]));
  });
});

it('a patch of a list with very many items takes time in proportion to them', () => {
  const accounts = builtinTypes().find((t) => t.storage === 'serviceaccounts');
  const secrets = Array.from({ length: 60_000 }, (_, i) => ({ name: `s${i}` }));
  const patch = { secrets: [{ name: 's1', $patch: 'delete' }, ...secrets.slice(2), { name: 'last' }] };
  const merged = strategicMerge({ secrets }, patch, accounts && shapeOf(accounts));
  expect(merged.secrets).toEqual([{ name: 's0' }, ...secrets.slice(2), { name: 'last' }]);
});
