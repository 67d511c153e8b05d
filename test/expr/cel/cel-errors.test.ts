import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/cel.ts';

describe('an expression that cannot be compiled is refused', () => {
  it.each([
    ['objct.spec == 1', 'unknown variable "objct" at column 1', 'did you mean object?'],
    ['object.status.phase == Running', 'unknown variable "Running" at column 24', 'a string needs quotes: "Running"'],
    ['object.metadata.name.startWith("a")', 'unknown function "startWith" at column 22', 'did you mean startsWith()?'],
    ['foo(1)', 'unknown function "foo"', undefined],
    ['size(1, 2)', 'wrong arguments: size(int, int)', 'size(string): int'],
    ['"a".matches()', 'wrong arguments: matches() of string', 'string.matches(string): bool'],
    ['"a" > 1', 'no such operation: string > int', 'convert'],
    ['object.a = 1', 'unexpected "=" at column 10', 'write == for equality'],
    ['object.a and object.b', 'unexpected "and" at column 10', 'write && for and'],
    ['(object.a', 'expected ")", but it ends here', undefined],
    ['object.a ==', 'the expression ends here', undefined],
    ['"abc', 'unterminated string', undefined],
    ['object.metadata.name.matches("(a")', 'invalid RE2 pattern: missing closing ) at column 30', undefined],
    ['cidr("10.0.0.0").prefixLength() == 1', 'cidr() cannot read this text', undefined],
    ['"x".find("(?=a)")', 'invalid RE2 pattern: invalid or unsupported Perl syntax', undefined],
    ['now - duration("5x") > now', 'duration() cannot read this text', undefined],
    ['quantity("1x").isInteger()', 'quantity() cannot read this text', undefined],
    ['has(object)', 'has() invalid argument', 'as in has(object.spec.nodeName)'],
    ['true && has(object.a["x/y"])', 'has() invalid argument', 'for a key write "x/y" in object.a'],
    ['isURL("https://a")', 'unknown function "isURL"', 'the API server has it, this program does not: test the text'],
    ['url("https://a").getHost() == "a"', 'unknown function "url"', 'the API server has it'],
    ['semver("1.0.0").major() == 1', 'unknown function "semver"', 'split the text'],
    ['format.named("uuid").hasValue()', 'unknown variable "format"', 'the API server has it'],
    ['authorizer == null', 'unknown variable "authorizer"', 'there is no request to authorize'],
    ['optional.unwrap([]) == []', 'unknown function "unwrap"', 'write .filter(x, x.hasValue())'],
    ['[?object.?a] == []', 'unexpected "?" at column 2', 'optional items of lists and maps are not supported'],
    ['{?"a": object.?a} == {}', 'unexpected "?" at column 2', 'optional items of lists and maps are not supported'],
    ['br"\\n" == b""', 'unexpected', 'bytes without escapes are not supported'],
    ['object.metadata.labels.`a/b` == ""', 'unexpected "`"', 'write a name with other characters in brackets'],
    ['', 'the expression is empty', undefined],
  ])('%s', (source, message, hint) => {
    const refusal = refusalOf(source);
    expect(refusal.code).toBe('argument');
    expect(refusal.message).toContain(`--filter: ${message}`);
    if (hint === undefined) return;
    expect(refusal.hint).toContain(hint);
  });

  it('with a mark under the place, in the right one of several lines', () => {
    expect(refusalOf('object.a == 1 &&\n  objct.b == 2').message).toBe(
      '--filter: unknown variable "objct" at line 2, column 3\n    objct.b == 2\n    ^',
    );
  });
});
