import { type PassedObjects, PassingSource } from '../../informer/watch/passing-source.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { AnswerText } from '../../output/printer.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import type { Found } from '../../query/answer/found.ts';
import { matcherOf } from '../../query/answer/matcher.ts';
import { pushedDownOf, withdrawSelectors } from '../../query/answer/push-down.ts';
import { asksForObjects } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { Redactor } from '../../stream/redact.ts';
import { giveHints } from '../hints/hint.ts';
import { QUERY } from '../hints/lists.ts';
import { emptyText } from '../hints/nothing-found.ts';
import { fieldsLookedAt } from '../passing/looked-fields.ts';
import { Passing } from '../passing/passing.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session, Sessions } from '../session/session.ts';
import { orEnd } from '../session/stream-outlet.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { fillCaches, usingCaches } from './filled-caches.ts';
import type { QueryPart } from './filled-parts.ts';
import { printFound, showing } from './print-found.ts';
import type { QueryPlan, ReadQuery } from './read-query.ts';
import { stdoutSink } from './stdout-sink.ts';

/**
 * Whether a query may be answered while its objects arrive, without a cache: it looks at each object by itself, once.
 */
export function canPassQuery(query: ReadQuery): boolean {
  const { flags, lookups, values, groupBy, measures, tree, sortBy, explain, freshness, part } = query;
  if (lookups.length > 0 || values !== undefined || groupBy || measures.length > 0 || tree || sortBy) return false;
  if (freshness.freshMs !== undefined || freshness.atLeastRv !== undefined || explain || part) return false;
  return !flags['since-last'] && !query.output.jq;
}

/**
 * Answers a query of one list while it arrives. Undefined: it has to be answered from caches, and nothing was printed.
 */
export async function printPassed(
  sessions: Sessions,
  { session, query }: QueryPart,
  planFor: (parts: readonly QueryPart[]) => Promise<QueryPlan>,
): Promise<ExitCode | undefined> {
  const [only, ...others] = query.selections;
  if (only === undefined || others.length > 0 || only.names.length > 0) return undefined;
  const pushedDown = await pushedDownOf(query, query.selections);
  const namespaces = pushedDown.get(only.type)?.namespaces ?? query.namespaces;
  if (only.type.namespaced && namespaces.length !== 1) return undefined;
  const plan = await planFor([{ session, query, errors: [] }]);
  const passing = new PassedAnswer(plan, only.type, {
    session,
    sink: stdoutSink(sessions),
    fields: await fieldsOf(plan, only.type),
    isPushedDown: pushedDown.size > 0,
  });
  const caches = await fillCaches(session, query.selections, {
    ...query,
    pushedDown,
    onRefusedPushDown: (type) => withdrawSelectors(pushedDown, type),
    as: representationFor(query),
    passing: (source) => new PassingSource(source, passing.objects),
  });
  // why nothing was found is known only with the objects that the server left out
  if (passing.count === 0 && pushedDown.size > 0 && caches.refusal === undefined && !session.signal.aborted)
    return undefined;
  return await usingCaches(sessions, [{ caches }], async () => {
    if (caches.refusal !== undefined) throw caches.refusal;
    await passing.end(caches.targets[0] as WatchTarget);
    return ExitCode.ok;
  });
}

/** The fields that the answer needs of each object; undefined for whole objects. */
async function fieldsOf(plan: QueryPlan, type: ResourceType): Promise<PassedObjects['fields']> {
  const { flags, filters, wheres } = plan;
  const showsLabels = flags['show-labels'] || (flags['label-columns'] ?? []).length > 0;
  const format = asksForObjects(plan) ? plan.format : undefined;
  return await fieldsLookedAt({ type, format, filters, wheres, showsLabels });
}

interface Answering extends Pick<PassedObjects, 'fields'> {
  readonly session: Session;
  readonly sink: AnswerSink;
  /** The server selects a part of the objects: without any, the answer is made again from caches. */
  readonly isPushedDown: boolean;
}

