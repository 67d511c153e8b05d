import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedPaths } from '../../src/model/changed-paths.ts';

const pod = () => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-1',
    resourceVersion: '10',
    generation: 1,
    labels: { app: 'web', 'app.kubernetes.io/name': 'web' } as Record<string, string>,
    finalizers: ['a', 'b'],
    managedFields: [{ manager: 'x' }],
    ownerReferences: [
      { kind: 'ReplicaSet', name: 'web', uid: 'u1' },
      { kind: 'Thing', name: 'web', uid: 'u2' },
    ],
  },
  spec: {
    replicas: 1,
    nodeName: undefined as string | undefined,
    containers: [
      {
        name: 'app',
        image: 'app:1',
        args: ['-a', '-b'],
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP', hostPort: 1 },
        ],
        volumeMounts: [
          { mountPath: '/a', name: 'v' },
          { mountPath: '/b', name: 'v', readOnly: false },
        ] as Record<string, unknown>[],
      },
      { name: 'side car', image: 'side:1' },
    ] as Record<string, unknown>[],
    tolerations: [{ operator: 'Exists' }, { operator: 'Equal', value: 'x' }] as Record<string, unknown>[],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Initialized', status: 'True' },
    ] as Record<string, unknown>[],
  },
});

type Pod = ReturnType<typeof pod>;

function changesOf(change: (p: Pod) => void): string[] {
  const after = pod();
  change(after);
  return changedPaths(pod(), after);
}

describe('a change is named by its path', () => {
  test.each<[string, (p: Pod) => void, string[]]>([
    ['a field', (p) => Object.assign(p.spec, { replicas: 2 }), ['.spec.replicas']],
    ['a field that came', (p) => Object.assign(p.spec, { paused: true }), ['.spec.paused']],
    ['a field that was removed', (p) => Reflect.deleteProperty(p.spec, 'replicas'), ['.spec.replicas']],
    [
      'a key with dots',
      (p) => Object.assign(p.metadata.labels, { 'app.kubernetes.io/name': 'x' }),
      [".metadata.labels['app.kubernetes.io/name']"],
    ],
    ['a key with a quote', (p) => Object.assign(p.metadata.labels, { "it's": 'x' }), [".metadata.labels['it\\'s']"]],
    [
      'a condition',
      (p) => Object.assign(p.status.conditions[0] as object, { status: 'True' }),
      ['.status.conditions[type=Ready].status'],
    ],
    ['a condition that came', (p) => p.status.conditions.unshift({ type: 'New' }), ['.status.conditions[type=New]']],
    ['a condition that went', (p) => p.status.conditions.shift(), ['.status.conditions[type=Ready]']],
    [
      'an item whose name has a space',
      (p) => Object.assign(p.spec.containers[1] as object, { image: 'x' }),
      [".spec.containers[name='side car'].image"],
    ],
    ['a list of plain values', (p) => p.metadata.finalizers.push('c'), ['.metadata.finalizers']],
    ['the order of plain values', (p) => p.metadata.finalizers.reverse(), ['.metadata.finalizers']],
    [
      'plain values in an item',
      (p) => Object.assign(p.spec.containers[0] as object, { args: ['-a', '-c'] }),
      ['.spec.containers[name=app].args'],
    ],
    [
      'an item named by two keys',
      (p) => Object.assign((p.spec.containers[0] as { ports: object[] }).ports[1] as object, { hostPort: 2 }),
      ['.spec.containers[name=app].ports[containerPort=53,protocol=UDP].hostPort'],
    ],
    [
      'an item whose name is not unique is named by the next key',
      (p) =>
        Object.assign((p.spec.containers[0] as { volumeMounts: object[] }).volumeMounts[1] as object, {
          readOnly: true,
        }),
      ['.spec.containers[name=app].volumeMounts[mountPath=/b].readOnly'],
    ],
    [
      'owners of one name are distinguished by uid',
      (p) => Object.assign(p.metadata.ownerReferences[0] as object, { controller: true }),
      ['.metadata.ownerReferences[uid=u1].controller'],
    ],
    [
      'an item without a name, by its place',
      (p) => Object.assign(p.spec.tolerations[1] as object, { value: 'y' }),
      ['.spec.tolerations[1].value'],
    ],
    ['a list without names that grew', (p) => p.spec.tolerations.push({}), ['.spec.tolerations']],
    ['a map that became null', (p) => Object.assign(p.metadata, { labels: null }), ['.metadata.labels']],
    ['a list that became a map', (p) => Object.assign(p.spec, { containers: {} }), ['.spec.containers']],
    [
      'a list that was emptied',
      (p) => p.status.conditions.splice(0),
      ['.status.conditions[type=Ready]', '.status.conditions[type=Initialized]'],
    ],
    [
      'several at once',
      (p) => {
        p.spec.replicas = 3;
        p.metadata.name = 'x';
      },
      ['.metadata.name', '.spec.replicas'],
    ],
  ])('%s', (_, change, expected) => {
    expect(changesOf(change)).toEqual(expected);
  });
});

describe('no change', () => {
  test.each<[string, (p: Pod) => void]>([
    ['nothing', () => {}],
    [
      'another resourceVersion, generation or managedFields',
      (p) => Object.assign(p.metadata, { resourceVersion: '11', generation: 2, managedFields: [] }),
    ],
    ['managedFields that went', (p) => Reflect.deleteProperty(p.metadata, 'managedFields')],
    ['the order of containers', (p) => p.spec.containers.reverse()],
    ['the order of conditions', (p) => p.status.conditions.reverse()],
    ['the order of ports named by two keys', (p) => (p.spec.containers[0] as { ports: object[] }).ports.reverse()],
  ])('%s', (_, change) => {
    expect(changesOf(change)).toEqual([]);
  });

  test('a resourceVersion below metadata of a template counts', () => {
    const at = (resourceVersion: string) => ({ spec: { metadata: { resourceVersion } } });
    expect(changedPaths(at('1'), at('2'))).toEqual(['.spec.metadata.resourceVersion']);
  });
});

const keyed = fc.uniqueArray(fc.record({ name: fc.string({ minLength: 1 }), value: fc.jsonValue() }), {
  selector: (item) => item.name,
});

describe('for any JSON', () => {
  test('a value and its copy do not differ', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (a) => {
        expect(changedPaths(a, structuredClone(a))).toEqual([]);
      }),
    );
  });

  test('any order of a keyed list is the same list', () => {
    const shuffled = keyed.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(changedPaths({ spec: { list } }, { spec: { list: other } })).toEqual([]);
      }),
    );
  });

  test('two values that differ as JSON have at least one path, and the same paths the other way round', () => {
    const map = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(map, map, (a, b) => {
        const [x, y] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
        fc.pre(sortedText(x) !== sortedText(y));
        expect(changedPaths(x, y)).not.toEqual([]);
        expect(changedPaths(x, y).toSorted()).toEqual(changedPaths(y, x).toSorted());
      }),
    );
  });
});

/** JSON with keys and lists sorted, so that order is no difference. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).toSorted().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${sortedText(item)}`)
    .toSorted()
    .join()}}`;
}

test('a plain value in place of a list is the same change in both directions', () => {
  expect(changedPaths({ a: [[]] }, { a: [''] })).toEqual(['.a']);
  expect(changedPaths({ a: [''] }, { a: [[]] })).toEqual(['.a']);
});
