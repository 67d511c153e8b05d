import { scope } from '../../kit/abort.ts';
import type { FieldReads } from '../../model/field-path.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import type { CollectionPart } from '../../query/answer/collection-part.ts';
import type { ObjectFilters } from '../../query/answer/object-filters.ts';
import { type Sample, samplesOf } from '../../query/answer/samples.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { Lookup } from '../../query/index/lookup.ts';
import type { ReportingServer, Server } from '../session/session.ts';

/**
 * Advises a person on what a command found: one line for each thing, none where all is well. Most hints need only the
 * facts; `F` are those that one command alone has. A hint that asks the server asks only where its line may be needed,
 * and gives up when the signal aborts. It never rejects.
 */
export type Hint<F = unknown> = (facts: Facts & F, server: Server) => Promise<readonly string[]>;

/** The command line. A command leaves out what it has no flag for. */
export interface HintPlan extends Partial<ObjectFilters> {
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** The fields that expressions and paths look at. */
  readonly reads: readonly FieldReads[];
  /** The conditions that `--for` names. */
  readonly conditionsNamed?: readonly string[];
  readonly lookups?: readonly Lookup[];
  readonly part?: CollectionPart | undefined;
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly once?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly format?: OutputFormat;
}

/** The result of a command: its initial lists, or its answer. */
export interface Findings {
  readonly plan: HintPlan;
  readonly targets: readonly CachedObjects[];
  /** The objects that the user's own selectors give, where the server selected by more. Default: those of the caches. */
  readonly samples?: readonly Sample[] | undefined;
  /** The indexes of the lookups. */
  readonly catalog?: IndexCatalog;
  /** No object was found that was asked for. */
  readonly isEmpty?: boolean;
  /** Another line reports the state. */
  readonly isReportedElsewhere?: boolean;
  /** Another line names what is missing. */
  readonly areNamesReported?: boolean;
}

/** Findings, with the objects of the caches. */
export interface Facts extends Findings {
  /** The objects in the caches, in the order of the targets. */
  readonly cached: readonly Sample[];
  readonly samples: readonly Sample[];
}

/** How long the server's answer to a hint is waited for, ms. */
const ANSWER_MS = 2_000;

/** A hint on an answer without objects. */
export const whenEmpty =
  (hint: Hint): Hint =>
  async (facts, server) =>
    facts.isEmpty ? await hint(facts, server) : [];

/**
 * Prints what hints say of findings, in their order. This is the one place where hints reach a person, and where they
 * are limited and hushed: a server has two seconds for each, and nothing is printed once the command ends.
 */
export async function giveHints<F = unknown>(
  hints: readonly Hint<F>[],
  findings: Findings & F,
  { client, clock, signal, notice }: ReportingServer,
): Promise<void> {
  const cached = findings.targets.map(samplesOf);
  const facts = { ...findings, cached, samples: findings.samples ?? cached };
  for (const hint of hints) {
    if (signal.aborted) return;
    using limit = scope(signal);
    using _timer = clock.after(ANSWER_MS, () => limit.abort());
    const lines = await hint(facts, { client, clock, signal: limit.signal });
    for (const line of lines) if (!signal.aborted) notice(line);
  }
}
