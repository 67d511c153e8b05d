import type { ASTNode } from '@marcbachmann/cel-js';
import { required } from '../../status/field-problems.ts';
import type { FieldProblem } from '../../status/statuses.ts';
import type { JsonSchema, ValidationRule } from '../api-type.ts';
import { equalJson } from '../equal.ts';
import type { CrdVersion } from './crd-types.ts';
import { RuleCheck, type RuleMistake } from './rule-check.ts';
import { BOOL, commonType, DYN, type RuleType, STRING, typeOfSchema } from './rule-types.ts';
import { parseRule } from './validation-rules.ts';

/**
 * The problems of the rules (x-kubernetes-validations) in the schemas of a definition. Each rule is compiled against
 * the type of the value that it is for.
 * Source: apiextensions-apiserver apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema.
 */
export function ruleDefinitionProblems(versions: readonly CrdVersion[]): FieldProblem[] {
  const schemas = versions.map(({ schema }) => schema?.openAPIV3Schema ?? {});
  const [first = {}, ...others] = schemas;
  // A server holds a schema that all versions have in common in one place.
  if (others.every((other) => equalJson(first, other)))
    return problemsIn(first, 'spec.validation.openAPIV3Schema', true);
  return schemas.flatMap((schema, i) => problemsIn(schema, `spec.versions[${i}].schema.openAPIV3Schema`, true));
}

function problemsIn(schema: JsonSchema, path: string, isRoot = false): FieldProblem[] {
  const { properties = {}, items, additionalProperties, 'x-kubernetes-validations': rules = [] } = schema;
  const type = rules.length > 0 ? (typeOfSchema(schema, 'selfType', isRoot) ?? DYN) : DYN;
  return [
    ...rules.flatMap((rule, i) => problemsOf(rule, type, `${path}.x-kubernetes-validations[${i}]`)),
    ...Object.entries(properties).flatMap(([name, property]) => problemsIn(property, `${path}.properties[${name}]`)),
    ...(items ? problemsIn(items, `${path}.items`) : []),
    ...(typeof additionalProperties === 'object'
      ? problemsIn(additionalProperties, `${path}.additionalProperties`)
      : []),
  ];
}

function problemsOf(rule: ValidationRule, self: RuleType, path: string): FieldProblem[] {
  const { rule: text = '', messageExpression = '' } = rule as Partial<ValidationRule>;
  if (text.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  const variables = { self, oldSelf: rule.optionalOldSelf ? DYN : self };
  const wrong = (field: string, why: string): FieldProblem[] => [
    { field: `${path}.${field}`, reason: 'FieldValueInvalid', detail: `${shown(rule)}: ${why}` },
  ];
  const found = compileRule(text, variables);
  if (typeof found === 'string') return wrong('rule', `compilation failed: ${found}`);
  if (!commonType(found, BOOL)) return wrong('rule', 'cel expression must evaluate to a bool');
  if (messageExpression.trim() === '') return [];
  const message = compileRule(messageExpression, variables);
  if (typeof message === 'string')
    return wrong('messageExpression', `messageExpression compilation failed: ${message}`);
  return commonType(message, STRING) ? [] : wrong('messageExpression', 'messageExpression must evaluate to a string');
}

/** A rule as the server shows it. */
function shown({
  rule,
  message = '',
  messageExpression = '',
  reason,
  fieldPath = '',
  optionalOldSelf,
}: ValidationRule) {
  const text = JSON.stringify({
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  });
  return text.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}

/** The type of an expression, or its mistakes in the server's words. */
function compileRule(source: string, variables: Readonly<Record<string, RuleType>>): RuleType | string {
  let ast: ASTNode;
  try {
    ast = parseRule(source);
  } catch (error) {
    const mistake = syntaxMistake(source, error as SyntaxProblem);
    return mistake ? wordsOf(source, [mistake]) : DYN;
  }
  const check = new RuleCheck(source);
  const type = check.typeOf(ast, variables);
  return check.mistakes.length > 0 ? wordsOf(source, check.mistakes) : type;
}

function wordsOf(source: string, mistakes: readonly RuleMistake[]): string {
  const inOrder = [...mistakes].sort((a, b) => a.at - b.at);
  return inOrder
    .map(({ at, words }) => {
      const start = source.lastIndexOf('\n', at - 1) + 1;
      const [line = ''] = source.slice(start).split('\n');
      const column = [...source.slice(start, at)].length;
      const number = source.slice(0, start).split('\n').length;
      return `ERROR: <input>:${number}:${column + 1}: ${words}\n | ${line.replaceAll('\t', ' ')}\n | ${'.'.repeat(column)}^`;
    })
    .join('\n');
}

/** The part of an error of the CEL library that this file uses. */
interface SyntaxProblem {
  readonly code?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

/** The parts of the language that a server has and the library does not: optional items, names of packages, messages. */
const NOT_IN_LIBRARY = /[[{,]\s*\?|(^|[^\w)\]}\s])\s*\.\s*\w|[A-Za-z_]\w*\s*\{/;
const LITERAL = /r?("""(.*?)"""|'''(.*?)'''|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*')|\/\/[^\n]*/gis;
const BEGINS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** A longer rule is not looked at for what the library cannot read. */
const LONGEST_LOOK = 10_000;

/** The mistake in the syntax of a rule; undefined if a server may read what the library cannot. */
function syntaxMistake(source: string, { code = '', range }: SyntaxProblem): RuleMistake | undefined {
  if (!range || source.length > LONGEST_LOOK || NOT_IN_LIBRARY.test(source.replace(LITERAL, '0'))) return undefined;
  const { start: at, end } = range;
  const found = source.slice(at, end);
  const inner = source.slice(0, at).trimEnd();
  if (code === 'reserved_identifier') return { at, words: `reserved identifier: ${found}` };
  if (code === 'unterminated_string') return { at, words: `Syntax error: token recognition error at: '${found}'` };
  if (!['unexpected_token', 'unexpected_character', 'expected_token'].includes(code)) return undefined;
  if (/["'`]/.test(found)) return undefined;
  const needsMore = inner === '' || /[-+*/%<>=!&|?:([{,]$/.test(inner);
  if (at >= source.length) {
    const isOpen = code === 'expected_token' && !needsMore;
    return {
      at: source.length,
      words: `Syntax error: ${isOpen ? "missing ')' at '<EOF>'" : `mismatched input '<EOF>' expecting ${BEGINS}`}`,
    };
  }
  if (needsMore) return { at, words: `Syntax error: extraneous input '${found}' expecting ${BEGINS}` };
  return { at, words: `Syntax error: mismatched input '${found}' expecting <EOF>` };
}
