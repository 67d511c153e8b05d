import { expect, it } from 'vitest';
import { duplicateFields } from '../../../src/sandbox/write/duplicate-fields.ts';

it.each<[text: string, found: string[]]>([
  ['{}', []],
  ['{"a":1,"b":{"a":1}}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"a":1,"a":2,"a":3}', ['a', 'a']],
  [' { "a" : { "b" : 1 , "b" : 2 } } ', ['a.b']],
  ['{"a":[{"b":1},{"b":1,"b":2}],"a":[]}', ['a[1].b', 'a']],
  ['{"a\\"b":1,"a\\u0022b":2}', ['a"b']],
  ['{"a":"}{\\"","b":[true,null,-1.5e3],"b":1}', ['b']],
  ['{"__proto__":1,"__proto__":2,"constructor":1}', ['__proto__']],
  ['[{"a":1,"a":2}]', ['[0].a']],
  ['"text"', []],
])('finds in %s: %j', (text, found) => {
  expect(duplicateFields(text)).toEqual(found);
});
