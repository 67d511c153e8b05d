import { describe, expect, it } from 'vitest';
import { compilePath, loadPath, splitPaths } from '../../../src/expr/jsonpath/path-values.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { changedPaths } from '../../../src/model/changed-paths.ts';

const pod = {
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop', app: 'web' } },
  spec: { containers: [{ name: 'app', ports: [{ containerPort: 80, protocol: 'TCP' }] }, { name: 'it, too' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized', status: 'False' },
    ],
  },
};

const valuesAt = (text: string) => compilePath(text, { flag: '--changed' }).values(pod);

describe('a path finds its values', () => {
  it.each([
    ['.metadata.name', ['web']],
    ['metadata.name', ['web']],
    ['{.metadata.name}', ['web']],
    ['.metadata.labels.app\\.kubernetes\\.io/name', ['shop']],
    ['{.metadata.labels.app\\.kubernetes\\.io/name}', ['shop']],
    [".metadata.labels['app.kubernetes.io/name']", ['shop']],
    ['.status.conditions[*].status', ['True', 'False']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['{.status.conditions[?(@.type=="Ready")].status}', ['True']],
    ['.status.conditions[type=Ready].status', ['True']],
    ['{.status.conditions[type=Ready].status}', ['True']],
    ['.status.conditions[type="Ready",status=True].status', ['True']],
    ['.status.conditions[type=Nope].status', []],
    [".spec.containers[name='it, too'].name", ['it, too']],
    ['.spec.containers[name=app].ports[containerPort=80,protocol=TCP].protocol', ['TCP']],
    ['.spec.containers[-1].name', ['it, too']],
    ['.spec.containers[9].name', []],
    ['.spec.nope.deeper', []],
    ['.metadata[name=web]', []],
    ['.status.conditions', [pod.status.conditions]],
  ])('%s', (text, expected) => {
    expect(valuesAt(text)).toEqual(expected);
  });

  it('a changed path is a path to the changed value', () => {
    const after = structuredClone(pod);
    after.metadata.labels['app.kubernetes.io/name'] = 'other';
    (after.status.conditions[0] as { status: string }).status = 'False';
    const changed = changedPaths(pod, after);
    expect(changed).toEqual([".metadata.labels['app.kubernetes.io/name']", '.status.conditions[type=Ready].status']);
    expect(changed.map(valuesAt)).toEqual([['shop'], ['True']]);
  });
});

describe('a path that cannot be parsed is refused with the flag and the position', () => {
  it.each([
    ['.spec.x[', '--changed: error parsing jsonpath .spec.x[, unterminated array at position 7'],
    ['.a[type=Ready', '--changed: error parsing jsonpath .a[type=Ready, unterminated array at position 2'],
    [
      '.a[type=Ready,b]',
      '--changed: error parsing jsonpath .a[type=Ready,b], expected name=value in [b at position 14',
    ],
    ['$.spec', `--changed: "$.spec" is not in kubectl's JSONPath dialect`],
    ['', '--changed: the JSONPath is empty'],
  ])('%s', (text, message) => {
    try {
      compilePath(text, { flag: '--changed' });
      expect.unreachable();
    } catch (error) {
      expect(isInformerError(error, 'argument') && error.message).toContain(message);
    }
  });
});

it('loadPath also takes an expression of the other dialect', async () => {
  const { values } = await loadPath('$.status.conditions[?(@.status === "True" && @.type)].type', {
    flag: '--changed',
  });
  expect(values(pod)).toEqual(['Ready']);
  await expect(loadPath('.a[', { flag: '--sort-by' })).rejects.toThrow('--sort-by: ');
});

describe('a list of paths is split at its commas', () => {
  it.each([
    ['.spec', ['.spec']],
    ['.spec,.status.phase', ['.spec', '.status.phase']],
    [' .spec , .status ', ['.spec', '.status']],
    ['.a[?(@.b=="x,y")],.c[0,1]', ['.a[?(@.b=="x,y")]', '.c[0,1]']],
    ['{.a},{.b}', ['{.a}', '{.b}']],
    ['.a[containerPort=80,protocol=TCP],.b', ['.a[containerPort=80,protocol=TCP]', '.b']],
    ['.a\\,b,.c', ['.a\\,b', '.c']],
    [".a['x],y'],.b", [".a['x],y']", '.b']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(splitPaths(text)).toEqual(expected);
  });
});
