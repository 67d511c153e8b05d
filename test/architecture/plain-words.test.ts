import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { unplainInCode, unplainInMarkdown } from './plain-words.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** This list of words, and its test. */
const EXEMPT = ['test/architecture/plain-words.ts', 'test/architecture/plain-words.test.ts'];

const files = execFileSync('git', ['ls-files', 'src', 'test', 'docs', 'bench', 'tools', 'examples', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|mts|mjs|md)$/.test(file) && !EXEMPT.some((each) => file.startsWith(each)));

describe('what people read', () => {
  it('has no word that readers whose first language is another one may not know', () => {
    const found = [...new Set(files)].flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      const unplain = file.endsWith('.md') ? unplainInMarkdown(text) : unplainInCode(text);
      return unplain.map(({ line, word, instead }) => `${file}:${line}: "${word}": write ${instead}`);
    });
    expect(found).toEqual([]);
  });

  it('has no doc comment of the sources that begins with "What" in place of a subject', () => {
    const found = [...new Set(files)]
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) =>
        readFileSync(path.join(ROOT, file), 'utf8')
          .split('\n')
          .flatMap((text, i, lines) =>
            /^ *(?:\/\*\* [Ww]hat|\* What)\b/.test(text) || (lines[i - 1]?.endsWith('/**') && /^ *\* what\b/.test(text))
              ? [`${file}:${i + 1}`]
              : [],
          ),
      );
    expect(found).toEqual([]);
  });
});

describe('the check itself', () => {
  it('reads comments, texts with a blank, and test titles of code, at their lines', () => {
    const code = [
      '// nobody knows',
      "const told = 'told';",
      "it('tells what happened', () => {});",
      '/** `tell` is a name. */',
      'const b = `$'.concat('{told} is held`;'),
    ];
    expect(unplainInCode(code.join('\n')).map(({ line, word }) => `${line} ${word}`)).toEqual([
      '1 nobody',
      '3 tells',
      '5 held',
    ]);
  });

  it('reads the prose of Markdown and leaves code out', () => {
    const page = ['# Anew', '```', 'kubectl tell', '```', 'Call `tell()` again.', 'It is mended.'];
    expect(unplainInMarkdown(page.join('\n')).map(({ line, word }) => `${line} ${word}`)).toEqual([
      '1 Anew',
      '6 mended',
    ]);
  });
});
