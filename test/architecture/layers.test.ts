import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, type Import, importsOf, ringsOf, specifiersOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');

/**
 * Left never imports right; rooms on one level never import each other. The order is drawn and explained in
 * docs/ARCHITECTURE.md.
 */
const LEVELS: readonly (readonly string[])[] = [
  ['kit'],
  ['model'],
  ['expr'],
  ['workqueue', 'client', 'sandbox'],
  ['informer'],
  ['stream', 'controller'],
  ['query', 'hooks', 'webhooks', 'crds', 'record'],
  ['timeline'],
  ['output', 'serve', 'ops', 'testing'],
  ['story'],
  ['cli'],
  ['doctor', 'manifest', 'shell-operator', 'agents'],
  ['commands'],
];

/**
 * The order inside each room that has folders: left never imports right, and places on one level never import each
 * other. `*` is the room's own files that have no place of their own. A room without folders has no order but that of
 * its files, which form no ring.
 */
const INSIDE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  cli: [
    ['args'],
    ['terminal'],
    ['base-command.ts'],
    ['session'],
    ['hints'],
    ['outage', 'record'],
    ['passing', 'story'],
    ['watch', 'query', 'reconcile', 'running', 'completion'],
    ['serve', 'tour'],
    ['*'],
  ],
  client: [['config'], ['http'], ['auth', 'decode'], ['discovery'], ['*']],
  controller: [
    ['resource-event.ts', 'writes', 'election', 'events', 'consistency'],
    ['history'],
    ['sources'],
    ['sharding', 'manager'],
    ['*'],
    ['builder'],
  ],
  hooks: [
    ['hook.ts', 'reply.ts'],
    ['manifest.ts', 'actions', 'access', 'fixtures'],
    ['triggers', 'journal'],
    ['action-runner.ts'],
    ['guarded-client.ts'],
    ['run'],
    ['*'],
  ],
  expr: [['go-text.ts'], ['cel', 'jsonpath'], ['*']],
  informer: [['metrics.ts', 'verifier.ts', 'deep-freeze.ts', 'compact'], ['watch'], ['handlers'], ['store'], ['*']],
  query: [['index'], ['answer'], ['live']],
  output: [
    ['escape.ts', 'cell-states.ts', 'printer.ts'],
    ['value-text.ts', 'painter.ts', 'timestamps.ts', 'csv.ts', 'wrapped.ts'],
    ['event-lines.ts', 'marker-line.ts'],
    ['tables', 'objects', 'typescript', 'jq'],
    ['changes'],
    ['live', 'timeline'],
    ['*'],
  ],
  sandbox: [
    ['status', 'store', 'feature-gates.ts'],
    ['types'],
    ['cluster.ts', 'webhook-call.ts'],
    ['api'],
    ['apply', 'table'],
    ['read'],
    ['write'],
    ['versions'],
    ['admission', 'auth'],
    ['discovery', 'controllers', 'faults', 'scenarios'],
    ['server', 'seed'],
    ['*'],
  ],
  stream: [
    ['redact.ts', 'changes'],
    ['shown-object.ts', 'redacted-lister.ts'],
    ['envelope.ts'],
    ['conditions'],
    ['until'],
    ['filter-gate.ts'],
    ['overflow', 'notices'],
    ['*'],
  ],
  serve: [
    ['protocol.ts', 'about.ts'],
    ['find.ts'],
    ['client', 'persist'],
    ['watch-cache', 'hold'],
    ['api'],
    ['*'],
    ['ui'],
  ],
  'serve/ui': [['*'], ['page']],
  'sandbox/scenarios': [['world.ts'], ['scenario.ts'], ['workloads'], ['*']],
  'sandbox/types': [['api-type.ts', 'data'], ['fields'], ['*'], ['custom']],
};

