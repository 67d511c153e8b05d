import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const DOCS = path.resolve(import.meta.dirname, '../../docs');
/** A decision has a form of its own: a question, the choice, and its price. */
const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.md') && (!file.startsWith('decisions/') || file === 'decisions/README.md'))
  .sort();

const OPENING = /^# .+\n\nAfter (reading )?this page you (can|know) .{20}/;

it('there are pages', () => {
  expect(pages).toContain('watch.md');
  expect(pages).toContain('reference/watch.md');
});

it.each(pages)('docs/%s begins with what a reader can do after reading it', (page) => {
  expect(readFileSync(path.join(DOCS, page), 'utf8').slice(0, 400)).toMatch(OPENING);
});
