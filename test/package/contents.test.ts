import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Packed, packed, ROOT } from './packed.ts';

const KIB = 1024;

/** The most that a download, and an installed package, may take. */
const LARGEST = { packed: 2048 * KIB, unpacked: 8192 * KIB };

let pack: Packed;
let files: string[];
beforeAll(() => {
  pack = packed();
  files = readdirSync(pack.folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(pack.folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
});
afterAll(() => pack[Symbol.dispose]());

const textOf = (file: string) => readFileSync(path.join(pack.folder, file), 'utf8');
const below = (folder: string) => files.filter((file) => file.startsWith(`${folder}/`));

describe('the packed package', () => {
  it('has these files and folders at the top, and no others', () => {
    expect([...new Set(files.map((file) => file.split('/')[0]))]).toEqual([
      'CHANGELOG.md',
      'CODE_OF_CONDUCT.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'dist',
      'docs',
      'examples',
      'package.json',
    ]);
  });

  it('has every page, picture and example that is in git, and of what is built only the pages of the library', () => {
    const inGit = execFileSync('git', ['ls-files', 'docs', 'examples'], { cwd: ROOT, encoding: 'utf8' });
    const built = ['cache', 'crds', 'hooks', 'index', 'sandbox', 'testing', 'types', 'webhooks'].map(
      (page) => `docs/reference/library/${page}.md`,
    );
    expect([...below('docs'), ...below('examples')].sort()).toEqual([...inGit.trim().split('\n'), ...built].sort());
  });

  it('has built files only in dist: no source, no test, no source map of any package', () => {
    expect(below('dist').filter((file) => !/\.(js|d\.ts|txt|json|html|bash|zsh|fish)$/.test(file))).toEqual([]);
    expect(files.filter((file) => /\.map$|\.test\.|(^|\/)(src|test|tools|node_modules)\//.test(file))).toEqual([]);
    expect(below('dist').filter((file) => /^\/\/# sourceMappingURL=/m.test(textOf(file)))).toEqual([]);
  });

  it('has no secret, and no path of the machine that built it', () => {
    const secret =
      /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[\w+/=]{40}|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.|\bnpm_\w{36}\b|\bgh[pousr]_\w{36}\b|\bAKIA[A-Z0-9]{16}\b/;
    expect(files.filter((file) => secret.test(textOf(file)))).toEqual([]);
    expect(files.filter((file) => textOf(file).includes(`${ROOT}${path.sep}`))).toEqual([]);
    expect(files.filter((file) => /(^|\/)(\.env|\.npmrc|.*\.(pem|key|kubeconfig))$/.test(file))).toEqual([]);
  });

  it('is small', () => {
    const [{ size, unpackedSize }] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    expect(size).toBeLessThan(LARGEST.packed);
    expect(unpackedSize).toBeLessThan(LARGEST.unpacked);
  });

  it('brings no other package unasked', () => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      textOf('package.json'),
    );
    expect({ dependencies, optionalDependencies }).toEqual({});
    const optional = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional === true);
    expect(optional).toEqual(Object.keys(peerDependencies));
  });

  it('says where it comes from, and where to report a fault', () => {
    const { homepage, bugs, repository } = JSON.parse(textOf('package.json'));
    const home = /^git\+(https:\/\/.+)\.git$/.exec(repository.url)?.[1];
    expect({ homepage, bugs, repository }).toEqual({
      homepage: `${home}#readme`,
      bugs: { url: `${home}/issues` },
      repository: { type: 'git', url: `git+${home}.git` },
    });
  });

  it('has everything that its pages link to, show as a picture, or name as a heading', () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ page }) => page === 'README.md').length).toBeGreaterThan(15);
    expect(links.filter(({ page, link }) => !resolves(page, link))).toEqual([]);
  });
});

/** The links and pictures of a page that do not begin with a scheme, outside its code. */
function linksOf(page: string): string[] {
  const prose = textOf(page)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const found = prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...found].map((match) => (match[1] ?? match[2]) as string).filter((link) => !/^[a-z]+:/.test(link));
}

function resolves(page: string, link: string): boolean {
  const [file = '', heading] = link.split('#');
  const target = path.posix.normalize(file === '' ? page : path.posix.join(path.posix.dirname(page), file));
  if (target.startsWith('..') || !existsSync(path.join(pack.folder, target))) return false;
  return heading === undefined || headingsOf(textOf(target)).has(heading);
}

/** Source: the rule by which the usual viewers of Markdown name headings. A name that is taken gets a number. */
function headingsOf(text: string): Set<string> {
  const titles = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  const taken = new Map<string, number>();
  return new Set(
    titles.map((title) => {
      const name = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const before = taken.get(name) ?? 0;
      taken.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
}