/** Files at the top of src are entries: they gather what rooms export, and no room imports them. */
const ENTRIES: Readonly<Record<string, { notFrom: readonly string[] }>> = {
  'index.ts': { notFrom: ['sandbox', 'testing', 'record', 'timeline', 'output', 'serve', 'story', 'cli', 'commands'] },
  'cache.ts': {
    notFrom: [
      'sandbox',
      'client',
      'testing',
      'stream',
      'query',
      'controller',
      'hooks',
      'webhooks',
      'crds',
      'record',
      'output',
      'serve',
      'ops',
      'cli',
      'commands',
    ],
  },
  'hooks.ts': { notFrom: LEVELS.flat().filter((room) => room !== 'hooks') },
  'webhooks.ts': { notFrom: LEVELS.flat().filter((room) => room !== 'webhooks') },
  'crds.ts': { notFrom: LEVELS.flat().filter((room) => room !== 'crds') },
  'main.ts': { notFrom: ['sandbox', 'testing', 'commands', 'informer', 'client'] },
  'complete.ts': { notFrom: ['sandbox', 'testing', 'informer', 'client'] },
  'program.ts': { notFrom: ['sandbox', 'testing'] },
  'package.ts': { notFrom: LEVELS.flat().filter((room) => room !== 'kit') },
};

/** The sandbox is a product and a fake: nothing of the machinery may lean on it. */
const MAY_IMPORT_SANDBOX = (file: string) =>
  file.startsWith('testing/') || file.startsWith('commands/') || file === 'cli/session/session.ts';

const imports = importsOf(SRC);

