import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemScan } from '../../../src/client/decode/item-scan.ts';
import { jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { type FieldTree, fieldTreeOf } from '../../../src/model/field-tree.ts';
import { objectText } from './json-text.ts';

const FIELDS = fieldTreeOf([['metadata', 'name'], ['metadata', 'labels'], ['spec', 'big'], ['status']]) as FieldTree;

const pod = (rest = '', metadata = '') =>
  `{"metadata":{"name":"p","namespace":"n","managedFields":[{"manager":"x]","fieldsV1":{"f:a":{"k:{\\"a\\":1}":{}}}}],"labels":{"a":"b"}${metadata}},"spec":{"big":9007199254740993,"other":[1,{"a":[]},{}]}${rest}}`;

function scanned(text: string | Buffer, { fields = FIELDS, keepsManagedFields = false } = {}) {
  const scan = new ItemScan(fields, keepsManagedFields ? undefined : ['metadata']);
  if (!scan.read(Buffer.from(text as string))) return undefined;
  return { part: scan.parsed(), text: scan.text('{') };
}

function withoutManagedFields(text: string): unknown {
  const object = parseJson(text) as { metadata?: { managedFields?: unknown } };
  if (typeof object.metadata === 'object' && object.metadata !== null && !Array.isArray(object.metadata))
    delete object.metadata.managedFields;
  return object;
}

const anyKey = fc.constantFrom('metadata', 'name', 'managedFields', 'labels', 'status', 'spec', '10', 'é', 'a');
const anyValue = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('0', '-1', '1.5', '1e3', '9007199254740993', '"x"', '"\\u003c"', '"é"', 'null', 'true', '""'),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc.array(fc.tuple(anyKey, tie('any')), { maxLength: 4 }).map((members) => mapText(members)),
  ),
})).any;
const whole = fc
  .uniqueArray(fc.tuple(anyKey, anyValue), { selector: ([name]) => name, maxLength: 5 })
  .map((members) => mapText(members));
// managedFields are passed over as they are, here as where objects are decoded
const broken = fc
  .tuple(
    whole.filter((text) => !text.includes('managedFields')),
    fc.nat(),
    fc.constantFrom('', ',', '}', ']', '"', '\\', '0', 'x', '{', ':', '\n'),
  )
  .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1));

