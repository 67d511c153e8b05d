import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldSelector } from '../../../src/model/field-selector.ts';
import { type LabelRequirement, LabelSelector } from '../../../src/model/label-selector.ts';
import { OWN_NAMES, oddText, wholeNumberText } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const key = fc.constantFrom('app', 'a.b/c', 'x', 'in', 'notin', 'constructor', 'toString');
const value = fc.oneof(fc.constantFrom('', 'web', 'a-b', '1', '-5', 'in'), wholeNumberText);
const values = fc.array(value, { maxLength: 3 }).map((all) => `(${all.join(', ')})`);
const term = fc.oneof(
  key,
  key.map((name) => `!${name}`),
  fc.tuple(key, fc.constantFrom('=', '==', '!=', ' = ', '>', '<'), value).map((parts) => parts.join('')),
  fc.tuple(key, fc.constantFrom(' in ', ' notin ', ' in'), values).map((parts) => parts.join('')),
);
const selector = fc.oneof(
  { weight: 4, arbitrary: fc.array(term, { maxLength: 4 }).map((terms) => terms.join(',')) },
  { weight: 1, arbitrary: fc.array(fc.oneof(term, oddText), { maxLength: 4 }).map((terms) => terms.join('')) },
);
const labels = fc.option(fc.dictionary(fc.oneof(key, fc.constantFrom(...OWN_NAMES)), value, { maxKeys: 4 }), {
  nil: undefined,
});

/** Whether labels meet a requirement, as the documentation of Kubernetes says it. */
function meets({ key, operator, values }: LabelRequirement, all: Readonly<Record<string, string>>): boolean {
  const found = Object.entries(all).find(([name]) => name === key)?.[1];
  const isOneOf = found !== undefined && new Set(values).has(found);
  const isWhole = found !== undefined && /^-?[0-9]+$/.test(found);
  const [limit = '0'] = values;
  const rules: Readonly<Record<LabelRequirement['operator'], () => boolean>> = {
    exists: () => found !== undefined,
    '!': () => found === undefined,
    '=': () => isOneOf,
    in: () => isOneOf,
    '!=': () => !isOneOf,
    notin: () => !isOneOf,
    '>': () => isWhole && BigInt(found) > BigInt(limit),
    '<': () => isWhole && BigInt(found) < BigInt(limit),
  };
  return rules[operator]();
}

const sorted = ({ key, operator, values }: LabelRequirement) => ({ key, operator, values: [...values].sort() });

export const labelSelectors = fuzzTarget({
  name: 'label-selectors',
  inputs: fc.tuple(selector, labels),
  check: ([text, all]) => {
    const outcome = outcomeOf(() => LabelSelector.parse(text));
    if ('error' in outcome) return;
    const { requirements } = outcome.value;
    const again = LabelSelector.parse(String(outcome.value));
    assert.deepStrictEqual(again.requirements.map(sorted), requirements.map(sorted));
    assert.equal(
      outcome.value.matches(all),
      requirements.every((requirement) => meets(requirement, all ?? {})),
    );
    if (outcome.value.restricts) assert.equal(outcome.value.matches({}), false);
  },
});

const field = fc.constantFrom('metadata.name', 'status.phase', 'spec.nodeName', 'constructor');
const escapedValue = oddText.map((text) => text.replace(/[\\,=]/g, '\\$&'));
const fieldTerm = fc
  .tuple(field, fc.constantFrom('=', '==', '!='), fc.oneof(escapedValue, escapedValue, oddText))
  .map((parts) => parts.join(''));

export const fieldSelectors = fuzzTarget({
  name: 'field-selectors',
  inputs: fc.tuple(
    fc.array(fc.oneof({ weight: 5, arbitrary: fieldTerm }, oddText), { maxLength: 4 }).map((terms) => terms.join(',')),
    oddText,
    oddText,
  ),
  check: ([text, name, phase]) => {
    const outcome = outcomeOf(() => FieldSelector.parse(text));
    if ('error' in outcome) return;
    const { requirements } = outcome.value;
    assert.deepStrictEqual(FieldSelector.parse(String(outcome.value)).requirements, requirements);
    const fields = new Map([
      ['metadata.name', name],
      ['status.phase', phase],
    ]);
    const read = (at: string) => fields.get(at) ?? '';
    const expected = requirements.every(({ field, operator, value }) => (read(field) === value) === (operator === '='));
    assert.equal(outcome.value.matches(read), expected);
  },
});
