import { expect, it } from 'vitest';
import * as problems from '../../../src/sandbox/status/field-problems.ts';

it('each problem of a field has the reason and the words of an API server', () => {
  const { duplicateValue, forbiddenValue, invalidValue, required, tooLong, unsupportedValue } = problems;
  expect([
    required('spec.a'),
    required('spec.a', 'name it'),
    invalidValue('spec.a', undefined, 'too odd'),
    invalidValue('spec.a', { b: 2n ** 60n }, 'too odd'),
    forbiddenValue('spec.a', 'not both'),
    unsupportedValue('spec.a', 'x', ['y', '']),
    duplicateValue('spec.a', 'x'),
    tooLong('spec.a', 128),
  ]).toEqual([
    { field: 'spec.a', reason: 'FieldValueRequired', detail: undefined },
    { field: 'spec.a', reason: 'FieldValueRequired', detail: 'name it' },
    { field: 'spec.a', reason: 'FieldValueInvalid', detail: 'null: too odd' },
    { field: 'spec.a', reason: 'FieldValueInvalid', detail: '{"b":1152921504606846976}: too odd' },
    { field: 'spec.a', reason: 'FieldValueForbidden', detail: 'not both' },
    { field: 'spec.a', reason: 'FieldValueNotSupported', detail: '"x": supported values: "y", ""' },
    { field: 'spec.a', reason: 'FieldValueDuplicate', detail: '"x"' },
    { field: 'spec.a', reason: 'FieldValueTooLong', detail: 'may not be more than 128 bytes' },
  ]);
});

it('there is no problem where all is well', () => {
  const problem = problems.required('spec.a');
  expect([problems.unless(true, problem), problems.unless('', problem)]).toEqual([[], [problem]]);
});