describe('one pass over the bytes of an object', () => {
  it('gives the fields that are asked for, exactly, and the text without managedFields', () => {
    const { part, text } = scanned(pod(',"status":{"phase":"Running"}')) ?? {};
    expect(part).toEqual({
      metadata: { name: 'p', labels: { a: 'b' } },
      spec: { big: 9007199254740993n },
      status: { phase: 'Running' },
    });
    expect(text).toBe(
      '{"metadata":{"name":"p","namespace":"n","labels":{"a":"b"}},"spec":{"big":9007199254740993,"other":[1,{"a":[]},{}]},"status":{"phase":"Running"}}',
    );
  });

  it('keeps a name that is not ASCII, also where nothing else is asked for', () => {
    expect(scanned('{"é":1}')?.text).toBe('{"é":1}');
    expect(scanned('{"status":{"é":1}}')).toEqual({ part: { status: { é: 1 } }, text: '{"status":{"é":1}}' });
  });

  it('takes a value that is no map as a whole where fields of it are asked for', () => {
    expect(scanned('{"metadata":null,"spec":[1,{"big":2}]}')?.part).toEqual({ metadata: null, spec: [1, { big: 2 }] });
  });

  it('leaves out the managedFields of the metadata at a longer path, and of no other metadata', () => {
    const fields = fieldTreeOf([['cells'], ['object', 'metadata', 'name']]) as FieldTree;
    const scan = new ItemScan(fields, ['object', 'metadata']);
    const row = (managedFields: string) =>
      `{"cells":["p"],"object":{"metadata":{"name":"p"${managedFields},"metadata":{"managedFields":[1]}}},"metadata":{"managedFields":[2]}}`;
    expect(scan.read(Buffer.from(row(',"managedFields":[3]')))).toBe(true);
    expect(scan.parsed()).toEqual({ cells: ['p'], object: { metadata: { name: 'p' } } });
    expect(scan.text('{')).toBe(row(''));
    const inner = '{"metadata":{"metadata":{"managedFields":[1]}}}';
    const below = fieldTreeOf([['metadata', 'metadata', 'name']]) as FieldTree;
    expect(scanned(inner, { fields: below })?.text).toBe(inner);
  });

  it.each([
    ['the whole metadata', [['metadata']]],
    ['more fields of it than are looked for', Array.from({ length: 31 }, (_, i) => ['metadata', `f${i}`])],
  ])('does not read an object with managedFields that are left out where %s is asked for', (_, paths) => {
    const fields = fieldTreeOf(paths) as FieldTree;
    expect(scanned('{"metadata":{"name":"p","managedFields":[{}]}}', { fields })).toBeUndefined();
    expect(scanned('{"metadata":{"name":"p"}}', { fields })?.part).toEqual({ metadata: { name: 'p' } });
    expect(scanned('{"metadata":null,"x":"managedFields"}', { fields })?.part).toEqual({ metadata: null });
    const kept = scanned('{"metadata":{"managedFields":[{}]}}', { fields, keepsManagedFields: true });
    expect(kept?.part).toEqual({ metadata: { managedFields: [{}] } });
  });

  it('leaves out managedFields that are asked for by name', () => {
    const fields = fieldTreeOf([
      ['metadata', 'managedFields'],
      ['metadata', 'name'],
    ]) as FieldTree;
    expect(scanned('{"metadata":{"name":"p","managedFields":[{}]}}', { fields })).toEqual({
      part: { metadata: { name: 'p' } },
      text: '{"metadata":{"name":"p"}}',
    });
  });

  it('keeps managedFields where they are not left out', () => {
    expect(scanned(pod(), { keepsManagedFields: true })?.text).toBe(pod());
    const fields = fieldTreeOf([['metadata', 'managedFields']]) as FieldTree;
    expect(scanned(pod(), { fields, keepsManagedFields: true })?.part).toMatchObject({
      metadata: { managedFields: [{ manager: 'x]' }] },
    });
  });

  it.each([
    ['first', '{"metadata":{"managedFields":[{"a":1}],"name":"p"}}', '{"metadata":{"name":"p"}}'],
    ['only', '{"metadata":{"managedFields":[{"a":1}]}}', '{"metadata":{}}'],
    ['empty', '{"metadata":{"name":"p","managedFields":[]}}', '{"metadata":{"name":"p"}}'],
    ['full of lists', '{"metadata":{"managedFields":[[],"x",[1],2],"name":"p"}}', '{"metadata":{"name":"p"}}'],
    ['nested', '{"metadata":{"name":"p","managedFields":[["]"],"["]}}', '{"metadata":{"name":"p"}}'],
  ])('leaves out managedFields that are the %s member', (_, text, expected) => {
    expect(scanned(text)?.text).toBe(expected);
  });

  it.each([
    ['a blank', '{"metadata": {}}'],
    ['a field twice that is asked for', '{"status":1,"status":2}'],
    ['an escape in a key that may be asked for', '{"st\\u0061tus":1}'],
    ['managedFields that are no list', '{"metadata":{"managedFields":{"a":1}}}'],
    ['managedFields that are a map of lists', '{"metadata":{"managedFields":{"a":[1]}}}'],
    ['managedFields twice', '{"metadata":{"managedFields":[],"managedFields":[]}}'],
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from('{"status":"'), 0xc3, 0x28, ...Buffer.from('"}')])],
    ['a list', '[]'],
    ['nothing', ''],
  ])('does not read %s: it has to be decoded', (_, text) => {
    expect(scanned(text)).toBeUndefined();
  });

  it.each([
    ['-0', '{"a":-0}'],
    ['a fraction that JavaScript writes in another way', '{"a":1.0}'],
    ['an exponent', '{"a":1e2}'],
    ['a number beyond a double', '{"a":1e400}'],
    ['keys that V8 sorts', '{"b":1,"10":2,"9":3}'],
    ['an escaped slash', '{"a":"\\/"}'],
  ])('has no text of an object that would be written in another way: %s', (_, text) => {
    expect(scanned(text)).toMatchObject({ text: undefined });
  });

  it('writes escapes as JSON.stringify does', () => {
    const text = '{"a":"\\u003c \\u0026\\\\u003c \\u2028 \\ud83d\\ude00 \\ud83d \\u0000 \\u001B \\n"}';
    expect(scanned(text)?.text).toBe(JSON.stringify(JSON.parse(text)));
  });

  const VALUES = [
    '0',
    '-1',
    '10',
    '1.5',
    '-0.5',
    '1E5',
    '1e+5',
    '1e-5',
    '1.25e10',
    '1e400',
    '-1.5E+400',
    'true',
    'false',
    'null',
    '""',
    '"é🙂"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
    '"\\u00e9\\uD83D\\ude00"',
    '[]',
    '{}',
    '[[],[1]]',
    '{"b":{}}',
    '{"b":[],"c":{"":0}}',
  ];
  const BROKEN_VALUES = [
    '',
    '01',
    '-',
    '-01',
    '00',
    '1.',
    '.5',
    '1.e5',
    '1e',
    '1e+',
    '+1',
    'tru',
    'trux',
    'nulL',
    'truefalse',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12"',
    '"\\ug234"',
    '"\\u123g"',
    '"\\',
    '"a',
    '"a\nb"',
    '"\u001f"',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1}',
    '[',
    '{"b":1]',
    '{"b"}',
    '{"b":}',
    '{"b"1}',
    '{b:1}',
    '{"b":1,}',
    '{,}',
    '{"b":"c"',
    '1]',
    '1,',
    '1}',
  ];

  it.each(VALUES)('reads the value %s, whether it is asked for or not', (value) => {
    const { part, text } = scanned(`{"status":${value},"a":${value},"metadata":{"name":${value},"x":${value}}}`) ?? {};
    expect(part).toEqual({ status: parseJson(value), metadata: { name: parseJson(value) } });
    if (text !== undefined) expect(parseJson(text)).toMatchObject({ a: parseJson(value) });
  });

  it.each(BROKEN_VALUES)('does not read the value %j, whether it is asked for or not', (value) => {
    for (const text of [
      `{"status":${value}}`,
      `{"a":${value}}`,
      `{"metadata":{"name":${value}}}`,
      `{"metadata":{"x":${value},"name":"p"}}`,
    ])
      expect(scanned(text), text).toBeUndefined();
  });

  it.each([
    '{"a":1}x',
    '{"a":1',
    '{',
    '{"a"',
    '{"a',
    '{"a"1}',
    '{"a":1,}',
    '{"a":1]',
    '{"a\nb":1}',
    '{a":1}',
    '{"metadata":{"name":1]}',
    'x"a":1}',
  ])('does not read %j', (text) => {
    expect(scanned(text)).toBeUndefined();
  });

  it.each([0x80, 0xbf, 0xff])('does not read a key or a value with the byte %i alone, which is no UTF-8', (byte) => {
    for (const [before, after] of [
      ['{"a', '":1}'],
      ['{"a":"', '"}'],
      ['{"status":"', '"}'],
      ['{"status":{"a', '":1}}'],
    ] as const) {
      // biome-ignore format: one list
      const text = Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)]);
      expect(scanned(text)).toBeUndefined();
    }
  });

  it.each([
    ['{"metadata":{"managedFields":[{}],"name":"p","labels":{}}}', '{"metadata":{"name":"p","labels":{}}}'],
    ['{"metadata":{"name":"p","managedFields":[{}],"labels":{}}}', '{"metadata":{"name":"p","labels":{}}}'],
    ['{"metadata":{"name":"p","managedFields":[{}]}}', '{"metadata":{"name":"p"}}'],
    ['{"metadata":{"managedFields":[{}]}}', '{"metadata":{}}'],
  ])('leaves managedFields out at any place: %s', (text, expected) => {
    expect(scanned(text)).toMatchObject({ text: expected });
  });

  it('does not read a key whose bytes are no UTF-8', () => {
    const text = Buffer.concat([Buffer.from('{"'), Buffer.of(0xc3, 0x28), Buffer.from('":1}')]);
    expect(scanned(text)).toBeUndefined();
  });

  it.each([
    ['{}', undefined],
    ['{"":0}', '{"":0}'],
    ['{"4294967294":1}', undefined],
    ['{"12345678901":1}', '{"12345678901":1}'],
    ['{"1a":1}', '{"1a":1}'],
    ['{"x":{"7":1}}', undefined],
    ['{" ":1," a b":2}', '{" ":1," a b":2}'],
    ['{"x":{"":1,"7a":1}}', '{"x":{"":1,"7a":1}}'],
    ['{"x":[0.5,-7,120]}', '{"x":[0.5,-7,120]}'],
    ['{"x":1.50}', undefined],
    ['{"x":-0}', undefined],
    ['{"x":[0,-0.5,-9007199254740993,-12]}', '{"x":[0,-0.5,-9007199254740993,-12]}'],
    ['{"1234567890":1}', undefined],
    ['{"x":{"1234567890":1}}', undefined],
  ])('has the text of %s where JavaScript would write the same', (text, expected) => {
    expect(scanned(text)).toMatchObject({ text: expected });
  });

  it('begins the text with a head in place of the first bracket', () => {
    const scan = new ItemScan(FIELDS, ['metadata']);
    expect(scan.read(Buffer.from('{"metadata":{"name":"p","managedFields":[]},"a":"é"}'))).toBe(true);
    expect(scan.text('{"kind":"Pod",')).toBe('{"kind":"Pod","metadata":{"name":"p"},"a":"é"}');
  });

  it('reads one object after the other, small and large ones', () => {
    const scan = new ItemScan(FIELDS, ['metadata']);
    for (const length of [1, 47, 48, 49, 4_000, 100, 5_000, 20_000, 3]) {
      const object = { metadata: { name: 'é'.repeat(length), managedFields: [] }, x: 1, status: 'y'.repeat(length) };
      expect(scan.read(Buffer.from(JSON.stringify(object)))).toBe(true);
      expect(scan.parsed()).toEqual({ metadata: { name: object.metadata.name }, status: object.status });
      expect(scan.read(Buffer.from('{"status":"\\u0041","a":-0,"metadata":{}}'))).toBe(true);
      expect([scan.parsed(), scan.text('{')]).toEqual([{ status: 'A', metadata: {} }, undefined]);
    }
  });

  it('reads up to two hundred levels around an innermost value', () => {
    const nested = (levels: number) => `{"status":${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}}`;
    expect(scanned(nested(200))?.part).toEqual(JSON.parse(nested(200)));
    expect(scanned(nested(202))).toBeUndefined();
  });

  it('takes all of a value of which more than thirty fields are asked for', () => {
    const wanted = (count: number) =>
      fieldTreeOf(Array.from({ length: count }, (_, i) => ['spec', `f${i}`])) as FieldTree;
    const text = '{"spec":{"f0":1,"other":2}}';
    expect(scanned(text, { fields: wanted(30) })?.part).toEqual({ spec: { f0: 1 } });
    expect(scanned(text, { fields: wanted(31) })?.part).toEqual({ spec: { f0: 1, other: 2 } });
  });

  it.each([
    ['whole objects', whole],
    ['broken objects', broken],
    ['any text', objectText],
  ])('never reads what JSON.parse refuses, and then gives the same fields and the same text: %s', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const scan = new ItemScan(FIELDS, ['metadata']);
        if (!scan.read(Buffer.from(text))) return;
        const object = withoutManagedFields(text);
        expect(scan.parsed()).toEqual(partOf(object, FIELDS));
        const own = scan.text('{');
        if (own !== undefined && !hasKeyTwice(text)) expect(own).toBe(jsonText(object));
      }),
      { numRuns: 3_000 },
    );
  });
});

const mapText = (members: readonly (readonly [string, string])[]) =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

/** An API server writes no key twice. Where it is not asked for, a text has both. */
const hasKeyTwice = (text: string) => text.replaceAll(/\s/g, '').length !== jsonText(parseJson(text)).length;

function partOf(value: unknown, tree: FieldTree): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([name, below]) => {
    const own = tree.get(name);
    return own === undefined ? [] : [[name, own === true ? below : partOf(below, own)] as const];
  });
  return Object.fromEntries(kept);
}
