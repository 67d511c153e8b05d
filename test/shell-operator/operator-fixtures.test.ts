import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { operatorFixtureOf } from '../../src/shell-operator/operator-fixtures.ts';

const read = (text: string) => operatorFixtureOf(load(text), { file: 'f.yaml', text });
const MAP = '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }';

describe('a fixture for a folder of hooks', () => {
  it('has a state, changes in their order, and what is expected', () => {
    const {
      given,
      changes,
      expect: expected,
    } = read(`
given: [${MAP}]
changes:
- apply: ${MAP}
- schedule: a.sh/nightly
- delete: ${MAP}
expect: { objects: [${MAP}], error: no }`);
    expect(given).toHaveLength(1);
    expect(changes.map((change) => Object.keys(change)[0])).toEqual(['apply', 'schedule', 'delete']);
    expect(expected).toMatchObject({ objects: [{ kind: 'ConfigMap' }], error: 'no' });
  });

  it.each([
    ['a type', 'type: pods\nexpect: { error: a }', 'f.yaml:1: type means nothing for hooks of shell-operator'],
    ['a key', 'expect: { error: a }\nkey: shop/a', 'f.yaml:2: key means nothing'],
    ['actions', 'expect:\n  actions: []', 'f.yaml:2: actions means nothing'],
    ['changes that are no list', 'expect: { error: a }\nchanges: {}', 'f.yaml:2: changes must be a list'],
    [
      'a change of two sorts',
      `expect: { error: a }\nchanges: [{ apply: ${MAP}, delete: ${MAP} }]`,
      'has one of apply, delete, schedule',
    ],
    ['a change of no sort', 'expect: { error: a }\nchanges: [{ create: {} }]', 'has one of apply, delete, schedule'],
    [
      'an object without a name',
      'expect: { error: a }\nchanges: [{ apply: { kind: Pod } }]',
      'needs apiVersion, kind and metadata.name',
    ],
    [
      'a schedule that is no text',
      'expect: { error: a }\nchanges: [{ schedule: 3 }]',
      'schedule must be a text: HOOK/BINDING',
    ],
    ['an unknown key', 'expect: { error: a }\ngiven: []\nchange: []', 'unknown key "change"'],
    ['a text', 'abc', 'it must be a map'],
  ])('is refused with file and line for %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
