import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findManagedFields, OF_EVENT, OF_OBJECT, OF_TABLE_EVENT } from '../../../src/client/decode/managed-fields.ts';
import { objectText, valueText } from './json-text.ts';

/** The text without the range that was found. */
function without(text: string, path = OF_OBJECT): string {
  const bytes = Buffer.from(text);
  const cut = findManagedFields(bytes, path);
  return cut ? bytes.toString('utf8', 0, cut.from) + bytes.toString('utf8', cut.to) : text;
}

type Json = { metadata?: { managedFields?: unknown } } & Record<string, unknown>;

/** The expected result for any form of the text. */
function trimmed(text: string): unknown {
  const value = JSON.parse(text) as Json | null;
  const metadata: unknown = value?.metadata;
  if (typeof metadata === 'object' && metadata !== null) delete (metadata as Json).managedFields;
  return value;
}

describe('findManagedFields', () => {
  it.each([
    ['first', '{"metadata":{"managedFields":[{}],"name":"a"}}', '{"metadata":{"name":"a"}}'],
    [
      'in the middle',
      '{"metadata":{"name":"a","managedFields":[{}],"uid":"u"}}',
      '{"metadata":{"name":"a","uid":"u"}}',
    ],
    ['last', '{"metadata":{"name":"a","managedFields":[{}]},"spec":{}}', '{"metadata":{"name":"a"},"spec":{}}'],
    ['alone', '{"metadata":{"managedFields":[]}}', '{"metadata":{}}'],
    [
      'in metadata that comes last',
      '{"spec":{"x":[1]},"metadata":{"a":1,"managedFields":[{"f:]":{}}]}}',
      '{"spec":{"x":[1]},"metadata":{"a":1}}',
    ],
    [
      'last of all, with escaped quotes and brackets in strings',
      '{"metadata":{"a":1,"managedFields":[{"k:{\\"b]\\"}":"]","c":"\\\\"}]}}',
      '{"metadata":{"a":1}}',
    ],
    [
      'with a bracket within a string that goes on',
      '{"metadata":{"managedFields":[{"a":"x]-ab"}],"b":1}}',
      '{"metadata":{"b":1}}',
    ],
    [
      'with a string that ends with a bracket',
      '{"metadata":{"managedFields":[{"a":"x]","b":1}],"c":1}}',
      '{"metadata":{"c":1}}',
    ],
    [
      'spread over lines',
      '{\n "metadata" : {\n "a": 1,\n "managedFields" : [ {} ] ,\n "b": 2\n}\n}',
      '{\n "metadata" : {\n "a": 1 ,\n "b": 2\n}\n}',
    ],
    [
      'between all blanks of JSON',
      '{\r\n\t"metadata"\t:\r{\t"a": 1\t,\r"managedFields"\t:\t[\t{}\r]\t,\t"b": 2\t}\r}',
      '{\r\n\t"metadata"\t:\r{\t"a": 1\t\t,\t"b": 2\t}\r}',
    ],
    [
      'with lists and brackets in strings within',
      '{"metadata":{"managedFields":[{"a":[1],"b":"}],\\"x"},"]"],"b":1}}',
      '{"metadata":{"b":1}}',
    ],
  ])('finds them %s', (_, text, rest) => {
    expect(without(text)).toBe(rest);
  });

  it.each([
    ['in spec', '{"metadata":{"name":"a"},"spec":{"managedFields":[1]}}'],
    ['in the metadata of a template', '{"metadata":{},"spec":{"template":{"metadata":{"managedFields":[1]}}}}'],
    ['in a template ahead of the metadata', '{"spec":{"metadata":{"managedFields":[1]}},"metadata":{"name":"a"}}'],
    ['in an annotation', '{"metadata":{"annotations":{"a":",\\"managedFields\\":[{}],\\"b"}}}'],
    ['in a text that is cut in front of their first bracket', '{"metadata":{"managedFields":'],
    ['in a text that is cut within them', '{"metadata":{"name":"a","managedFields":[{"a":1}'],
    ['in a text that is cut within a string of them, behind a bracket', '{"metadata":{"managedFields":[{"a":"x]'],
    ['under a key with another first letter', '{"metadata":{"damagedFields":[1],"nanagedFields":[1]}}'],
    ['as a label', '{"metadata":{"labels":{"managedFields":[1]}}}'],
    ['as a value', '{"metadata":{"a":"managedFields","b":[1]}}'],
    ['beside the metadata', '{"managedFields":[1],"metadata":null}'],
    ['in a list of metadata', '{"metadata":["managedFields",[1]]}'],
    ['in an object in a list of metadata', '{"metadata":[{"managedFields":[]}]}'],
  ])('leaves a member of that name %s', (_, text) => {
    expect(without(text)).toBe(text);
  });

  it('follows a watch event to its object, and a table to its row', () => {
    expect(without('{"type":"ADDED","object":{"metadata":{"managedFields":[{}],"a":1}}}', OF_EVENT)).toBe(
      '{"type":"ADDED","object":{"metadata":{"a":1}}}',
    );
    expect(
      without(
        '{"object":{"metadata":{"managedFields":[1]},"rows":[{"object":{"metadata":{"managedFields":[2]}}}]}}',
        OF_TABLE_EVENT,
      ),
    ).toBe('{"object":{"metadata":{"managedFields":[1]},"rows":[{"object":{"metadata":{}}}]}}');
  });

  it('leaves a table whose rows are no list as it is', () => {
    for (const rows of ['{}', '[]', '"x"', '7'])
      for (const inner of [
        `"metadata":{"managedFields":[1]},"rows":${rows}`,
        `"rows":${rows},"metadata":{"managedFields":[1]}`,
      ]) {
        const text = `{"type":"ADDED","object":{${inner},"object":{"metadata":{"managedFields":[1]}}}}`;
        expect(without(text, OF_TABLE_EVENT)).toBe(text);
      }
  });

  it('leaves nothing else out, in any form of an object', () => {
    let found = 0;
    fc.assert(
      fc.property(objectText, (text) => {
        const rest = without(text);
        if (rest !== text) found++;
        expect(trimmed(rest)).toEqual(trimmed(text));
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  it('leaves any other value as it is', () => {
    fc.assert(
      fc.property(valueText, (text) => {
        expect(trimmed(without(text))).toEqual(trimmed(text));
      }),
    );
  });
});
