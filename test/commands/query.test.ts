import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import QueryCommand from '../../src/commands/query.ts';
import { IndexCatalog } from '../../src/query/index/index-catalog.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/query.md'), 'utf8');

it.each(new IndexCatalog().names())('the help of query and its page name the built-in index %s', (name) => {
  expect(QueryCommand.description).toMatch(new RegExp(`[ ,]${name}[ ,.]`));
  expect(PAGE).toContain(`\`${name}\``);
});
