import type { TypeError as CelTypeError, Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import type { CelFailure } from './cel-values.ts';

/** An expression and the flag that it comes from. */
export interface ExpressionOrigin {
  readonly flag: string;
  readonly source: string;
}

/**
 * The error for an expression that cannot be compiled: the flag, the problem, and the line with a mark under the place.
 */
export function refusal(
  message: string,
  { flag, source }: ExpressionOrigin,
  at: number | undefined,
  hint?: string,
): InformerError {
  if (at === undefined) return new InformerError('argument', `${flag}: ${message}`, { hint });
  const { line, column, text } = placeOf(source, at);
  const where = source.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`;
  return new InformerError('argument', `${flag}: ${message} at ${where}\n  ${text}\n  ${' '.repeat(column - 1)}^`, {
    hint,
  });
}

const CONVERT = 'convert one side with int(), double() or string()';

/** The error for an evaluation that failed: the flag, the problem, the place and the whole expression. */
export function explainFault(fault: CelFailure, { flag, source }: ExpressionOrigin): InformerError {
  const { line, column } = placeOf(source, fault.at ?? 0);
  const where = source.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`;
  const hint = fault.message.startsWith('cannot compare')
    ? CONVERT
    : fault.message.startsWith('it needs more than')
      ? SIMPLIFY
      : undefined;
  return new InformerError('argument', `${flag}: ${readable(fault.message)} at ${where} of ${source}`, {
    cause: fault,
    hint,
  });
}

const SIMPLIFY = 'nest fewer loops, use a simpler pattern, or select smaller objects with -l or --name';

type LibraryError = ParseError | CelTypeError | EvaluationError;

/** The error for a problem that the library found, in the words of its users. */
export function explainRefusal(
  error: LibraryError,
  origin: ExpressionOrigin & { readonly variables: readonly string[]; readonly environment: Environment },
): InformerError {
  const start = error.range?.start ?? 0;
  const { message, hint, at = start } = explain(error, { ...origin, start, end: error.range?.end ?? start });
  return refusal(message, origin, at, hint);
}

interface Scene extends ExpressionOrigin {
  readonly variables: readonly string[];
  readonly environment: Environment;
  readonly start: number;
  readonly end: number;
}

interface Explanation {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly at?: number;
}

function explain(error: LibraryError, scene: Scene): Explanation {
  const explanation = explainOne(error, scene);
  const habit = habitOf(scene, error);
  return habit === undefined ? explanation : { ...explanation, hint: habit };
}

/** The hint for an expression that follows the habits of another language or of the printed table. */
function habitOf({ source, start, variables, flag }: Scene, { code }: LibraryError): string | undefined {
  const hasEvent = variables.includes('event');
  if (hasEvent && code === 'no_such_overload' && /(^|[^.\w"'])type\s*(==|!=|in\b)/.test(source))
    return 'the type of the event is the variable event: event == "ADDED"; type() is a function';
  if (code === 'limit_exceeded' || code === 'no_such_overload' || code === 'unknown_variable') return undefined;
  const isPath = /(^|[\s(!,])\.[A-Za-z_]/.test(source.slice(0, start + 2)) && variables.includes('object');
  if (isPath && /^\s*(select|map|any|all|\[)\b/.test(source))
    return `this is jq, but ${flag} takes CEL: object${pathIn(source)} == "…"; only -o jq=… takes jq`;
  if (isPath) return `write fields with object in front: object${pathIn(source)}`;
  const before = beforeOf(source, start);
  const length = /(\d+(?:\.\d+)?(?:ms|[smhdy]))\b/.exec(
    before.slice(before.search(/[\w.]*$/)) + source.slice(start, start + NEAR),
  );
  if (length && code !== 'no_matching_overload') return `put a duration in quotes: "${length[1]}"`;
  return undefined;
}

/** The number of characters before and behind a mistake that a hint is made of. */
const NEAR = 300;

const beforeOf = (source: string, start: number) => source.slice(Math.max(0, start - NEAR), start);

/** The first path in jq's notation. */
const pathIn = (source: string) => /(?:^|[\s(!,])(\.[\w.[\]"'-]+)/.exec(source)?.[1] ?? '.metadata.name';

function explainOne(error: LibraryError, scene: Scene): Explanation {
  switch (error.code) {
    case 'unknown_variable':
      return unknownVariable(scene);
    case 'no_matching_overload':
      return wrongCall(error, scene);
    case 'no_such_overload':
      return {
        message: `no such operation: ${readable(error.summary.replace('no such overload: ', ''))}`,
        hint: CONVERT,
      };
    case 'unexpected_character':
    case 'unexpected_token':
    case 'expected_token':
      return unexpected(error, scene);
    case 'limit_exceeded':
      return { message: `it is too large: ${error.summary.replace('Exceeded ', 'more than ')}` };
    default:
      return { message: readable(lowerFirst(error.summary)), hint: hintOnHas(error.summary, scene) };
  }
}

/** `has()` takes a field by its name, and no key in brackets. */
function hintOnHas(summary: string, { source, start }: Scene): string | undefined {
  if (!summary.startsWith('has() ')) return undefined;
  const [, map, key] = /^([\w.]+)\[("[^"]*"|'[^']*')\]\s*\)/.exec(source.slice(start)) ?? [];
  return map === undefined
    ? 'it takes a field by its name, as in has(object.spec.nodeName)'
    : `it takes a field by its name; for a key write ${key} in ${map}`;
}

function unknownVariable({ source, start, end, variables, flag }: Scene): Explanation {
  const name = source.slice(start, end);
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && variables.includes('object')) {
    const instead = flag === '--filter' ? '' : '; with --limit 1 the stream ends at the first such row';
    return {
      message: `unknown variable "${name}"`,
      hint: `printed columns are for --where: --where '${name} == …'${instead}. ${flag} takes ${variables.join(', ')}; a string needs quotes: "${name}"`,
    };
  }
  const missing = notSupported(name);
  if (missing) return { message: `unknown variable "${name}"`, hint: missing };
  const [near] = nearest(name, [...variables, 'true', 'false', 'null']);
  const form = keyInBrackets(source, start) ?? (near === undefined ? pathOfObject(source, start) : undefined);
  if (form !== undefined && variables.includes('object')) return { message: `unknown variable "${name}"`, hint: form };
  const meant = near ? `did you mean ${near}? ` : '';
  return {
    message: `unknown variable "${name}"`,
    hint: `${meant}The variables are ${variables.join(', ')}; a string needs quotes: "${name}"`,
  };
}

/** The top-level fields of most types. Source: apimachinery meta/v1 TypeMeta. */
const FIRST_FIELDS = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data']);

/** The hint for a path without `object` in front, or with the name of a type in its place. */
function pathOfObject(source: string, start: number): string | undefined {
  const [path = '', name = '', next = ''] = /^(\w+)(?:\.(\w+))?(?:\.\w+)*/.exec(source.slice(start)) ?? [];
  if (FIRST_FIELDS.has(name)) return `write fields with object in front: object.${path}`;
  return FIRST_FIELDS.has(next) ? `the variable is object for every type: object${path.slice(name.length)}` : undefined;
}

/** The hint for a key with a `-` or `/` in it, which CEL parses as an operator. */
function keyInBrackets(source: string, start: number): string | undefined {
  const before = beforeOf(source, start);
  const [, map, begin = ''] =
    /(object\.metadata\.(?:labels|annotations))\.([\w./-]+[-/])$/.exec(before) ??
    /(object(?:\.\w+)*)\.((?:\w+-)+)$/.exec(before) ??
    [];
  const [end = ''] = /^\w+(?:[-/]\w+)*/.exec(source.slice(start)) ?? [];
  return map === undefined ? undefined : `put a key with - or / in brackets: ${map}["${begin}${end}"]`;
}

/** Explains a call of an unknown function, or one with the wrong number or types of arguments. */
function wrongCall(error: LibraryError, { environment, source, start, end }: Scene): Explanation {
  const call = /'(?:([\w.<>, ]+)\.)?(\w+)\((.*)\)'$/.exec(error.summary);
  if (!call) return { message: readable(lowerFirst(error.summary)) };
  const [, receiver, name = '', given = ''] = call;
  const functions = environment.getDefinitions().functions;
  const named = functions.filter((known) => known.name === name);
  const at = start + Math.max(0, source.slice(start, end).lastIndexOf(`${name}(`));
  if (named.length === 0)
    return {
      message: `unknown function "${name}"`,
      hint:
        notSupported(name) ??
        didYouMean(
          nearest(
            name,
            functions.map((known) => known.name),
          ),
        ),
      at,
    };
  const forms = [...new Set(named.map(({ signature }) => readable(signature.replaceAll('ast', 'expression'))))]
    .slice(0, 6)
    .join('; ');
  const of = receiver && receiver !== 'dyn' ? ` of ${readable(receiver)}` : '';
  return { message: `wrong arguments: ${name}(${readable(given)})${of}`, hint: `its forms are ${forms}`, at };
}

function unexpected(error: LibraryError, { source, start, end }: Scene): Explanation {
  const found = source.slice(start, Math.max(end, start + 1));
  const expected = /Expected (\w+)/.exec(error.summary)?.[1];
  const wanted = expected ? `expected ${TOKENS[expected] ?? expected.toLowerCase()}, but ` : '';
  const isEvery = found === '*' && source.slice(0, start).trimEnd().endsWith('[');
  if (start >= source.length) return { message: `${wanted}${wanted ? 'it' : 'the expression'} ends here` };
  return {
    message: `${wanted}${wanted ? 'found' : 'unexpected'} ${JSON.stringify(found)}`,
    hint: isEvery ? EVERY : (literalNotSupported(source, start) ?? WORDS[found.toLowerCase()]),
  };
}

/** The hint for what the API server has and this project does not: docs/watch.md lists it. */
function notSupported(name: string): string | undefined {
  const instead = Object.hasOwn(NOT_SUPPORTED, name) ? NOT_SUPPORTED[name] : undefined;
  return instead && `the API server has it, this program does not: ${instead}`;
}

const URLS = 'test the text with matches("…") or startsWith("…")';
const VERSIONS = 'split the text: int(x.split(".")[0])';
const UNWRAP = 'write .filter(x, x.hasValue()).map(x, x.value())';
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  url: URLS,
  isURL: URLS,
  semver: VERSIONS,
  isSemver: VERSIONS,
  format: 'test the text with matches("…")',
  authorizer: 'there is no request to authorize',
  unwrap: UNWRAP,
  unwrapOpt: UNWRAP,
};

/** The hint for a literal of the API server that this project does not have. */
function literalNotSupported(source: string, start: number): string | undefined {
  const [before, found] = [source.slice(0, start), source[start]];
  if (found === '?' && /[[{,]\s*$/.test(before))
    return 'optional items of lists and maps are not supported: write them with + and a condition, [1] + (has(a.b) ? [a.b] : [])';
  if (/^["']$/.test(found ?? '') && /\b(?:br|rb)$/i.test(before))
    return 'bytes without escapes are not supported: write b"…" and \\\\ for \\';
  return found === '`' ? 'write a name with other characters in brackets: object.metadata.labels["a.b/c"]' : undefined;
}

const EVERY = 'test the items of a list with .exists(item, item.name == "…") or .all(item, …)';

const TOKENS: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  IDENTIFIER: 'a name',
};

/** Hints for operators of other languages. */
const WORDS: Readonly<Record<string, string>> = {
  '=': 'write == for equality',
  and: 'write && for and',
  '&': 'write && for and',
  or: 'write || for or',
  '|': 'write || for or',
  not: 'write ! for not',
};

const didYouMean = ([first]: readonly string[]) => (first ? `did you mean ${first}()?` : undefined);
const readable = (text: string) =>
  text.replaceAll('google.protobuf.', '').replaceAll('Timestamp', 'timestamp').replaceAll('Duration', 'duration');
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function placeOf(source: string, at: number): { line: number; column: number; text: string } {
  const before = source.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const end = source.indexOf('\n', at);
  return {
    line: before.split('\n').length,
    column: at - start + 1,
    text: source.slice(start, end < 0 ? undefined : end),
  };
}