class PassedAnswer {
  readonly #plan: QueryPlan;
  readonly #type: ResourceType;
  readonly #answering: Answering;
  readonly #passing: Passing;
  readonly #redactor: Redactor;
  readonly #matches: (object: ReadonlyObject, type: ResourceType) => boolean;
  readonly #show: ReturnType<typeof showing>;
  /** Prints object by object; undefined for a number, and for formats that have to see all objects first. */
  readonly #text: AnswerText | undefined;
  /** Lines for a person that wait until it is known that the answer is not made again. */
  #held: string[] = [];
  /** The objects that are printed together. */
  #kept: Found[] = [];
  #isPrinting = false;
  count = 0;

  constructor(plan: QueryPlan, type: ResourceType, answering: Answering) {
    this.#plan = plan;
    this.#type = type;
    this.#answering = answering;
    const { sink, session, fields } = answering;
    this.#redactor = new Redactor({ showSecrets: plan.showSecrets });
    this.#matches = matcherOf(plan, { clock: sink.clock, notice: (text) => this.#notice(text) });
    this.#show = showing(plan, this.#redactor, sink);
    this.#text = plan.count ? undefined : plan.printer.answer?.();
    this.#passing = new Passing(
      { type, reads: plan.reads, fields, notice: (text) => session.notice(text) },
      {
        keeps: (object) => this.#matches(object, type),
        print: (object) => this.#take(object),
        forget: () => this.#forget(),
      },
    );
  }

  get objects(): PassedObjects {
    return this.#passing.objects;
  }

  /** Prints what is left: the number, the objects that are printed together, or the end of the text. */
  async end(target: WatchTarget): Promise<void> {
    const plan = this.#plan;
    const { session, sink } = this.#answering;
    const { count } = this;
    const { sample } = this.#passing;
    const isEmpty = count === 0;
    this.#release();
    const targets = sample.count > 0 ? [sample.cached(target)] : [target];
    const empty = isEmpty ? emptyText(plan, [sample.sample]) : undefined;
    if (plan.count) await sink.write(`${count}\n`);
    else if (!isEmpty || !plan.ignoreNotFound) {
      if (empty !== undefined) sink.notice(empty);
      if (this.#text) await sink.write(this.#text.end());
      else await printFound(plan, this.#kept, { redactor: this.#redactor, sink, signal: session.signal });
    }
    const catalog = new IndexCatalog(plan.declared);
    const finding = { plan: { ...plan, reads: sample.absent }, targets, catalog, isEmpty };
    await giveHints(QUERY, finding, session);
  }

  #take(object: ReadonlyObject): Promise<void> | undefined {
    const { limit = Number.POSITIVE_INFINITY, count } = this.#plan;
    this.#release();
    if (++this.count > limit || count || this.#answering.session.signal.aborted) return undefined;
    const found = { object, type: this.#type };
    if (this.#text) return this.#print(found, this.#text);
    this.#kept.push(found);
    return undefined;
  }

  /** An expression that fails on an object ends the command with its error. */
  #print(found: Found, text: AnswerText): Promise<void> | undefined {
    const { session } = this.#answering;
    const { stdout } = session.io;
    return orEnd(session, () => {
      const written = text.add(this.#show(found));
      this.#isPrinting = true;
      return stdout.write(written) ? undefined : stdout.ready();
    });
  }

  #notice(text: string): void {
    if (this.count === 0 && this.#answering.isPushedDown) this.#held.push(text);
    else this.#answering.session.notice(text);
  }

  #release(): void {
    for (const text of this.#held.splice(0)) this.#answering.session.notice(text);
  }

  /** Forgets what was found; false if something of it was printed. */
  #forget(): boolean {
    if (this.#isPrinting) return false;
    this.#kept = [];
    this.count = 0;
    return true;
  }
}
