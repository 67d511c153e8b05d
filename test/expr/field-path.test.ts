import { describe, expect, it } from 'vitest';
import { type Address, addressText, distinct, EACH, isAt, valuesAt } from '../../src/expr/field-path.ts';

const object = {
  metadata: { name: 'web', labels: { 'a.b/c': 'x', "it's": 'y' }, nothing: null },
  spec: { containers: [{ name: 'app', image: 'nginx' }, { name: 'side' }], empty: [] },
};

describe('an address', () => {
  it.each<[Address, string, unknown[]]>([
    [[], '', [object]],
    [['metadata', 'name'], '.metadata.name', ['web']],
    [['metadata', 'nothing'], '.metadata.nothing', [null]],
    [['metadata', 'nothing', 'deeper'], '.metadata.nothing.deeper', []],
    [['metadata', 'labels', 'a.b/c'], ".metadata.labels['a.b/c']", ['x']],
    [['metadata', 'labels', "it's"], ".metadata.labels['it\\'s']", ['y']],
    [['metadata', 'labels', EACH], '.metadata.labels[*]', ['x', 'y']],
    [['spec', 'containers', EACH, 'image'], '.spec.containers[*].image', ['nginx']],
    [['spec', 'containers', 'name'], '.spec.containers.name', ['app', 'side']],
    [['spec', 'containers', EACH, 'ports'], '.spec.containers[*].ports', []],
    [['spec', 'empty', EACH], '.spec.empty[*]', []],
    [['metadata', 'name', 'length'], '.metadata.name.length', []],
    [['constructor'], '.constructor', []],
    [['spec', 'containers', 'constructor'], '.spec.containers.constructor', []],
  ])('%j is written %s and finds %j', (address, text, values) => {
    expect(addressText(address)).toBe(text);
    expect(valuesAt(object, address)).toEqual(values);
    expect(isAt(object, address)).toBe(values.length > 0);
  });
});

it('addresses that are written the same are one, the first', () => {
  const [a, again, b]: Address[] = [['a', EACH], ['a', EACH], ['b']];
  expect(distinct([a, again, b] as Address[])).toEqual([a, b]);
});
