// Which edits a random run makes, which of them are explained, and which test files may notice them.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { edited } from './edit.mjs';
import { importsOf, remember } from './imports.mjs';
import { mutantsOf } from './operators.mjs';
import { root } from './test-runner.mjs';

/** The rooms in which few edits may go unnoticed. */
export const ROOMS = ['informer', 'workqueue', 'client/decode', 'stream', 'controller', 'hooks', 'serve'];
/** Test folders that run the built program, or read the sources as text. */
const LEFT_OUT = [
  'e2e',
  'package',
  'architecture',
  'contract',
  'bench',
  'mutants',
  'types',
  'tools',
  'peers',
  'ops',
  'serve/ui/page.test.ts',
];
/** Tests of the whole core: asked last, because they take long. */
const LAST_RESORT = ['test/simulation/', 'test/conformance/'];
/** A test file outside the room is near if it imports the edited file directly, or through one other file. */
const NEAR = 2;
/** A program, a thread or a browser of its own loads it from the disk, where no edit is made. */
const LOADED_FROM_DISK = [
  'src/hooks/run/guard-program.ts',
  'src/hooks/run/module-loader.ts',
  'src/serve/persist/state-thread.ts',
  'src/serve/ui/page/',
];
/** From the mirrored test outwards: each stage is asked only about what no earlier one noticed. */
export const STAGES = ['mirrored', 'direct', 'near', 'far', 'last'];

/** The source files of the rooms, sorted. */
export function roomFiles() {
  const files = ROOMS.flatMap((room) => filesBelow(`src/${room}`));
  return files.filter((file) => file.endsWith('.ts') && !isBelow(LOADED_FROM_DISK, file)).sort();
}

function isBelow(paths, file) {
  return paths.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)));
}

/** The room of a source file. */
export function roomOf(file) {
  return ROOMS.find((room) => file.startsWith(`src/${room}/`));
}

/**
 * `count` edits in files whose path holds `only`; the same for the same seed. Each edit is drawn by a digest of its own
 * line, so a change of the sources elsewhere does not draw others.
 */
export function choose({ count, seed, only = '' }) {
  const files = roomFiles().filter((file) => file.includes(only));
  const drawn = files.flatMap((file) => drawnFrom(file, seed)).sort((a, b) => compare(a.lot, b.lot));
  const chosen = drawn.slice(0, count).map(({ mutant }) => mutant);
  return chosen.sort((a, b) => compare(a.file, b.file) || a.at - b.at);
}

function drawnFrom(file, seed) {
  const source = sourceOf(file);
  const lines = source.split('\n');
  const times = new Map();
  return mutantsOf(file, source).map((mutant) => {
    const edit = [seed, file, lines[mutant.line - 1].trim(), mutant.find, mutant.replace].join('\n');
    times.set(edit, (times.get(edit) ?? 0) + 1);
    return {
      mutant,
      lot: createHash('sha256')
        .update(`${edit}\n${times.get(edit)}`)
        .digest('hex'),
    };
  });
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The edits that break no rule, each with the reason: `{ file, find, replace, why }`; or `{ file, within, why }`, every
 * edit inside of a text, such as a limit of memory.
 */
export function explanations() {
  return JSON.parse(readFileSync(path.join(root, 'test/mutants/equivalent.json'), 'utf8'));
}

/** Why an edit breaks no rule; undefined when nothing explains it. */
export function explanationOf(mutant, entries) {
  const source = sourceOf(mutant.file);
  const broken = edited(source, mutant);
  const explains = ({ within, find, replace, at }) => {
    if (within === undefined) return edited(source, { find, replace, at }) === broken;
    const from = source.split(within).length === 2 ? source.indexOf(within) : Number.POSITIVE_INFINITY;
    return mutant.at >= from && mutant.at + mutant.find.length <= from + within.length;
  };
  return entries.find((entry) => entry.file === mutant.file && explains(entry))?.why;
}

/**
 * The test files that may notice an edit of a file, by stages; in each stage those of the room first, then the nearest.
 */
export const testsFor = remember((file) => {
  const found = allTests().flatMap((test) => {
    const distance = distancesFrom(test).get(file);
    if (distance === undefined) return [];
    return [{ test, distance, stage: stageOf(test, file, distance) }];
  });
  const ranks = ({ test, distance, stage }) => [STAGES.indexOf(stage), isInRoom(test, file) ? 0 : 1, distance];
  return found.sort((a, b) => compareRanks(ranks(a), ranks(b)));
});

function isInRoom(test, file) {
  return test.startsWith(`test/${roomOf(file)}/`);
}

function compareRanks(a, b) {
  const at = a.findIndex((rank, i) => rank !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

function stageOf(test, file, distance) {
  if (LAST_RESORT.some((folder) => test.startsWith(folder))) return 'last';
  const mirrored = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
  if (test === mirrored) return 'mirrored';
  if (distance === 1 || path.dirname(test) === path.dirname(mirrored)) return 'direct';
  return distance <= NEAR || isInRoom(test, file) ? 'near' : 'far';
}

const allTests = remember(() => {
  const isAsked = (file) =>
    file.endsWith('.test.ts') && !LEFT_OUT.some((left) => `${file}/`.startsWith(`test/${left}/`));
  return filesBelow('test').filter(isAsked).sort();
});

const imports = remember((file) => importsOf(path.join(root, file)).map((to) => path.relative(root, to)));

/** How many imports lie between a test and each file that it reaches. */
const distancesFrom = remember((test) => {
  const distances = new Map([[test, 0]]);
  for (const [from, distance] of distances) {
    for (const to of imports(from)) if (!distances.has(to)) distances.set(to, distance + 1);
  }
  return distances;
});

export const sourceOf = remember((file) => readFileSync(path.join(root, file), 'utf8'));

function filesBelow(folder) {
  const inside = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return inside.map((file) => path.posix.join(folder, file.split(path.sep).join('/')));
}
