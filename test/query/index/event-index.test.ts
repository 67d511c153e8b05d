import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { names, storeOf } from '../../support/query.ts';

const about = (apiVersion: string | undefined, kind: string, name: string) => ({
  apiVersion,
  kind,
  name,
  namespace: 'shop',
  uid: `uid-${kind}-${name}`,
});
const event = (name: string, fields: object): UnknownObject =>
  ({ metadata: { name, namespace: 'shop' }, ...fields }) as UnknownObject;

const EVENTS = [
  event('core', { involvedObject: about('v1', 'Pod', 'web-1') }),
  event('new', { regarding: about('v1', 'Pod', 'web-1') }),
  event('deployed', { involvedObject: about('apps/v1', 'Deployment', 'web') }),
  event('versionless', { involvedObject: about(undefined, 'Deployment', 'web') }),
  event('other-project', { involvedObject: about('serving.example.dev/v1', 'Service', 'web') }),
  event('service', { involvedObject: about('v1', 'Service', 'web') }),
  event('nothing', { involvedObject: {} }),
  event('odd', { involvedObject: 'all' }),
];

const KINDS: Readonly<Record<string, string>> = {
  po: 'Pod.',
  pods: 'Pod.',
  pod: 'Pod.',
  deploy: 'Deployment.apps',
  svc: 'Service.',
  'services.serving.example.dev': 'Service.serving.example.dev',
};

describe.each([
  ['kept by the store', true],
  ['computed during a scan', false],
])('the index of what Events are about, %s', (_, kept) => {
  const catalog = new IndexCatalog([], { kindOf: (word) => KINDS[word] });
  const store = storeOf(EVENTS, kept ? [catalog.get('event')] : []);

  test.each([
    ['event=pod/web-1', ['core', 'new']],
    ['event=po/web-1', ['core', 'new']],
    ['event=shop/pods/web-1', ['core', 'new']],
    ['event=bank/pods/web-1', []],
    ['event=uid-Pod-web-1', ['core', 'new']],
    ['event=deploy/web', ['deployed', 'versionless']],
    ['event=svc/web', ['service']],
    ['event=services.serving.example.dev/web', ['other-project']],
    ['event=web-1', []],
  ])('finds the Events by %s', (text, expected) => {
    expect(names(runLookups({ store, catalog, lookups: [parseLookup('eq', text)] }).objects)).toEqual(expected);
  });
});

test('one readable name is listed for each object, with its namespace where that is asked', () => {
  const listed = (listsNamespaces: boolean) =>
    EVENTS.flatMap((each) => new IndexCatalog([], { listsNamespaces }).get('event').listed?.(each));
  expect(listed(false)).toEqual([
    'pod/web-1',
    'pod/web-1',
    'deployment/web',
    'deployment/web',
    'service.serving.example.dev/web',
    'service/web',
  ]);
  expect(listed(true)[0]).toBe('shop/pod/web-1');
});
