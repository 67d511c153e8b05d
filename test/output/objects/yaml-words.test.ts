import { load, YAML11_SCHEMA } from 'js-yaml';
import { expect, test } from 'vitest';
import { toYaml } from '../../../src/output/objects/yaml.ts';

test.each(['<<', '='])('%s, which YAML 1.1 takes for more than text, is quoted as key and as value', (word) => {
  const value = { a: word, [word]: { b: [word] } };
  expect(toYaml(value)).toBe(`a: "${word}"\n"${word}":\n  b:\n  - "${word}"\n`);
  expect(load(toYaml(value), { schema: YAML11_SCHEMA })).toEqual(value);
});

test.each(['<', '<<<', '<<x', '==', '=x'])('%s is plain text', (word) => {
  expect(toYaml({ a: word })).toBe(`a: ${word}\n`);
});
