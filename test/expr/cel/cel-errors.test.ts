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
