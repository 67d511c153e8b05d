import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { addressOf, addressText, EACH, isAt, valuesAt } from '../../../src/model/field-path.ts';
import { anyTemplate } from '../../expr/jsonpath/random-templates.ts';
import { object } from '../../support/jsonpath.ts';
import { oddObject, oddText } from '../inputs.ts';
import { SAME_ANSWERS } from '../kubectl-answers.ts';
import { comparable, outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

export const jsonPaths = fuzzTarget({
  name: 'jsonpath',
  inputs: fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: anyTemplate },
      fc.array(fc.oneof(anyTemplate, oddText)).map((all) => all.join('')),
    ),
    oddObject,
  ),
  check: ([template, text]) => {
    const compiled = outcomeOf(() => compileJsonPath(template));
    if ('error' in compiled) return;
    const value = parseJson(text);
    for (const each of [value, { a: value, items: [value, value] }, null, 'a']) {
      assert.ok(Array.isArray(compiled.value.values(each)));
      const printed = (): unknown => comparable(outcomeOf(() => compiled.value.print(each)));
      assert.deepStrictEqual(printed(), printed());
    }
  },
});

/** Templates that kubectl printed, without those whose range has no end: it would reach into the next one. */
const printable = SAME_ANSWERS.filter(
  ({ template, printed }) =>
    printed !== undefined &&
    template.startsWith('{') &&
    template.split('{range').length === template.split('{end}').length,
);

/** kubectl prints several templates in a row as it prints each of them. */
export const kubectlJsonPaths = fuzzTarget({
  name: 'jsonpath-kubectl',
  share: 0.5,
  inputs: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...printable) },
      fc.constantFrom('|', ' ', '\n', 'é', '}').map((text) => ({ template: text, printed: text })),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  check: (parts) => {
    const template = parts.map((part) => part.template).join('');
    if (!template.includes('{')) return;
    const printed = parts.map((part) => part.printed).join('');
    assert.equal(compileJsonPath(template).print(object), printed);
  },
});

const address = fc.array(fc.oneof({ weight: 4, arbitrary: oddText }, fc.constant(EACH)), {
  minLength: 1,
  maxLength: 4,
});

export const fieldPaths = fuzzTarget({
  name: 'field-paths',
  inputs: fc.tuple(address, oddText, oddObject),
  check: ([steps, text, json]) => {
    assert.deepStrictEqual(addressOf(addressText(steps)), steps);
    outcomeOf(() => addressOf(text));
    const value = parseJson(json);
    assert.equal(isAt(value, steps), valuesAt(value, steps).length > 0);
  },
});
