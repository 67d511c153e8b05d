import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');

/** A feature, and the files outside its own that may know of it: those where it is attached. */
interface Breadth {
  readonly word: RegExp;
  /** The files of the feature. */
  readonly own: RegExp;
  /** Files in which the word means something else. */
  readonly other?: RegExp;
  readonly edges: readonly string[];
}

const CLUSTERS: Breadth = {
  word: /lusters/,
  own: /^(cli\/session\/(clusters|cluster-choice|cluster-types)|cli\/watch\/(clusters-run|late-cluster)|query\/index\/cluster-index|output\/cluster-column|controller\/builder\/[a-z-]+)\.ts$/,
  // the list `clusters` of a kubeconfig; the plural of a kind; any clusters, each with a folder or a process
  other:
    /^(client\/(kubeconfig|config\/(kubeconfig-file|in-cluster)|auth\/base-credentials)|(sandbox\/server|doctor)\/kubeconfig|cli\/completion\/inquiry|crds\/definition|serve\/folder-key|doctor\/machine)\.ts$/,
  edges: [
    'cli/args/shared-flags.ts',
    'cli/completion/flag-values.ts',
    'cli/query/query-run.ts',
    'cli/session/session.ts',
    'commands/query.ts',
    'commands/watch.ts',
    'model/resource-type.ts',
  ],
};

describe('a breadth is attached at its edges, and not woven through the code', () => {
  it('several clusters: a type has the name of its cluster, and a command puts them together', () => {
    expect(mentioning(CLUSTERS)).toEqual(CLUSTERS.edges);
  });

  it('shards: at most 25 files outside their own', () => {
    const shards = { word: /shard/i, own: /shard|^cli\/reconcile\/sharing/, edges: [] };
    expect(mentioning(shards).length).toBeLessThanOrEqual(25);
  });

  it('states on disk: at most 10 files outside their own', () => {
    const states = { word: /persist\/|StateStore|since-?last/i, own: /^serve\/persist\/|since-last/, edges: [] };
    expect(mentioning(states).length).toBeLessThanOrEqual(10);
  });
});

function mentioning({ word, own, other }: Breadth): string[] {
  return filesOf(SRC)
    .filter((file) => !own.test(file) && !other?.test(file))
    .filter((file) => word.test(readFileSync(path.join(SRC, file), 'utf8')))
    .sort();
}
