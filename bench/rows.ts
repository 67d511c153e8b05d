import { totalmem } from 'node:os';
import type { Command } from './processes.ts';
import { node, type OrReason, type Programs, runner } from './programs.ts';
import type { Group } from './results.ts';

/** A program to be measured against a collection that a replay server has. */
export interface ProcessRow {
  readonly id: string;
  readonly group: Group;
  readonly name: string;
  /** How to run it, or why it cannot be. */
  readonly command: (url: string, objects: number) => Command | { readonly missing: string };
  /** How its output shows that it is complete. Default: its own line says how many objects it had. */
  readonly counts?: { readonly word: string; readonly of: (objects: number) => number } | undefined;
  /** All that it must say on stdout. */
  readonly says?: ((objects: number) => string) | undefined;
  /** Runs in one measurement. */
  readonly times?: number | undefined;
  /** A watch that does not end by itself is ended when it has shown all. */
  readonly endless?: boolean | undefined;
  /** Not run with more objects than this, because of this. */
  readonly most?: { readonly objects: number; readonly why: string } | undefined;
  /** Takes long: run once, not in every round, from this number of objects on. */
  readonly onceFrom?: number | undefined;
}

const LINES = { word: '\n', of: (objects: number) => objects };
const PODS = { word: '"nodeName"', of: (objects: number) => objects };
const FOR_KUBECTL_JSON = 16e9;
const SLOW = { objects: 50_000, why: 'takes minutes, and gigabytes' };

/** A complete initial list. */
export function syncRows({ library, cli, kubectl, clientGo }: Programs): ProcessRow[] {
  const ours = (mode: string) => (url: string) => runner('ours', library, url, mode);
  const program =
    (...args: string[]) =>
    (url: string) =>
      node(cli, ...args, '--server', url);
  const go = (kind: string) => withProgram(clientGo, (url) => [url, kind, '0']);
  return [
    {
      id: 'download',
      group: 'floor',
      name: 'download to nowhere',
      command: (url) => runner('download', url),
      counts: { word: '"bytes"', of: () => 1 },
    },
    {
      id: 'parse',
      group: 'floor',
      name: 'JSON.parse of the whole text',
      command: (url) => runner('parse', url),
      most: { objects: 70_000, why: 'the text is longer than a string can be (512 MiB)' },
    },
    { id: 'sync', group: 'ours', name: 'library, sync', command: ours('sync') },
    {
      id: 'metadata',
      group: 'ours',
      name: 'library, sync of metadata only',
      command: ours('metadata'),
      onceFrom: 200_000,
    },
    {
      id: 'sync-plain',
      group: 'ours',
      name: 'library, sync, without keepYoungGenerationSmall()',
      command: ours('plain'),
      onceFrom: 200_000,
    },
    {
      id: 'block',
      group: 'ours',
      name: 'library, sync, event loop watched',
      command: ours('block'),
      onceFrom: 200_000,
    },
    {
      id: 'once',
      group: 'ours',
      name: 'watch pods -A --once',
      command: program('watch', 'pods', '-A', '--once', '--no-headers'),
      counts: LINES,
    },
    {
      id: 'once-json',
      group: 'ours',
      name: 'watch pods -A --once -o json',
      command: program('watch', 'pods', '-A', '--once', '-o', 'json'),
      counts: LINES,
    },
    {
      id: 'count',
      group: 'ours',
      name: 'query pods -A --count',
      command: program('query', 'pods', '-A', '--count'),
      counts: { word: '\n', of: () => 1 },
      onceFrom: 200_000,
      says: (objects) => `${objects}\n`,
    },
    {
      id: 'client-node',
      group: 'peer',
      name: '@kubernetes/client-node, informer',
      command: (url, objects) => runner('client-node', url, 'sync', objects),
      most: { objects: 70_000, why: 'it lists at once, and the text is longer than a string can be (512 MiB)' },
    },
    {
      id: 'go-dynamic',
      group: 'peer',
      name: 'client-go, dynamic informer',
      command: go('dynamic'),
      most: SLOW,
      onceFrom: 50_000,
    },
    {
      id: 'go-typed',
      group: 'peer',
      name: 'client-go, typed informer (JSON)',
      command: go('typed'),
      most: SLOW,
      onceFrom: 50_000,
    },
    {
      id: 'kubectl',
      group: 'peer',
      name: 'kubectl get pods -A --no-headers',
      command: withProgram(kubectl, (url) => ['get', 'pods', '-A', '--no-headers', '--server', url]),
      counts: LINES,
      most: SLOW,
      onceFrom: 50_000,
    },
    {
      id: 'kubectl-json',
      group: 'peer',
      name: 'kubectl get pods -A -o json',
      command: withProgram(kubectl, (url) => ['get', 'pods', '-A', '-o', 'json', '--server', url]),
      counts: PODS,
      most: totalmem() < FOR_KUBECTL_JSON ? { objects: 10_000, why: 'takes 12 GB of memory for 50,000' } : SLOW,
      onceFrom: 10_000,
    },
  ];
}

