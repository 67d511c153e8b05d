import { describe, expect, it } from 'vitest';
import { parserOf } from '../../../src/client/decode/huge-numbers.ts';
import { jsonText } from '../../../src/kit/exact-json.ts';

const CORE = { group: '' };
const CUSTOM = { group: 'stable.example.com' };

describe('parserOf', () => {
  const parsed = (group: { group: string }, texts: string[]) => {
    const parse = parserOf(group);
    return texts.map((text) => jsonText(parse(Buffer.from(text), text)));
  };
  const many = (count: number) => Array.from({ length: count }, () => '{"a":1}');

  it('keeps a number that is too large for a double in custom resources, however late it comes', () => {
    expect(parsed(CUSTOM, [...many(1500), '{"a":1e400}']).at(-1)).toBe('{"a":1e400}');
  });

  it.each(['apiextensions.k8s.io', 'resource.k8s.io'])('keeps it in %s, whose types contain any JSON', (group) => {
    expect(parsed({ group }, [...many(1500), '{"a":1e400}']).at(-1)).toBe('{"a":1e400}');
  });

  it('keeps it in all objects of a built-in type after it occurred in the first thousand', () => {
    expect(parsed(CORE, ['{"a":1e400}', ...many(1500), '{"a":1e401}']).at(-1)).toBe('{"a":1e401}');
  });

  it('searches the first thousand objects of a built-in type only', () => {
    expect(parsed(CORE, [...many(999), '{"a":1e400}']).at(-1)).toBe('{"a":1e400}');
    expect(parsed(CORE, [...many(1000), '{"a":1e400}']).at(-1)).toBe('{"a":null}');
  });

  it('keeps whole numbers exact in every object', () => {
    expect(parsed(CORE, [...many(1500), '{"a":9007199254740993}']).at(-1)).toBe('{"a":9007199254740993}');
  });
});
