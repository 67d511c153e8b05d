import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, type Import, importsOf, ringsOf, specifiersOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');

/** Left never imports right; rooms on one level never import each other. The order is drawn and explained in docs/ARCHITECTURE.md. */
const LEVELS: readonly (readonly string[])[] = [
  ['kit'],
  ['model'],
  ['expr', 'workqueue', 'client', 'sandbox'],
  ['informer'],
  ['stream', 'query', 'controller'],
  ['output', 'serve', 'ops', 'testing'],
  ['cli'],
  ['commands'],
];

/** Files at the top of src are entries: they gather what rooms export, and no room imports them. */
const ENTRIES: Readonly<Record<string, { notFrom: readonly string[] }>> = {
  'index.ts': { notFrom: ['sandbox', 'testing', 'output', 'serve', 'ops', 'cli', 'commands'] },
  'cache.ts': { notFrom: ['sandbox', 'client', 'testing', 'stream', 'query', 'controller', 'output', 'serve', 'ops', 'cli', 'commands'] },
  'main.ts': { notFrom: ['sandbox', 'testing', 'commands', 'informer', 'client'] },
  'program.ts': { notFrom: ['sandbox', 'testing'] },
  'package.ts': { notFrom: LEVELS.flat().filter((room) => room !== 'kit') },
};

/** The sandbox is a product and a fake: nothing of the machinery may lean on it. */
const MAY_IMPORT_SANDBOX = (file: string) => file.startsWith('testing/') || file.startsWith('commands/') || file === 'cli/session.ts';

const imports = importsOf(SRC);

describe('the house', () => {
  it('has rooms only where a level names them', () => {
    const rooms = new Set(
      filesOf(SRC)
        .filter((f) => f.includes('/'))
        .map(roomOf),
    );
    expect([...rooms].filter((room) => levelOf(room) === -1)).toEqual([]);
    expect(filesOf(SRC).filter((f) => !f.includes('/') && !(f in ENTRIES))).toEqual([]);
  });

  it('has no import that goes right or sideways', () => {
    expect(wrongOf(imports)).toEqual([]);
  });

  it('has no ring among its files', () => {
    expect(ringsOf(imports)).toEqual([]);
  });

  it('reads time and sets timers only through the Clock, but for cli/', () => {
    const raw = /\b(Date\.now|performance\.now|setTimeout|setInterval|new Date\(\))/;
    const allowed = (file: string) => file === 'kit/clock.ts' || file.startsWith('cli/') || file.startsWith('commands/');
    const found = filesOf(SRC).filter((file) => !allowed(file) && raw.test(codeOf(file)));
    expect(found).toEqual([]);
  });

  it('writes to the terminal through one door, beside the texts that the build set and a library without a logger; exits only in cli/', () => {
    const filesWith = (raw: RegExp) => filesOf(SRC).filter((file) => raw.test(codeOf(file)));
    expect(filesWith(/\bprocess\.(stdout|stderr)\b|\bconsole\.|\bwriteSync\(1|\/dev\/(tty|stdout|stderr)/)).toEqual([
      'cli/io.ts',
      'cli/quick-answer.ts',
      'kit/logger.ts',
    ]);
    expect(filesWith(/\bprocess\.exit\b/).filter((file) => !file.startsWith('cli/'))).toEqual([]);
    expect(filesWith(/\.stdout\.draw\(|\bstderr\.draw\(/)).toEqual(['cli/live-view.ts', 'cli/status-line.ts']);
  });
});

describe('the check itself', () => {
  it('finds an import that was turned around, type-only and dynamic ones too', () => {
    expect(wrongOf([{ from: 'informer/reflector.ts', to: 'client/transport.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'informer/reflector.ts', to: 'model/key.ts' }])).toEqual([]);
    expect(wrongOf([{ from: 'model/key.ts', to: 'informer/indexer.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'client/transport.ts', to: 'sandbox/index.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'stream/envelope.ts', to: 'query/plan.ts' }])).toHaveLength(1);
    const text = `import type { A } from './a.ts';\nexport * from "./b.ts";\nconst c = await import('./c.ts');\nimport './d.ts';\nexport type { E } from './e.ts';`;
    expect(specifiersOf(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });

  it('finds a ring', () => {
    const ring: Import[] = [
      { from: 'kit/a.ts', to: 'kit/b.ts' },
      { from: 'kit/b.ts', to: 'kit/c.ts' },
      { from: 'kit/c.ts', to: 'kit/a.ts' },
    ];
    expect(ringsOf(ring)).toHaveLength(1);
    expect(ringsOf(ring.slice(0, 2))).toEqual([]);
  });
});

function wrongOf(all: readonly Import[]): string[] {
  return all.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);
}

function isWrong({ from, to }: Import): boolean {
  if (!from.includes('/')) return (ENTRIES[from]?.notFrom ?? []).includes(roomOf(to));
  if (!to.includes('/')) return to !== 'package.ts' || levelOf(roomOf(from)) < levelOf('cli');
  if (roomOf(from) === roomOf(to)) return false;
  if (roomOf(to) === 'sandbox') return !MAY_IMPORT_SANDBOX(from);
  if (roomOf(from) === 'informer' && ['client', 'workqueue', 'expr'].includes(roomOf(to))) return true;
  return levelOf(roomOf(to)) >= levelOf(roomOf(from));
}

const roomOf = (file: string) => file.slice(0, file.indexOf('/'));
const levelOf = (room: string) => LEVELS.findIndex((level) => level.includes(room));

function codeOf(file: string): string {
  return readFileSync(path.join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '');
}
