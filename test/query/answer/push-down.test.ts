import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compiledAll } from '../../../src/cli/session/stream-filters.ts';
import { FieldSelector } from '../../../src/model/field-selector.ts';
import { LabelSelector } from '../../../src/model/label-selector.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { pushedDownOf, pushedText, withdrawSelectors } from '../../../src/query/answer/push-down.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { type Lookup, type LookupFlag, parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { storeOf } from '../../support/query.ts';

const typeOf = (group: string, resource: string, namespaced = true) =>
  ({ gvr: { group, version: 'v1', resource }, namespaced }) as ResourceType;
const PODS = typeOf('', 'pods');

interface Asked {
  readonly type?: ResourceType;
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly indexes?: readonly string[];
  readonly filters?: readonly string[];
}

async function pushed(lookups: readonly (string | Lookup)[], asked: Asked = {}) {
  const { type = PODS, names = [], namespaces = [''], indexes = [], filters = [] } = asked;
  const question = {
    declared: await Promise.all(indexes.map((text) => parseIndex(text))),
    lookups: lookups.map((text) => {
      if (typeof text !== 'string') return text;
      const [flag = '', rest = ''] = text.split(' ');
      return parseLookup(flag as LookupFlag, rest);
    }),
    filters: (await compiledAll(filters, 'filter')).programs,
    namespaces,
  };
  return (await pushedDownOf(question, [{ type, names }])).get(type);
}

describe('a server is asked for', () => {
  test.each<[string, string[], Asked, string]>([
    ['a label', ['eq label:app=web'], {}, 'label selector app=web'],
    ['one of several labels', ['in label:app=web,db'], {}, 'label selector app in (db,web)'],
    ['any value of a label for a prefix', ['prefix label:app=w'], {}, 'label selector app'],
    ['any value of a label for a value that none can have', ['eq label:app=a_b!'], {}, 'label selector app'],
    ['any value of a label for the empty one', ['eq label:app='], {}, 'label selector app'],
    ['nothing for a label that none can have', ['eq label:a!=x'], {}, 'nothing'],
    ['a node of pods', ['eq node=n1'], {}, 'field selector spec.nodeName=n1'],
    ['a field with signs of selectors in it', ['eq node=a,b=c'], {}, 'field selector spec.nodeName=a\\,b\\=c'],
    ['nothing for one of several nodes', ['in node=n1,n2'], {}, 'nothing'],
    ['nothing for the empty node', ['eq node='], {}, 'nothing'],
    ['no node of other types', ['eq node=n1'], { type: typeOf('apps', 'deployments') }, 'nothing'],
    ['a phase of pods', ['eq phase=Running'], {}, 'field selector status.phase=Running'],
    ['no phase of claims', ['eq phase=Bound'], { type: typeOf('', 'persistentvolumeclaims') }, 'nothing'],
    ['a namespace', ['eq namespace=shop'], {}, 'namespace shop'],
    ['several namespaces, in the order of a list', ['in namespace=shop,bank'], {}, 'namespace bank, shop'],
    ['the namespaces of the question that are left', ['in namespace=a,b'], { namespaces: ['c', 'b'] }, 'namespace b'],
    ['nothing if none is left', ['eq namespace=a'], { namespaces: ['b'] }, 'nothing'],
    ['nothing for what is no namespace', ['eq namespace=../x'], {}, 'nothing'],
    ['no namespace of cluster-scoped types', ['eq namespace=a'], { type: typeOf('', 'nodes', false) }, 'nothing'],
    [
      'all lookups together',
      ['eq label:app=web', 'eq node=n1', 'eq namespace=shop', 'eq image=a'],
      {},
      'namespace shop and label selector app=web and field selector spec.nodeName=n1',
    ],
    ['what a declared index reads', ['eq n=n1'], { indexes: ['n=.spec.nodeName'] }, 'field selector spec.nodeName=n1'],
    ['the same in CEL', ['eq n=n1'], { indexes: ['n=object.spec.nodeName'] }, 'field selector spec.nodeName=n1'],
    ['a label of a declared index', ['eq a=x'], { indexes: ["a=.metadata.labels['a.b/c']"] }, 'label selector a.b/c=x'],
    ['a name', ['eq a=x'], { indexes: ['a=.metadata.name'] }, 'field selector metadata.name=x'],
    ['nothing of other expressions', ['eq a=x'], { indexes: ['a=object.spec.nodeName + ""'] }, 'nothing'],
    [
      'nothing if a declared index has the name of a built-in one',
      ['eq node=n1'],
      { indexes: ['node=.spec.x'] },
      'nothing',
    ],
    [
      'Events of a name',
      ['eq event=pod/web-1'],
      { type: typeOf('', 'events') },
      'field selector involvedObject.name=web-1',
    ],
    [
      'Events of the newer type',
      ['eq event=shop/pod/web-1'],
      { type: typeOf('events.k8s.io', 'events') },
      'field selector regarding.name=web-1',
    ],
    ['Events of a uid', ['eq event=u-1'], { type: typeOf('', 'events') }, 'field selector involvedObject.uid=u-1'],
    [
      'a part of --filter',
      ['eq node=n1'],
      { filters: ['object.metadata.labels.app == "web" && object.spec.x == 1'] },
      'label selector app=web and field selector spec.nodeName=n1',
    ],
    ['nothing if objects are named', ['eq node=n1'], { names: ['web-1'] }, 'nothing'],
  ])('%s', async (_, lookups, asked, expected) => {
    expect(pushedText(await pushed(lookups, asked))).toBe(expected);
  });
});

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const somePod = fc
  .record({
    namespace: fc.constantFrom('shop', 'bank'),
    node: maybe(['n1', 'n,2', '']),
    phase: maybe(['Running', 'Failed']),
    app: maybe(['web', 'db', '']),
  })
  .map(({ namespace, node, phase, app }): UnknownObject => {
    const labels = app === undefined ? {} : { labels: { app } };
    return { metadata: { name: 'x', namespace, ...labels }, spec: { nodeName: node }, status: { phase } };
  });
const DOMAINS: Readonly<Record<string, readonly string[]>> = {
  namespace: ['shop', 'bank', ''],
  node: ['n1', 'n,2', ''],
  phase: ['Running', 'Failed', ''],
  'label:app': ['web', 'db', ''],
  n: ['n1', 'n,2', ''],
};
const someLookup = fc
  .tuple(fc.constantFrom<LookupFlag>('eq', 'in', 'prefix'), fc.constantFrom(...Object.keys(DOMAINS)))
  .chain(([flag, name]) => {
    const value = fc.constantFrom(...(DOMAINS[name] as string[]));
    return fc.tuple(fc.constant(flag), fc.constant(name), value, value);
  })
  .map(([flag, name, a, b]) => parseLookup(flag, `${name}=${flag === 'in' ? `${a},${b}` : a}`));

/** What a server answers: it compares an absent field as the empty text. */
function served(objects: readonly UnknownObject[], part: Awaited<ReturnType<typeof pushed>>): UnknownObject[] {
  const labels = LabelSelector.parse(part?.labelSelector ?? '');
  const fields = FieldSelector.parse(part?.fieldSelector ?? '');
  return objects.filter(({ metadata, spec, status }) => {
    const values: Record<string, string | undefined> = {
      'spec.nodeName': (spec as { nodeName?: string }).nodeName,
      'status.phase': (status as { phase?: string }).phase,
    };
    return (
      (part?.namespaces?.includes(metadata.namespace ?? '') ?? true) &&
      labels.matches(metadata.labels) &&
      fields.matches((field) => values[field] ?? '')
    );
  });
}

test('what a server selects has every object of the answer', async () => {
  const indexes = ['n=.spec.nodeName'];
  const catalog = new IndexCatalog(await Promise.all(indexes.map((text) => parseIndex(text))));
  let narrower = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(somePod, { minLength: 5, maxLength: 20, size: 'max' }),
      fc.array(someLookup, { minLength: 1, maxLength: 2 }),
      async (pods, lookups) => {
        const objects = pods.map((pod, i) => ({ ...pod, metadata: { ...pod.metadata, name: `p${i}` } }));
        const selected = served(objects, await pushed(lookups, { indexes }));
        if (selected.length < objects.length) narrower++;
        const all = runLookups({ store: storeOf(objects, []), catalog, lookups }).objects;
        expect(runLookups({ store: storeOf(selected, []), catalog, lookups }).objects).toEqual(all);
      },
    ),
    { numRuns: 300 },
  );
  expect(narrower).toBeGreaterThan(100);
});

test('selectors that a server refuses are taken back, and the namespaces stay', () => {
  const nodes = typeOf('', 'nodes', false);
  const parts = new Map([
    [PODS, { labelSelector: 'a', namespaces: ['shop'] }],
    [nodes, { labelSelector: 'a', namespaces: undefined }],
  ]);
  withdrawSelectors(parts, PODS);
  withdrawSelectors(parts, nodes);
  expect([...parts]).toEqual([[PODS, { namespaces: ['shop'] }]]);
});
