import { describe, expect, it } from 'vitest';
import { fieldChanges } from '../../../src/model/field-changes.ts';
import { compileScope } from '../../../src/stream/changes/path-scope.ts';

const before = {
  metadata: { name: 'web', labels: { 'a.b/c': '1', d: '1' } },
  spec: {
    replicas: 1,
    list: [[1], [1]],
    containers: [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'x' },
    ],
    strategy: { type: 'A' },
  },
};
const after = {
  metadata: { name: 'web', labels: { 'a.b/c': '2', d: '2' } },
  spec: {
    replicas: 2,
    list: [[2], [2]],
    containers: [
      { name: 'a', image: 'y' },
      { name: 'b', image: 'y' },
    ],
  },
};

const all = fieldChanges(before, after);
const found = (...paths: string[]) => all.filter(({ steps }) => compileScope(paths)?.(steps)).map(({ path }) => path);

describe('a changed field is in the scope of a path', () => {
  it.each<[string, string[]]>([
    ['.spec.replicas', ['.spec.replicas']],
    ['{.spec.replicas}', ['.spec.replicas']],
    ['.metadata', [".metadata.labels['a.b/c']", '.metadata.labels.d']],
    ['.metadata.labels.a\\.b/c', [".metadata.labels['a.b/c']"]],
    [".metadata.labels['a.b/c']", [".metadata.labels['a.b/c']"]],
    [".metadata['labels.d']", ['.metadata.labels.d']],
    ['.spec.containers[?(@.name=="b")].image', ['.spec.containers[name=b].image']],
    ['.spec.containers[name=a]', ['.spec.containers[name=a].image']],
    ['.spec.containers[*].image', ['.spec.containers[name=a].image', '.spec.containers[name=b].image']],
    ['.spec.containers.*.image', ['.spec.containers[name=a].image', '.spec.containers[name=b].image']],
    ['.spec.strategy.type', ['.spec.strategy']],
    [".spec['replicas','strategy']", ['.spec.replicas', '.spec.strategy']],
    [".spec.containers[name=a]['image','ports']", ['.spec.containers[name=a].image']],
    ['.spec.containers.image', []],
    ['.spec.containers[?(@.name=="c")].image', []],
    ['.spec.containers[0].image', ['.spec.containers[name=a].image', '.spec.containers[name=b].image']],
    ['.spec.missing', []],
    ['.status', []],
  ])('%s', (path, expected) => {
    expect(found(path).sort()).toEqual([...expected].sort());
  });

  it.each([
    ['.spec.items[0]', [0]],
    ['.spec.items[1].a', [1]],
    ['.spec.items[-1]', [0, 1, 2]], // which one is the last is not known of both states
    ['.spec.items[1:]', [0, 1, 2]],
    ['.spec.items[*]', [0, 1, 2]],
  ])('by an index of a list: %s', (path, expected) => {
    const state = (a: number) => ({ spec: { items: [{ a }, { a }, { a }] } });
    const paths = fieldChanges(state(1), state(2)).filter(({ steps }) => compileScope([path])?.(steps));
    expect(paths.map((change) => change.path)).toEqual(expected.map((i) => `.spec.items[${i}].a`));
  });

  it('if one of several paths finds it', () => {
    expect(found('.spec.replicas', '.metadata.labels.d').sort()).toEqual(['.metadata.labels.d', '.spec.replicas']);
  });
});

it.each([[[]], [['$.spec']], [['..image']], [['text {.spec}']], [['{.spec}{.metadata}']], [['.spec', '$.spec']]])(
  'the paths %j have no scope',
  (paths) => {
    expect(compileScope(paths)).toBeUndefined();
  },
);
