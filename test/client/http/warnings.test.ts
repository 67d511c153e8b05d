import { describe, expect, it } from 'vitest';
import { onceEach, parseWarnings } from '../../../src/client/http/warnings.ts';

describe('parseWarnings', () => {
  it.each([
    ['299 - "extensions/v1beta1 is deprecated"', ['extensions/v1beta1 is deprecated']],
    ['299 - "a, \\"b\\"", 299 agent "c" "Wed, 21 Oct 2015 07:28:00 GMT"', ['a, "b"', 'c']],
    ['110 proxy "stale"', []],
    ['nonsense', []],
  ])('reads %s', (header, texts) => {
    expect(parseWarnings(header)).toEqual(texts);
  });
});

describe('onceEach', () => {
  it('passes on the first occurrence of each text only', () => {
    const warned: string[] = [];
    const warn = onceEach((text) => warned.push(text));
    for (const text of ['a', 'b', 'a']) warn(text);
    expect(warned).toEqual(['a', 'b']);
  });

  it('remembers a thousand texts, so that names in warnings do not fill the memory', () => {
    let warned = 0;
    const warn = onceEach(() => warned++);
    for (let i = 0; i < 1000; i++) warn(`text ${i}`);
    warn('text 0');
    expect(warned).toBe(1000);
    warn('text 1000');
    warn('text 0');
    expect(warned).toBe(1002);
  });
});
