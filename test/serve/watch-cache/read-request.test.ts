import { describe, expect, it } from 'vitest';
import { parseCollectionPath } from '../../../src/model/collection-path.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { CachedCollection } from '../../../src/serve/watch-cache/cached-collection.ts';
import { readRequestOf } from '../../../src/serve/watch-cache/read-request.ts';
import { Refusal } from '../../../src/serve/watch-cache/refusal.ts';

const HELD = { name: 'pods', as: { table: 'Object' } } as CachedCollection;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function read(query: string, { accept = 'application/json', path = '/api/v1/pods' } = {}) {
  const asked = parseCollectionPath(`${path}?${query}`);
  if (!asked) throw new Error('no collection');
  return readRequestOf(asked, accept, HELD);
}

it('a request without parameters is a list of whole objects, of all, at any version', () => {
  expect(read('')).toEqual({
    isWatch: false,
    form: { kind: 'object' },
    selects: undefined,
    version: '',
    match: '',
    withBookmarks: false,
    timeoutMs: 0,
  });
});

it('a request has its version, how exactly, its form, bookmarks and timeout', () => {
  const query = 'resourceVersion=7&resourceVersionMatch=Exact&includeObject=None&allowWatchBookmarks=true';
  expect(read(`${query}&timeoutSeconds=30`, { accept: TABLE })).toMatchObject({
    form: { kind: 'table', include: 'None' },
    version: '7',
    match: 'Exact',
    withBookmarks: true,
    timeoutMs: 30_000,
  });
});

it.each([
  ['watch=true', true],
  ['watch=1', true],
  ['watch=false', false],
  ['watch=', false],
])('%s: a watch is %j', (query, expected) => {
  expect(read(query).isWatch).toBe(expected);
});

describe('a selection', () => {
  const objects = ['shop/a', 'shop/b', 'other/a'];
  const selected = (query: string, path?: string) => {
    const { selects } = read(query, path === undefined ? {} : { path });
    return objects.filter((key) => {
      const [namespace, name] = key.split('/');
      const metadata = { namespace, name, ...(name === 'a' ? { labels: { app: 'x' } } : {}) };
      return selects?.({ metadata } as UnknownObject, key) ?? true;
    });
  };

  it.each([
    ['labelSelector=app%3Dx', ['shop/a', 'other/a']],
    ['fieldSelector=metadata.name%3Db', ['shop/b']],
    ['fieldSelector=metadata.namespace%3Dshop', ['shop/a', 'shop/b']],
    ['labelSelector=app%3Dx&fieldSelector=metadata.namespace%3Dshop', ['shop/a']],
    ['labelSelector=&fieldSelector=', objects],
  ])('by %s has the objects that all of it selects', (query, keys) => {
    expect(selected(query)).toEqual(keys);
  });

  it('of a namespace has its objects, and of these what else is asked for', () => {
    const path = '/api/v1/namespaces/shop/pods';
    expect(selected('', path)).toEqual(['shop/a', 'shop/b']);
    expect(selected('labelSelector=app%3Dx', path)).toEqual(['shop/a']);
  });
});

it.each([
  ['continue=x', 'pages of a list are not kept here'],
  ['sendInitialEvents=false', 'sendInitialEvents is not evaluated here'],
  ['shardSelector=x', 'shardSelector is not evaluated here'],
  [
    'fieldSelector=metadata.name%3Da,status.phase%3DRunning',
    'the field selector status.phase is evaluated by the API server',
  ],
  ['labelSelector=a%20b%20c', 'unable to parse requirement'],
  ['fieldSelector=a', 'a'],
])('%s belongs to the server', (query, message) => {
  let refused: unknown;
  try {
    read(query);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(Refusal);
  expect((refused as Refusal).status).toMatchObject({ code: 421, message: expect.stringContaining(message) });
});

it('an empty continue is the first page, which is all', () => {
  expect(read('continue=').selects).toBeUndefined();
});