/** The program of a process of its own. */
const GUARD = 'hooks/run/guard-program.ts';

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

  it('has no import that goes right or sideways inside a room, at any depth', () => {
    expect(wrongInside(imports)).toEqual([]);
  });

  it('has an order for every room with folders, and names in it only what is there', () => {
    // data files are imported too
    const folders = new Set([...filesOf(SRC), ...imports.map(({ to }) => to)].flatMap(foldersAbove));
    const rooms = [...folders].filter((room) => [...folders].some((folder) => path.dirname(folder) === room)).sort();
    expect(Object.keys(INSIDE).sort()).toEqual(rooms);
    const places = new Set([...folders, ...filesOf(SRC)]);
    const named = Object.entries(INSIDE).flatMap(([room, order]) => order.flat().map((place) => `${room}/${place}`));
    expect(named.filter((place) => !place.endsWith('/*') && !places.has(place))).toEqual([]);
    expect([...folders].filter((folder) => folder.includes('/') && !named.includes(folder))).toEqual([]);
  });

  it('has no ring among its files, nor among the places of any folder', () => {
    expect(ringsOf(imports)).toEqual([]);
    const folders = new Set(['', ...filesOf(SRC).flatMap(foldersAbove)]);
    expect([...folders].flatMap((folder) => ringsOf(insideOf(folder, imports)))).toEqual([]);
  });

  it('has no ring among the files of the bench and of the tests either', () => {
    for (const folder of ['bench', 'test']) expect(ringsOf(importsOf(path.resolve(SRC, '..', folder)))).toEqual([]);
  });

  it('lets the sandbox import only kit and model, and its admission CEL', () => {
    const rooms = imports
      .filter(({ from, to }) => roomOf(from) === 'sandbox' && roomOf(to) !== 'sandbox')
      .map(({ from, to }) => (roomOf(to) === 'expr' ? `${from} → ${to}` : roomOf(to)));
    const cel = 'sandbox/admission/expressions.ts → expr/cel/load-cel.ts';
    expect([...new Set(rooms)].sort()).toEqual(['kit', 'model', cel]);
  });

  it('reads time and sets timers only through the Clock, but for cli/, and the page and the guard, which run elsewhere', () => {
    const raw = /\b(Date\.now|performance\.now|setTimeout|setInterval|setImmediate|process\.nextTick|new Date\(\))/;
    const allowed = (file: string) =>
      ['kit/clock.ts', GUARD].includes(file) ||
      ['cli/', 'commands/', 'serve/ui/page/'].some((place) => file.startsWith(place));
    const found = filesOf(SRC).filter((file) => !allowed(file) && raw.test(codeOf(file)));
    expect(found).toEqual([]);
  });

  it('writes to the terminal through one door, beside the texts that the build set and a library without a logger; exits only in cli/ and in the guard', () => {
    const filesWith = (raw: RegExp) => filesOf(SRC).filter((file) => raw.test(codeOf(file)));
    expect(filesWith(/\bprocess\.(stdout|stderr)\b|\bconsole\.|\bwriteSync\(1|\/dev\/(tty|stdout|stderr)/)).toEqual([
      'cli/args/prebuilt-help.ts',
      'cli/terminal/io.ts',
      'kit/logger.ts',
    ]);
    expect(filesWith(/\bprocess\.exit\b/).filter((file) => !file.startsWith('cli/'))).toEqual([GUARD]);
    expect(filesWith(/\.stdout\.draw\(|\bstderr\.draw\(/)).toEqual([
      'cli/terminal/status-line.ts',
      'cli/tour/tour.ts',
      'cli/watch/live-view.ts',
    ]);
  });
});

describe('the check itself', () => {
  it('finds an import that was turned around, type-only and dynamic ones too', () => {
    expect(wrongOf([{ from: 'informer/watch/reflector.ts', to: 'client/http/transport.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'informer/watch/reflector.ts', to: 'model/key.ts' }])).toEqual([]);
    expect(wrongOf([{ from: 'model/key.ts', to: 'informer/store/indexer.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'client/http/transport.ts', to: 'sandbox/index.ts' }])).toHaveLength(1);
    expect(wrongOf([{ from: 'stream/envelope.ts', to: 'query/index/lookup-plan.ts' }])).toHaveLength(1);
    const text = `import type { A } from './a.ts';\nexport * from "./b.ts";\nconst c = await import('./c.ts');\nimport './d.ts';\nexport type { E } from './e.ts';`;
    expect(specifiersOf(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });

  it('finds an import that was turned around inside a room', () => {
    expect(wrongInside([{ from: 'sandbox/store/collection.ts', to: 'sandbox/write/writer.ts' }])).toHaveLength(1);
    expect(wrongInside([{ from: 'sandbox/write/writer.ts', to: 'sandbox/store/collection.ts' }])).toEqual([]);
    expect(wrongInside([{ from: 'sandbox/apply/fields.ts', to: 'sandbox/table/table.ts' }])).toHaveLength(1);
    expect(
      wrongInside([{ from: 'sandbox/types/fields/field-table.ts', to: 'sandbox/types/custom/validation-rules.ts' }]),
    ).toHaveLength(1);
  });

  it('finds a ring of folders whose files form none', () => {
    const arrows: Import[] = [
      { from: 'sandbox/a/one.ts', to: 'sandbox/b/two.ts' },
      { from: 'sandbox/b/three.ts', to: 'sandbox/a/four.ts' },
    ];
    expect(ringsOf(arrows)).toEqual([]);
    expect(ringsOf(insideOf('sandbox', arrows))).toHaveLength(1);
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

function wrongInside(all: readonly Import[]): string[] {
  return Object.entries(INSIDE).flatMap(([room, order]) => {
    const levelOfPlace = (place: string) => order.findIndex((level) => level.includes(place.slice(room.length + 1)));
    const place = (file: string) => {
      const own = levelOfPlace(placeIn(room, file));
      return own === -1 ? order.findIndex((level) => level.includes('*')) : own;
    };
    return all
      .filter(({ from, to }) => isUnder(room, from) && isUnder(room, to) && placeIn(room, from) !== placeIn(room, to))
      .filter(
        ({ from, to }) => place(to) > place(from) || (place(to) === place(from) && !order[place(to)]?.includes('*')),
      )
      .map(({ from, to }) => `${from} imports ${to}`);
  });
}

/** The imports between places of a folder: its own files, and its folders as wholes. */
function insideOf(folder: string, all: readonly Import[]): Import[] {
  return all
    .filter(({ from, to }) => isUnder(folder, from) && isUnder(folder, to))
    .map(({ from, to }) => ({ from: placeIn(folder, from), to: placeIn(folder, to) }))
    .filter(({ from, to }) => from !== to);
}

const isUnder = (folder: string, file: string) => folder === '' || file.startsWith(`${folder}/`);

/** The file or folder directly in `folder` that has the file in it. */
function placeIn(folder: string, file: string): string {
  const start = folder === '' ? 0 : folder.length + 1;
  const end = file.indexOf('/', start);
  return end === -1 ? file : file.slice(0, end);
}

function foldersAbove(file: string): string[] {
  const words = file.split('/').slice(0, -1);
  return words.map((_, i) => words.slice(0, i + 1).join('/'));
}

const roomOf = (file: string) => file.slice(0, file.indexOf('/'));
const levelOf = (room: string) => LEVELS.findIndex((level) => level.includes(room));

function codeOf(file: string): string {
  return readFileSync(path.join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '');
}
