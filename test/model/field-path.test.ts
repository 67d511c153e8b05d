import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, addressOf, addressText, distinct, EACH, isAt, valuesAt } from '../../src/model/field-path.ts';

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

describe('a path', () => {
  it('is read as the address that was written', () => {
    const step = fc.oneof(
      fc.string(),
      fc.constantFrom('metadata', 'a.b/c', "it's", '\\', '__proto__', '[*]'),
      fc.constant(EACH),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (address) => {
        expect(addressOf(addressText(address))).toEqual(address);
      }),
      { seed: 7 },
    );
  });

  it.each([
    ['', 1],
    ['status.phase', 1],
    ['.status.', 8],
    ['.status..phase', 8],
    ['.a[*', 3],
    [".a['b]", 3],
    ['.a[0]', 3],
    ['.a b', 3],
  ])('%j is none, from position %i', (path, position) => {
    expect(() => addressOf(path)).toThrow(`position ${position} is not understood`);
  });
});
