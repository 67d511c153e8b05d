import { CacheProcess, type Followed, type ReadTimes, type SyncedCache } from './cache-process.ts';
import type { Kind } from './generator.ts';
import { measureProcess } from './processes.ts';
import type { Programs } from './programs.ts';
import { ReplayServer } from './replay.ts';
import { median } from './results.ts';

/** What is measured, and on how many objects. */
export interface CompactOptions {
  /** Of the rows that are compared. */
  readonly objects: number;
  readonly rounds: number;
  /** The sizes of the growth rows and of the formula, ascending. The last one is the largest cache. */
  readonly sizes: readonly number[];
  readonly storm: {
    readonly objects: number;
    readonly perSecond: number;
    readonly seconds: number;
    /** How many of the objects change, one row for each. */
    readonly of: readonly number[];
  };
  /** The number of objects of each further kind. */
  readonly further: Readonly<Partial<Record<Kind, number>>>;
  /** The sizes of client-go's rows. */
  readonly clientGo: readonly number[];
  /** The pause after each garbage collection of a settle. */
  readonly pauseMs?: number;
}

/** The one on which a row with that many objects runs: about as many pods on a node as a kubelet allows. */
const PODS_PER_NODE = 100;

export type ReadCache = SyncedCache & ReadTimes;

/** Medians of the same cache with the two stores. */
export interface Compared {
  readonly objects: number;
  readonly plain: ReadCache;
  readonly compact: ReadCache;
  /** With the fields of the filters kept from the start. */
  readonly kept: ReadCache;
}

export interface FurtherKind {
  readonly kind: Kind;
  readonly plain: SyncedCache;
  readonly compact: SyncedCache;
}

/** A cache that follows changes: after a warm-up, and at the end. */
export interface StormRow {
  readonly objects: number;
  /** How many of the objects change. */
  readonly of: number;
  readonly warm: Followed;
  readonly end: Followed;
}

export type ClientGoRow =
  | { readonly objects: number; readonly rss: number; readonly peakRss: number; readonly cpuMs: number }
  | { readonly objects: number; readonly missing: string };

export interface CompactMeasured {
  readonly compared: Compared;
  /** One for each size. */
  readonly grown: readonly (SyncedCache & Partial<ReadTimes>)[];
  readonly storms: readonly StormRow[];
  readonly further: readonly FurtherKind[];
  readonly clientGo: readonly ClientGoRow[];
}

/** Runs everything, one process after another. `say` gets a sentence about each. */
export async function measureCompact(
  programs: Programs,
  options: CompactOptions,
  say: (sentence: string) => void = () => {},
): Promise<CompactMeasured> {
  const compared = await comparedStores(programs, options);
  say(`compared on ${options.objects} pods`);
  const grown: (SyncedCache & Partial<ReadTimes>)[] = [];
  for (const objects of options.sizes) {
    grown.push(await cacheOf(programs, options, { objects, store: 'compact', reads: true }));
    say(`a cache of ${objects} pods`);
  }
  const storms: StormRow[] = [];
  for (const of of options.storm.of) {
    storms.push(await stormRow(programs, options, { ...options.storm, of }));
    say(`a storm on ${of} pods`);
  }
  const clientGo: ClientGoRow[] = [];
  for (const objects of options.clientGo) {
    clientGo.push(await clientGoRow(programs, objects));
    say(`client-go on ${objects} pods`);
  }
  const further: FurtherKind[] = [];
  for (const [kind, objects] of Object.entries(options.further) as [Kind, number][]) {
    const plain = await cacheOf(programs, options, { objects, store: 'objects', kind });
    further.push({ kind, plain, compact: await cacheOf(programs, options, { objects, store: 'compact', kind }) });
    say(`${objects} ${kind}`);
  }
  return { compared, grown, storms, further, clientGo };
}

interface CacheRow {
  readonly objects: number;
  readonly store: 'objects' | 'compact';
  readonly kind?: Kind;
  readonly reads?: boolean;
  readonly keeps?: boolean;
}

async function cacheOf(
  programs: Programs,
  { pauseMs }: CompactOptions,
  { objects, store, kind = 'pods', reads = false, keeps = false }: CacheRow,
): Promise<SyncedCache & Partial<ReadTimes>> {
  await using server = await serverOf(objects, kind);
  const resource = kind === 'mixed' ? 'pods' : kind;
  await using cache = await CacheProcess.start(programs, server, { store, resource, reads, keeps, pauseMs });
  return cache.synced;
}

function serverOf(objects: number, kind: Kind = 'pods'): Promise<ReplayServer> {
  return ReplayServer.start({ objects, kind, nodes: Math.max(1, Math.ceil(objects / PODS_PER_NODE)) });
}

async function comparedStores(programs: Programs, options: CompactOptions): Promise<Compared> {
  const { objects, rounds } = options;
  const plain: ReadCache[] = [];
  const compact: ReadCache[] = [];
  const kept: ReadCache[] = [];
  for (let round = 0; round < rounds; round++) {
    plain.push((await cacheOf(programs, options, { objects, store: 'objects', reads: true })) as ReadCache);
    compact.push((await cacheOf(programs, options, { objects, store: 'compact', reads: true })) as ReadCache);
    kept.push((await cacheOf(programs, options, { objects, store: 'compact', reads: true, keeps: true })) as ReadCache);
  }
  return { objects, plain: medianOf(plain), compact: medianOf(compact), kept: medianOf(kept) };
}

/** The median of each figure. */
function medianOf(runs: readonly ReadCache[]): ReadCache {
  const [first] = runs as [ReadCache];
  const figures = Object.entries(first).map(([name, value]) => [
    name,
    typeof value === 'number' ? median(runs.map((run) => run[name as keyof ReadCache] as number)) : value,
  ]);
  return Object.fromEntries(figures) as ReadCache;
}

/** A quarter of the time is the warm-up. */
async function stormRow(
  programs: Programs,
  { pauseMs }: CompactOptions,
  { objects, of, perSecond, seconds }: Omit<CompactOptions['storm'], 'of'> & { readonly of: number },
): Promise<StormRow> {
  await using server = await serverOf(objects);
  await using cache = await CacheProcess.start(programs, server, { store: 'compact', handler: true, pauseMs });
  const first = await server.storm({ perSecond, seconds: seconds / 4, objects: of });
  const warm = await cache.followed(first);
  const second = await server.storm({ perSecond, seconds: (seconds * 3) / 4, objects: of });
  return { objects, of, warm, end: await cache.followed(first + second) };
}

async function clientGoRow({ clientGo }: Programs, objects: number): Promise<ClientGoRow> {
  if ('missing' in clientGo) return { objects, missing: clientGo.missing };
  await using server = await serverOf(objects);
  await server.prepare('application/json', 500);
  const command = { command: clientGo.path, args: [server.url, 'dynamic', '0'], env: { BENCH_SETTLE: '1' } };
  const { stdout, peakRssMb = Number.NaN, cpuMs = Number.NaN, code } = await measureProcess(command);
  if (code !== 0) return { objects, missing: `it ended with ${code}` };
  const { rss } = JSON.parse(stdout) as { rss: number };
  return { objects, rss, peakRss: peakRssMb * 1e6, cpuMs };
}
