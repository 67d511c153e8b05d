import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { fieldsSeen } from '../../../src/expr/cel/fields-seen.ts';
import { addressText } from '../../../src/model/field-path.ts';

const seenBy = (source: string) =>
  fieldsSeen(compileCel(source, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES }))?.map(addressText);

describe('the fields that a program looks at', () => {
  it.each([
    ['object.status.phase == "Running"', ['.status.phase']],
    ['"a" == object.spec.a && object.spec.b > 1', ['.spec.a', '.spec.b']],
    ['object.metadata.annotations["a.b/c"] == "x"', [".metadata.annotations['a.b/c']"]],
    ['has(object.spec.nodeName)', ['.spec.nodeName']],
    ['"a" in object.metadata.labels', ['.metadata.labels']],
    ['object.?spec.?nodeName.orValue("") == ""', ['.spec.nodeName']],
    ['object.spec[?"nodeName"].orValue("") == ""', ['.spec.nodeName']],
    ['size(object.spec.containers) > 1', ['.spec.containers']],
    ['object.spec.containers[0].image == "x"', ['.spec.containers[*].image']],
    ['object.metadata.labels[object.spec.key] == "x"', ['.metadata.labels', '.spec.key']],
    ['object.spec.containers.all(i, c, c.name != "x" || i > object.spec.at)', ['.spec.containers', '.spec.at']],
    ['object.spec.?list.optMap(l, l.name).orValue("") == "x"', ['.spec.list']],
    ['object.spec.list.sortBy(x, x.at)[0].name == "x"', ['.spec.list']],
    ['object.spec.list[object.spec.at].name == "x"', ['.spec.list', '.spec.at']],
    ['(object.spec.a == 1 ? object.spec.b : object.spec.c).d == 2', ['.spec.a', '.spec.b', '.spec.c']],
    [
      'object.spec.containers.exists(c, c.image.endsWith(":1") && c.name != object.metadata.name)',
      [".spec.containers[*]['']", '.spec.containers[*].image', '.spec.containers[*].name', '.metadata.name'],
    ],
    ['object.spec.containers.exists(c, true)', [".spec.containers[*]['']"]],
    ['object.spec.args.all(a, a.startsWith("-"))', [".spec.args[*]['']", '.spec.args[*]']],
    [
      'object.spec.containers.filter(c, c.a == 1).map(d, d.image).size() == 1',
      ['.spec.containers[*]', '.spec.containers[*].a'],
    ],
    [
      'object.spec.containers.map(c, c.a == 1, c.image).size() == 1',
      [".spec.containers[*]['']", '.spec.containers[*].a', '.spec.containers[*].image'],
    ],
    [
      'object.spec.a.exists(x, x.b.exists(y, y.c == x.d))',
      [".spec.a[*]['']", ".spec.a[*].b[*]['']", '.spec.a[*].b[*].c', '.spec.a[*].d'],
    ],
    ['object.spec.a.exists(object, object.b == 1)', [".spec.a[*]['']", '.spec.a[*].b']],
    ['cel.bind(s, object.spec, s.a == s.b)', ['.spec']],
    ['now > timestamp("2020-01-01T00:00:00Z")', []],
  ])('%s: %j', (source, fields) => {
    expect(seenBy(source)).toEqual(fields);
  });

  it.each([
    'object == object',
    'size(object) > 1',
    'object["sp" + "ec"].a == 1',
    'object.exists(key, key == "spec")',
    '[object].exists(o, o.spec.a == 1)',
    'cel.bind(o, object, o.spec.a == 1)',
  ])('are not known of %s', (source) => {
    expect(seenBy(source)).toBeUndefined();
  });
});
