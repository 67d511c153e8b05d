import { jsonText } from '../../kit/exact-json.ts';
import type { FieldProblem } from './statuses.ts';

// The functions of apimachinery util/validation/field/errors.go.

export function required(field: string, detail?: string): FieldProblem {
  return { field, reason: 'FieldValueRequired', detail };
}

export function invalidValue(field: string, value: unknown, why: string): FieldProblem {
  return { field, reason: 'FieldValueInvalid', detail: `${jsonText(value ?? null)}: ${why}` };
}

export function forbiddenValue(field: string, detail: string): FieldProblem {
  return { field, reason: 'FieldValueForbidden', detail };
}

export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): FieldProblem {
  const detail = `${jsonText(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`;
  return { field, reason: 'FieldValueNotSupported', detail };
}

export function duplicateValue(field: string, value: unknown): FieldProblem {
  return { field, reason: 'FieldValueDuplicate', detail: jsonText(value) };
}

export function tooLong(field: string, bytes: number): FieldProblem {
  return { field, reason: 'FieldValueTooLong', detail: `may not be more than ${bytes} bytes` };
}

/** A list of the problem, or of none where all is well. */
export function unless(isWell: unknown, problem: FieldProblem): FieldProblem[] {
  return isWell ? [] : [problem];
}
