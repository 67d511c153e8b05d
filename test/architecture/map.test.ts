import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

it('every source file that a document names exists', () => {
  const documents = [
    'README.md',
    ...readdirSync(path.join(ROOT, 'docs'))
      .filter((f) => f.endsWith('.md'))
      .map((f) => `docs/${f}`),
  ];
  const missing = documents.flatMap((document) => {
    const text = readFileSync(path.join(ROOT, document), 'utf8');
    const named = [...text.matchAll(/`((?:src\/)?[a-z-]+(?:\/[a-z-]+)+\.ts)`/g)].map((match) => match[1] as string);
    const lies = (file: string) => [file, `src/${file}`].some((place) => existsSync(path.join(ROOT, place)));
    return named.filter((file) => !lies(file)).map((file) => `${document}: ${file}`);
  });
  expect(missing).toEqual([]);
});
