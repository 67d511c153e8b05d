import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../src/output/typescript/declarations.ts';

const TSC = path.resolve(import.meta.dirname, '../../../node_modules/.bin/tsc');
const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], default: {} });
const MICRO_TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime';
const THING = { schema: 'com.example.v1.Thing', apiVersion: 'example.com/v1', kind: 'Thing' };
const thing = (properties: object, more: object = {}) => ({
  'com.example.v1.Thing': { type: 'object', properties: { spec: { type: 'object', properties } }, ...more },
});
/** The type of one field of spec. */
const typeOf = (schema: object, others: object = {}) =>
  /^ {4}field\?: ([\s\S]*);\n {2}\};/m.exec(declarations([THING], { ...thing({ field: schema }), ...others }))?.[1];

function compiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'declarations-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const args = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'esnext',
      '--module',
      'preserve',
    ];
    execFileSync(TSC, [...args, ...Object.keys(files)], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the type of a field', () => {
  it.each<[string, object, string]>([
    ['a text', { type: 'string' }, 'string'],
    ['a number', { type: 'integer', format: 'int64' }, 'number'],
    ['a truth value', { type: 'boolean' }, 'boolean'],
    ['a choice', { type: 'string', enum: ['A', "it's", 'b\\"c'] }, `'A' | 'it\\'s' | 'b\\\\"c'`],
    ['a choice among numbers', { type: 'integer', enum: [1, 2] }, '1 | 2'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'string[]'],
    ['a list of choices', { type: 'array', items: { type: 'string', enum: ['A', 'B'] } }, `('A' | 'B')[]`],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, '{ [key: string]: number }'],
    ['a map of anything', { type: 'object', additionalProperties: true }, '{ [key: string]: unknown }'],
    ['an object without fields', { type: 'object' }, '{ [key: string]: unknown }'],
    ['free form', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, '{ [key: string]: unknown }'],
    ['any value', { 'x-kubernetes-preserve-unknown-fields': true }, 'unknown'],
    [
      'a number or text',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      'number | string',
    ],
    ['what may be null', { type: 'string', nullable: true }, 'string | null'],
    ['a time', { type: 'string', format: 'date-time' }, 'string'],
    ['one of several types', { oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    ['conditions without a type', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, 'unknown'],
    ['an unknown reference', ref('nowhere'), 'unknown'],
  ])('%s', (_, schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  it('an object has its required fields, and open ones any others', () => {
    const properties = { a: { type: 'string' }, 'b-c': { type: 'string' } };
    expect(typeOf({ type: 'object', properties, required: ['a'] })).toBe(
      "{\n      a: string;\n      'b-c'?: string;\n    }",
    );
    expect(typeOf({ type: 'object', properties, 'x-kubernetes-preserve-unknown-fields': true })).toContain(
      '[key: string]: unknown;',
    );
  });

  it('an embedded object has apiVersion, kind, and metadata', () => {
    const type = typeOf({ type: 'object', 'x-kubernetes-embedded-resource': true });
    expect(type).toContain('apiVersion: string;\n      kind: string;\n      metadata?: { [key: string]: unknown };');
  });
});

describe('the types of a file', () => {
  it('quantities and times are text on the wire, and a number or text is both', () => {
    const text = declarations([THING], {
      ...thing({
        size: ref('io.k8s.apimachinery.pkg.api.resource.Quantity'),
        port: ref('io.k8s.apimachinery.pkg.util.intstr.IntOrString'),
        at: ref('io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime'),
      }),
      'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
      'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { format: 'int-or-string', oneOf: [] },
      'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'date-time' },
    });
    expect(text.match(/^export type .*$/gm)).toEqual([
      'export type IntOrString = number | string;',
      'export type MicroTime = string;',
      'export type Quantity = string;',
    ]);
  });

  it('a kind has its apiVersion and kind as values, and always metadata', () => {
    const schema = {
      type: 'object',
      properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } },
    };
    expect(declarations([THING], { 'com.example.v1.Thing': schema })).toBe(
      "export interface Thing {\n  apiVersion?: 'example.com/v1';\n  kind?: 'Thing';\n  metadata: { [key: string]: unknown };\n}\n",
    );
  });

  it('what refers to itself is declared once', () => {
    const name = 'io.k8s.JSONSchemaProps';
    const schema = {
      type: 'object',
      properties: { not: ref(name), properties: { type: 'object', additionalProperties: ref(name) } },
    };
    const text = declarations([THING], { ...thing({ schema: ref(name) }), [name]: schema });
    expect(text.match(/interface JSONSchemaProps/g)).toHaveLength(1);
    expect(text).toContain('not?: JSONSchemaProps;\n  properties?: { [key: string]: JSONSchemaProps };');
    expect(compiles({ 'a.ts': text })).toBe('');
  });

  it('names that several schemas have get their group and version, and the kind that was asked for keeps its own', () => {
    const event = { type: 'object', properties: { a: { type: 'string' } } };
    const schemas = {
      'io.k8s.api.core.v1.Event': event,
      'io.k8s.api.events.v1.Event': event,
      'io.k8s.api.core.v1.Thing': event,
      ...thing({
        x: ref('io.k8s.api.core.v1.Event'),
        y: ref('io.k8s.api.events.v1.Event'),
        z: ref('io.k8s.api.core.v1.Thing'),
      }),
    };
    const names = [...declarations([THING], schemas).matchAll(/^export interface (\w+)/gm)].map(([, name]) => name);
    expect(names).toEqual(['Thing', 'CoreV1Event', 'CoreV1Thing', 'EventsV1Event']);
  });

  it('what Go types of Kubernetes write as null when it is empty may be null, though the schema does not say so', () => {
    const strings = { type: 'array', items: { type: 'string' } };
    const core = {
      'io.k8s.api.core.v1.Event': {
        type: 'object',
        properties: { eventTime: ref(MICRO_TIME), firstTimestamp: ref(MICRO_TIME), reason: { type: 'string' } },
      },
      'io.k8s.api.rbac.v1.ClusterRole': { type: 'object', properties: { rules: strings } },
      'io.k8s.api.storage.v1.CSINodeSpec': { type: 'object', properties: { drivers: strings }, required: ['drivers'] },
      'io.k8s.api.core.v1.PodSpec': { type: 'object', properties: { containers: strings }, required: ['containers'] },
      'com.example.v1.Event': { type: 'object', properties: { eventTime: ref(MICRO_TIME) } },
      [MICRO_TIME]: { type: 'string', format: 'date-time' },
    };
    const refs = Object.fromEntries(Object.keys(core).map((name, i) => [`f${i}`, ref(name)]));
    const text = declarations([THING], { ...thing(refs), ...core });
    expect(text).toContain(
      'CoreV1Event {\n  eventTime?: MicroTime | null;\n  firstTimestamp?: MicroTime | null;\n  reason?: string;\n}',
    );
    expect(text).toContain('ClusterRole {\n  rules?: string[] | null;\n}');
    expect(text).toContain('CSINodeSpec {\n  drivers: string[] | null;\n}');
    expect(text).toContain('PodSpec {\n  containers: string[];\n}');
    expect(text).toContain('ExampleV1Event {\n  eventTime?: MicroTime;\n}');
    expect(compiles({ 'a.ts': text })).toBe('');
  });

  it('the same schemas in another order give the same text', () => {
    const schemas = {
      ...thing({ a: ref('b.v1.A'), b: ref('a.v1.B') }),
      'b.v1.A': { type: 'object', properties: { x: { type: 'string' } } },
      'a.v1.B': { type: 'object', properties: { y: { type: 'string' } } },
    };
    const turned = Object.fromEntries(Object.entries(schemas).reverse());
    const other = { schema: 'a.v1.B', apiVersion: 'a/v1', kind: 'B' };
    expect(declarations([other, THING], turned)).toBe(declarations([THING, other], schemas));
  });
});

