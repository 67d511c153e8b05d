import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Every document a person may read, relative to the checkout. */
const documents = [
  ...pagesIn('.', false),
  ...['docs', 'src', 'bench', 'examples'].flatMap((folder) => pagesIn(folder, true)),
  '.github/pull_request_template.md',
];

const textOf = (document: string) => readFileSync(path.join(ROOT, document), 'utf8');

describe('every room', () => {
  it('has a README that says in at most 20 lines what it promises and what it must not do, before its rules and its table', () => {
    const rooms = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const lacking = rooms.filter(({ name }) => {
      const page = path.join(ROOT, 'src', name, 'README.md');
      if (!existsSync(page)) return true;
      const text = readFileSync(page, 'utf8');
      return (
        (text.split(/^## /m)[0] ?? '').trimEnd().split('\n').length > 20 ||
        !text.includes('**Promises.**') ||
        !text.includes('**Must not**')
      );
    });
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });
});

it('the page about the structure is two pages long', () => {
  expect(textOf('docs/ARCHITECTURE.md').split(/\s+/).length).toBeLessThanOrEqual(2_000);
});

describe('the documents', () => {
  it('name only source files that exist', () => {
    const missing = documents.flatMap((document) => {
      const named = [...textOf(document).matchAll(/`((?:src\/)?[a-z-]+(?:\/[a-z-]+)+\.ts)`/g)].map(
        (match) => match[1] as string,
      );
      const lies = (file: string) => [file, `src/${file}`].some((place) => existsSync(path.join(ROOT, place)));
      return named.filter((file) => !lies(file)).map((file) => `${document}: ${file}`);
    });
    expect(missing).toEqual([]);
  });

  it('name only folders and files of tests, tools and documents that exist', () => {
    const missing = documents.flatMap((document) => {
      const named = [...textOf(document).matchAll(/`((?:src|test|tools|docs|bench|examples)\/[\w./-]+)`/g)].map(
        (match) => match[1] as string,
      );
      return named.filter((file) => !existsSync(path.join(ROOT, file))).map((file) => `${document}: ${file}`);
    });
    expect(missing).toEqual([]);
  });

  it('about the code name only types, functions and fields that it has', () => {
    const words = new Set(
      ['src', 'test', 'tools'].flatMap((folder) =>
        readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(ts|mjs|json)$/.test(file) && !file.includes('node_modules'))
          .filter((file) => path.join(folder, file) !== 'test/architecture/map.test.ts')
          .flatMap((file) => textOf(path.join(folder, file)).match(/[A-Za-z_$][\w$]*/g) ?? []),
      ),
    );
    const rooms = documents.filter((document) => /^src\/.*README\.md$/.test(document));
    const missing = ['docs/ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions/ledger.md', ...rooms].flatMap(
      (document) => {
        const named = [...textOf(document).matchAll(/`#?([A-Za-z_$][\w$.#]*)(?:\([^`]*\))?`/g)];
        const parts = named
          .flatMap(([, name = '']) => name.split(/[.#]+/))
          .filter((part) => /[A-Z]/.test(part) && /[a-z]/.test(part));
        return parts.filter((part) => !words.has(part)).map((part) => `${document}: ${part}`);
      },
    );
    expect(missing).toEqual([]);
  });

  it('draw the path of one event through files that exist', () => {
    const [, picture = ''] =
      /## The path of one event\n\n```\n([\s\S]*?)```/.exec(textOf('docs/ARCHITECTURE.md')) ?? [];
    const named = [
      ...picture.matchAll(/(?<![\w/])((?:client|informer|stream|query|controller|workqueue)(?:\/[a-z-]+)+)/g),
    ];
    const places = named.map((match) => match[1] as string);
    expect(places.length).toBeGreaterThan(8);
    expect(
      places.filter((place) => ![place, `${place}.ts`].some((file) => existsSync(path.join(ROOT, 'src', file)))),
    ).toEqual([]);
  });

  it('link only to pages that exist', () => {
    const broken = documents.flatMap((document) => {
      const links = [...textOf(document).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] as string);
      const target = (link: string) => path.join(ROOT, path.dirname(document), link);
      return links.filter((link) => !existsSync(target(link))).map((link) => `${document}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it('are linked from the index of their folder, as far as they record decisions', () => {
    const index = textOf('docs/decisions/README.md');
    const unlisted = pagesIn('docs/decisions', false).filter((page) => !index.includes(`](${path.basename(page)})`));
    expect(unlisted).toEqual(['docs/decisions/README.md']);
  });
});

function pagesIn(folder: string, below: boolean): string[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: below, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')))
    .filter((file) => !file.startsWith('docs/reference/library/')); // written by the build, tested with the package
}
