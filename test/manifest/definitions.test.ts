import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineResource } from '../../src/crds.ts';
import { comparedDefinitions, comparisonText, definitionsIn } from '../../src/manifest/definitions.ts';
import { parseManifests } from '../../src/sandbox/index.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'definitions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const shop = (spec: z.ZodType, kind = 'Shop') =>
  defineResource({ group: 'example.com', kind, versions: { v1: { schema: z.object({ spec }) } } }).definition;
const written = (name: string, text: string) => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};

it('are those of a manifest, among other objects', async () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const file = written('all.yaml', [other, shop(z.object({}))].map((each) => JSON.stringify(each)).join('\n---\n'));
  expect((await definitionsIn(file, parseManifests)).map(({ metadata }) => metadata.name)).toEqual([
    'shops.example.com',
  ]);
});

it('are those that a module exports, each once: defined resources, definitions, lists of both', async () => {
  const [a, b, c] = ['A', 'B', 'C'].map((kind) => JSON.stringify(shop(z.object({}), kind)));
  const file = written(
    'operator.ts',
    `export const A: object = { definition: ${a} };\nexport const INSTALLED = [A, ${b}, A.definition];\nexport const C = ${c};
     export const nothing = undefined;\nexport default function run() {}`.replace('A.definition', a ?? ''),
  );
  const names = (await definitionsIn(file, parseManifests)).map(({ metadata }) => metadata.name).sort();
  expect(names).toEqual(['as.example.com', 'bs.example.com', 'cs.example.com']);
});

it('are an error with the file, where there is none', async () => {
  const empty = written('empty.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}');
  await expect(definitionsIn(empty, parseManifests)).rejects.toThrow(`${empty} has no CustomResourceDefinition`);
  await expect(definitionsIn('/nosuchfile.yaml', parseManifests)).rejects.toThrow('cannot read /nosuchfile.yaml');
  const broken = written('broken.mjs', 'import "./nosuchmodule.mjs"');
  await expect(definitionsIn(broken, parseManifests)).rejects.toThrow(`cannot load ${broken}`);
});

it('are compared by their names, and the changes are listed below each name', () => {
  const before = [shop(z.object({ size: z.int32() })), shop(z.object({}), 'Old')];
  const after = [shop(z.object({ size: z.int32().max(9), colour: z.string().optional() })), shop(z.object({}), 'New')];
  expect(comparisonText(comparedDefinitions(before, after))).toBe(`shops.example.com
  stored   v1 .spec.size    maximum 9
  -        v1 .spec.colour  a new field
news.example.com
  -                         a new definition
olds.example.com
  stored                    it is removed, and all its objects with it
`);
  expect(comparisonText(comparedDefinitions(after, after))).toContain('shops.example.com\n  no change\n');
});
