import { expect, it } from 'vitest';
import { answerOf, refusalOf } from '../../support/cel.ts';

it.each([
  ['has(object.spec.template.spec.containers[0].ports)', true],
  ['has(object.spec.template.spec.containers[1].ports)', false],
  ['has(object.spec.template.spec.containers[7].ports)', false],
  ['has(object["spec"].replicas)', true],
  ['object.spec.template.spec.containers.exists(c, has(c.ports[0].containerPort))', true],
])('%s is %s', (source, expected) => {
  expect(answerOf(source)).toBe(expected);
});

it.each(['has(object)', 'has(object.spec.containers[0])', 'has("x")', 'has(object.spec == 1)'])(
  '%s is refused, because it is no field',
  (source) => {
    expect(refusalOf(source).message).toContain('has() invalid argument');
  },
);

it('a name in the path is checked', () => {
  expect(refusalOf('has(objekt.list[0].x)').message).toContain('unknown variable "objekt"');
});