describe('texts of a hostile cluster', () => {
  const EVIL = [
    '*/ export const evil = 1; /*',
    '**/ export const evil = 1; /**',
    'a\u2028*/ export const evil = 1',
    '*\u200b/ export const evil = 1; //',
    '@ts-ignore',
    '@ts-nocheck',
    "'; export const evil = 1; '",
    '`$\u007bevil}`',
    '\\',
    "\\'; export const evil = 1; //",
    'a\nexport const evil = 1;',
    'a\r*/export const evil = 1;',
    '__proto__',
    'constructor',
    '\u202eeno',
    'class',
    '1a',
    '',
  ];

  it.each(EVIL)('%j stays text, wherever it is', (text) => {
    const schemas = {
      'com.example.v1.Thing': {
        type: 'object',
        description: text,
        properties: Object.fromEntries([
          [text, { description: text, type: 'string', enum: [text] }],
          ['more', ref(`com.example.v1.${text}`)],
          ['last', { type: 'integer', description: text }],
        ]),
        required: [text],
      },
      ...Object.fromEntries([
        [`com.example.v1.${text}`, { type: 'object', properties: { x: { type: 'string', description: text } } }],
      ]),
    };
    const source = declarations([{ schema: 'com.example.v1.Thing', apiVersion: text, kind: 'Thing' }], schemas);
    const use = "import type { Thing } from './a.ts';\nexport const bad: Thing['last'] = 'no number';\n";
    const strict = compiles({ 'a.ts': source, 'use.ts': `// uses\n${use}` });
    expect(strict.split('\n').filter((line) => line.includes('error TS'))).toEqual([
      expect.stringContaining("use.ts(3,14): error TS2322: Type 'string' is not assignable to type 'number'"),
    ]);
    expect(source).not.toMatch(/^\s*(export const|import|const|let)\b/m);
    expect(source).not.toMatch(/\u202e|\u200b|\u2028/);
  });
});
