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
    ['.spec.containers[?(@.name=="b")].image', ['.spec.containers[name=b].image']],
    ['.spec.containers[name=a]', ['.spec.containers[name=a].image']],
    ['.spec.containers[*].image', ['.spec.containers[name=a].image', '.spec.containers[name=b].image']],
    ['.spec.containers.*.image', ['.spec.containers[name=a].image', '.spec.containers[name=b].image']],
    ['.spec.strategy.type', ['.spec.strategy']],
    ['.spec.missing', []],
    ['.status', []],
  ])('%s', (path, expected) => {
    expect(found(path).sort()).toEqual([...expected].sort());
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
