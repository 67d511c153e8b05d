import { describe, expect, it } from 'vitest';
import { groupVersionsOf, type ResourceList, typesOfLegacy } from '../../../src/client/discovery/discovery-legacy.ts';

const settled = (value: ResourceList): PromiseSettledResult<ResourceList> => ({ status: 'fulfilled', value });

describe('groupVersionsOf', () => {
  it('gives the versions of the core group', () => {
    expect(groupVersionsOf({ kind: 'APIVersions', versions: ['v1', 7 as never] })).toEqual([
      { group: '', version: 'v1', path: '/api/v1' },
    ]);
  });

  it("keeps the server's order, with the preferred version of each group first", () => {
    const groups = [
      { name: 'b', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
      { name: 'a', versions: [{ version: 'v2' }], preferredVersion: { version: 'gone' } },
    ];
    expect(groupVersionsOf({ kind: 'APIGroupList', groups }).map(({ path }) => path)).toEqual([
      '/apis/b/v1',
      '/apis/b/v1beta1',
      '/apis/a/v2',
    ]);
  });

  it.each([undefined, null, { a: 1 }, [null]])('gives none for %j', (groups) => {
    expect(groupVersionsOf({ kind: 'APIGroupList', groups: groups as never })).toEqual([]);
  });
});

describe('typesOfLegacy', () => {
  const [v1, v2] = [
    { group: 'x', version: 'v1', path: '/apis/x/v1' },
    { group: 'x', version: 'v2', path: '/apis/x/v2' },
  ];
  const web = { name: 'webs', singularName: '', namespaced: true, kind: 'Web', verbs: ['list'], shortNames: ['w'] };

  it('collects subresources, fills in what is left out, and prefers the first version', () => {
    const list = { resources: [web, { name: 'webs/scale', kind: 'Scale' }, { name: 'nodes', kind: 'Node' }] };
    const { types, failures } = typesOfLegacy([v1, v2], [settled(list), settled({ resources: [web] })]);
    expect(failures).toEqual([]);
    expect(types).toEqual([
      {
        gvr: { group: 'x', version: 'v1', resource: 'webs' },
        kind: 'Web',
        singular: 'web',
        shortNames: ['w'],
        categories: [],
        namespaced: true,
        verbs: ['list'],
        subresources: ['scale'],
        preferred: true,
      },
      expect.objectContaining({
        gvr: { group: 'x', version: 'v1', resource: 'nodes' },
        namespaced: false,
        verbs: [],
        preferred: true,
      }),
      expect.objectContaining({
        gvr: { group: 'x', version: 'v2', resource: 'webs' },
        subresources: [],
        preferred: false,
      }),
    ]);
  });

  it('makes a failure of a group version without a response, and prefers the next version', () => {
    const error = new Error('no answer');
    const { types, failures } = typesOfLegacy(
      [v1, v2],
      [{ status: 'rejected', reason: error }, settled({ resources: [web] })],
    );
    expect(failures).toEqual([{ group: 'x/v1', message: 'no answer', error }]);
    expect(types.map(({ gvr, preferred }) => [gvr.version, preferred])).toEqual([['v2', true]]);
  });

  it('ignores entries that are not types', () => {
    const odd = { resources: [null, { name: 7, kind: 'Odd' }, { name: 'odd' }] } as never;
    expect(typesOfLegacy([v1], [settled(odd)])).toEqual({ types: [], failures: [] });
  });
});