/** The same sync from a server that is slower than its reader: how much later than the last byte is it done? */
export function servedRows(programs: Programs): ProcessRow[] {
  return syncRows(programs)
    .filter(({ id }) => id === 'download' || id === 'sync')
    .map((row) => ({ ...row, id: `served-${row.id}`, name: `${row.name}, server-bound` }));
}

/** A burst of changes, to its end. */
export function burstRows({ library, cli, kubectl, clientGo }: Programs, events: number): ProcessRow[] {
  const go = (kind: string) => withProgram(clientGo, (url) => [url, kind, String(events)]);
  const lines = { word: '\n', of: (objects: number) => objects + events };
  return [
    {
      id: 'null-watch',
      group: 'floor',
      name: 'lines counted, nothing else',
      command: (url) => runner('null-watch', url, events),
    },
    {
      id: 'burst',
      group: 'ours',
      name: 'library, 3 handlers',
      command: (url) => runner('ours', library, url, 'burst', events),
    },
    {
      id: 'watch',
      group: 'ours',
      name: 'watch pods -A',
      command: (url) => node(cli, 'watch', 'pods', '-A', '--no-headers', '--server', url),
      counts: lines,
      endless: true,
    },
    {
      id: 'client-node-burst',
      group: 'peer',
      name: '@kubernetes/client-node, 3 callbacks',
      command: (url, objects) => runner('client-node', url, 'burst', objects, events),
    },
    {
      id: 'go-dynamic-burst',
      group: 'peer',
      name: 'client-go, dynamic informer, 3 handlers',
      command: go('dynamic'),
      onceFrom: 1,
    },
    {
      id: 'go-typed-burst',
      group: 'peer',
      name: 'client-go, typed informer (JSON), 3 handlers',
      command: go('typed'),
      onceFrom: 1,
    },
    {
      id: 'kubectl-watch',
      group: 'peer',
      name: 'kubectl get pods -A -w',
      command: withProgram(kubectl, (url) => ['get', 'pods', '-A', '-w', '--no-headers', '--server', url]),
      counts: lines,
      onceFrom: 1,
      endless: true,
    },
  ];
}

/** Programs that end at once; the number of runs in one measurement. */
export function startRows({ cli, kubectl }: Programs, times: number): ProcessRow[] {
  const nothing = { word: '\n', of: () => 0 };
  const shared = { times, counts: nothing };
  return [
    { ...shared, id: 'node', group: 'floor', name: 'node, an empty file', command: () => runner('bare') },
    { ...shared, id: 'version', group: 'ours', name: '--version', command: () => node(cli, '--version') },
    { ...shared, id: 'help', group: 'ours', name: '--help', command: () => node(cli, '--help') },
    {
      ...shared,
      id: 'kubectl-version',
      group: 'peer',
      name: 'kubectl version --client',
      command: withProgram(kubectl, () => ['version', '--client']),
    },
  ];
}

/** The first rows of a small collection. */
export function firstRows({ cli, kubectl }: Programs): ProcessRow[] {
  return [
    {
      id: 'first-row',
      group: 'ours',
      name: 'watch pods -A, first row',
      command: (url) => node(cli, 'watch', 'pods', '-A', '--once', '--no-headers', '--server', url),
      counts: LINES,
    },
    {
      id: 'kubectl-first-row',
      group: 'peer',
      name: 'kubectl get pods -A, first row',
      command: withProgram(kubectl, (url) => ['get', 'pods', '-A', '--no-headers', '--server', url]),
      counts: LINES,
    },
  ];
}

/** Runs that let the programs keep what they keep between runs: discovery, compiled code. */
export function warmUps({ cli, kubectl }: Programs, url: string): Command[] {
  const none = ['pods', '-n', 'none', '--server', url];
  const ours = [
    node(cli, 'watch', '--once', ...none),
    node(cli, 'watch', '--once', '-o', 'json', ...none),
    node(cli, 'query', '--count', ...none),
  ];
  return 'path' in kubectl ? [...ours, { command: kubectl.path, args: ['get', ...none] }] : ours;
}

function withProgram(program: OrReason, args: (url: string) => readonly string[]): ProcessRow['command'] {
  return (url) => ('path' in program ? { command: program.path, args: args(url) } : program);
}
