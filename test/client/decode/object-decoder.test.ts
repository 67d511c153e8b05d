import { describe, expect, it } from 'vitest';
import { OF_OBJECT } from '../../../src/client/decode/managed-fields.ts';
import {
  brokenJson,
  decodeJson,
  decodeTrimmed,
  dropManagedFields,
  parseOrNone,
} from '../../../src/client/decode/object-decoder.ts';
import { jsonText } from '../../../src/kit/exact-json.ts';

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  return expect.unreachable();
}

describe('decodeJson', () => {
  it('keeps whole numbers exact', () => {
    expect(jsonText(decodeJson(Buffer.from('{"a":9007199254740993}'), 0))).toBe('{"a":9007199254740993}');
  });

  it('names the byte and the fault, and quotes no part of the bytes', () => {
    const error = thrownBy(() => decodeJson(Buffer.from('{"data":hunter2}'), 40));
    expect(error).toMatchObject({
      code: 'decode',
      message: expect.stringMatching(/^broken JSON at byte 40 of the response: Unexpected token/),
    });
    expect(`${error} ${error.stack} ${error.cause} ${(error.cause as Error).stack}`).not.toContain('hunter2');
  });

  it('uses another parser', () => {
    expect(decodeJson(Buffer.from('x'), 0, (bytes, text) => [bytes.length, text])).toEqual([1, 'x']);
  });
});

describe('decodeTrimmed', () => {
  it('leaves managedFields out before it parses', () => {
    const text = '{"metadata":{"managedFields":[{"a":1}],"name":"x"}}';
    const parsed: string[] = [];
    const parse = (_: Buffer, json: string) => {
      parsed.push(json);
      return JSON.parse(json);
    };
    expect(decodeTrimmed(Buffer.from(text), 0, OF_OBJECT, parse)).toEqual({ metadata: { name: 'x' } });
    expect(parsed).toEqual(['{"metadata":{"name":"x"}}']);
  });

  it('hands over the object with the text that was left out, and nothing of bytes that are broken', () => {
    const kept: unknown[] = [];
    const keep = (value: unknown, text: string) => kept.push([value, text]);
    const decode = (text: string) => decodeTrimmed(Buffer.from(text), 7, OF_OBJECT, undefined, keep);
    const object = decode('{"metadata":{"managedFields":[{"a":1}],"name":"x"}}');
    expect(kept).toEqual([[object, '[{"a":1}]']]);
    expect(decode('{"metadata":{"name":"x"}}')).toEqual({ metadata: { name: 'x' } });
    expect(() => decode('{"metadata":{"managedFields":[]},}')).toThrow('broken JSON at byte 7 of the response');
    expect(kept).toHaveLength(1);
  });

  it('gives the whole object if it has none, or in another form than servers write', () => {
    expect(decodeTrimmed(Buffer.from('{"metadata":{}}'), 0, OF_OBJECT)).toEqual({ metadata: {} });
    expect(decodeTrimmed(Buffer.from('{"metadata":{"managedFields":null}}'), 0, OF_OBJECT)).toEqual({
      metadata: { managedFields: null },
    });
  });

  it('reports the fault with the byte offset', () => {
    expect(() => decodeTrimmed(Buffer.from('{"metadata":{"managedFields":[]},}'), 7, OF_OBJECT)).toThrow(
      'at byte 7 of the response',
    );
  });
});

it('parseOrNone gives undefined for a broken text', () => {
  expect([parseOrNone('{"a":1}'), parseOrNone('{'), parseOrNone('null')]).toEqual([{ a: 1 }, undefined, null]);
});

describe('dropManagedFields', () => {
  it('removes them in place, and nothing else', () => {
    const object = { metadata: { name: 'x', managedFields: [] }, spec: { managedFields: 1 } };
    expect(dropManagedFields(object)).toBe(object);
    expect(object).toEqual({ metadata: { name: 'x' }, spec: { managedFields: 1 } });
  });

  it.each([null, undefined, {}, { metadata: null }])('leaves %j as it is', (value) => {
    expect(dropManagedFields(value)).toBe(value);
  });
});

it('brokenJson keeps the cause', () => {
  const cause = new SyntaxError('x');
  expect(brokenJson(3, 'why', cause)).toMatchObject({
    code: 'decode',
    message: 'broken JSON at byte 3 of the response: why',
    cause,
  });
});
