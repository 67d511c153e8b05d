import { InformerError } from '../../kit/error.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { formatGvr, isSecretResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { mediaTypeOf } from '../../output/formats.ts';
import { type Answer, answer } from '../../query/answer/answer.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import { ageMsOf } from '../../query/answer/cached-objects.ts';
import { OWNER_UIDS, type OwnerCache, ownerUidsOf } from '../../query/answer/owned-objects.ts';
import { onlyNamespaceOf, usedIndexes } from '../../query/answer/query.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { AnswerOutlet, ServeAnswers } from '../../serve/api/serve-server.ts';
import { type RequestedPart, viewOf, whyNotCached } from '../../serve/hold/cached-view.ts';
import { maskedView } from '../../serve/hold/masked-view.ts';
import { RequestedIndexes } from '../../serve/hold/requested-indexes.ts';
import type { AnswerEnd, AnswerError, QueryRequest } from '../../serve/protocol.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { Given } from '../args/argv.ts';
import { valuesOf } from '../args/flag.ts';
import { queryFlags } from '../args/query-flags.ts';
import { printAnswer } from '../query/printed-answer.ts';
import { queryPlanOf } from '../query/query-plan.ts';
import { type QueryPlan, type ReadQuery, readQuery } from '../query/read-query.ts';
import type { WatchTarget } from '../session/informers.ts';
import { namespacesOf, type Session } from '../session/session.ts';
import { checkWheres } from '../session/where-check.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { ExitCode, exitCodeOf, SeveralErrors } from '../terminal/exit-codes.ts';
import type { CachedTypes } from './cached-types.ts';
import { requestOfParameters } from './query-parameters.ts';
import { whyBehindHook } from './wait-for-hook-versions.ts';

/** Thrown for a question that this serve cannot answer, though a command with caches of its own could. */
class Unserved extends Error {}

/** An answer as data, and the query that it answers. */
export interface FoundAnswer extends Pick<Answer, 'result' | 'count' | 'found'> {
  readonly plan: ReadQuery;
}

/** Answers questions of `query` from the caches of a serve. */
export class Answering implements ServeAnswers {
  readonly #session: Session;
  readonly #types: CachedTypes;
  readonly #indexes: RequestedIndexes;
  /** The redactor of all answers: equal values of Secrets have equal marks. */
  readonly #redactor: Redactor;

  constructor(session: Session, types: CachedTypes, redactor: Redactor) {
    this.#redactor = redactor;
    this.#session = session;
    this.#types = types;
    this.#indexes = new RequestedIndexes(session.clock, session.signal, (key) =>
      types.declared.some((definition) => definition.key === key),
    );
  }

  parse(text: string): QueryRequest {
    return parseRequest(text);
  }

  ofParameters(parameters: URLSearchParams): QueryRequest {
    return requestOfParameters(parameters);
  }

  mediaTypeOf({ given }: QueryRequest): string {
    return mediaTypeOf(given.output?.values.at(-1) ?? '');
  }

  statusOf({ exitCode, message }: AnswerError): number {
    if (message.includes('(NotFound)')) return 404;
    if (exitCode === ExitCode.usage) return 400;
    return exitCode === ExitCode.timeout || exitCode === ExitCode.continuity ? 504 : 502;
  }

  async answer(request: QueryRequest, outlet: AnswerOutlet, isMasked: boolean): Promise<AnswerEnd> {
    try {
      const { plan, part } = await this.#prepared(request, outlet, isMasked);
      const { clock, config } = this.#session;
      const waiting = { server: config.server, freshness: plan.freshness, clock, signal: part.signal };
      const behind = await whyBehindHook(request, part.allCached, waiting);
      if (behind !== undefined) throw new Unserved(behind);
      const missing = await printAnswer(plan, [part], {
        signal: part.signal,
        redactor: plan.showSecrets ? undefined : this.#redactor,
        sink: outlet,
        isPartial: false,
      });
      const end = missing === undefined ? { exitCode: ExitCode.ok } : endOf(missing);
      return { ...end, ageMs: Math.max(0, ...part.allCached.map(ageMsOf)) };
    } catch (error) {
      if (outlet.signal.aborted) throw error;
      return error instanceof Unserved ? { exitCode: ExitCode.failed, unserved: error.message } : endOf(error);
    }
  }

  /**
   * The answer as data, with marks in place of values of Secrets for every reader of it. Rejects with what is wrong with
   * the question.
   */
  async find(request: QueryRequest, outlet: AnswerOutlet): Promise<FoundAnswer> {
    const { plan, part } = await this.#prepared(request, outlet, true);
    const { clock } = this.#session;
    const notice = (text: string) => outlet.notice(text);
    const { result, count, found } = await answer(plan, [part], { clock, notice, redactor: this.#redactor });
    return { plan, result, count, found };
  }

  async #prepared(request: QueryRequest, outlet: AnswerOutlet, isMasked: boolean) {
    const { plan, cached, part } = await this.#read(request, outlet);
    const allCached = cached
      .map((target, i) => viewOf(target, { ...part, names: plan.selections[i]?.names ?? [] }))
      .map((cached) => (isMasked ? maskedView(cached, this.#redactor) : cached));
    await this.#keepIndexes(plan, isMasked ? cached.filter(({ type }) => !isSecretResource(type.gvr)) : cached);
    const { client, clock } = this.#session;
    const signal = AbortSignal.any([this.#session.signal, outlet.signal]);
    const notice = (text: string) => outlet.notice(text);
    const types = allCached.map(({ type }) => type);
    const known = (type: ResourceType) => columnsIn(allCached.find((cached) => cached.type === type));
    const namespace = onlyNamespaceOf(plan.namespaces);
    await checkWheres(plan.wheres, types, namespace, { client, clock, signal }, { known, ofEvents: false });
    const ownerCaches = plan.tree && isMasked ? await this.#ownerCaches() : undefined;
    return { plan, part: { query: plan, allCached, client, signal, notice, ownerCaches } };
  }

  async #read(request: QueryRequest, outlet: AnswerOutlet) {
    const given = new Map(Object.entries(request.given as Record<string, Given>));
    const flags = valuesOf(queryFlags, given);
    const question = await readQuery(flags, {
      given,
      indexes: { ...this.#ownIndexes(), ...request.config.indexes },
      notice: (text) => outlet.notice(text),
    });
    if (question.part) throw new Unserved('its caches are not divided into shards');
    if (question.keepManagedFields && !this.#types.keepsManagedFields)
      throw new Unserved('it does not keep managedFields; serve --show-managed-fields does');
    const { config, clock } = this.#session;
    const namespaces = namespacesOf(flags, { ...config, namespace: request.namespace ?? config.namespace });
    const warnings: string[] = [];
    const selections = await this.#session.resolve(request.words, (text) => void warnings.push(text));
    const part = { namespaces, selector: flags.selector, fieldSelector: flags['field-selector'], names: [] };
    const cached = selections.map(({ type }) => {
      const target = this.#types.find(type);
      if (!target) throw new Unserved(`it does not hold ${formatGvr(type.gvr)}`);
      return target;
    });
    for (const target of cached) await this.#check(target, part);
    // only now: a command that asks the cluster instead warns by itself
    for (const text of warnings) outlet.notice(`Warning: ${text}`);
    const { isTerminal, columns } = request.terminal;
    const surface = { stdout: { isTerminal, columns }, env: { ...request.env }, clock };
    return { plan: await queryPlanOf(question, { selections, namespaces }, surface), cached, part };
  }

  /** The caches that have all objects of their types. Those of Secrets are left out: their objects are shown as marks. */
  async #ownerCaches(): Promise<OwnerCache[]> {
    const whole = this.#types.targets.filter(
      ({ type, namespaces, forbidden, informer }) =>
        informer.hasSynced && forbidden.length === 0 && (namespaces?.includes('') ?? true) && !isSecretResource(type.gvr), // biome-ignore format: one condition
    );
    await Promise.all(
      whole
        .filter(({ informer }) => !informer.lister.hasIndex(OWNER_UIDS))
        .map(({ informer }) => informer.buildIndexers({ [OWNER_UIDS]: ownerUidsOf }).catch(() => {})), // another question builds it
    );
    return whole
      .filter(({ informer }) => informer.lister.hasIndex(OWNER_UIDS))
      .map(({ type, informer: { lister } }) => ({
        type,
        get: (key) => lister.get(key),
        ownedBy: (uid) => lister.byIndex(OWNER_UIDS, uid),
      }));
  }

  /** The indexes that this serve was given by name. */
  #ownIndexes(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#types.declared.map(({ name, from }) => [name, from]));
  }

  async #check(target: WatchTarget, part: RequestedPart): Promise<void> {
    const reason = whyNotCached(target, part);
    if (reason !== undefined) throw new Unserved(reason);
    if (!target.informer.hasSynced) throw new Unserved(`its cache of ${target.informer.name} has not synced yet`);
    if (target.forbidden.length > 0) throw new Unserved(`it may not read all of ${target.informer.name}`);
  }

  /** The indexes that a question reads are kept from now on, within a limit. */
  async #keepIndexes(plan: QueryPlan, cached: readonly WatchTarget[]): Promise<void> {
    const names = usedIndexes(plan);
    if (names.length === 0) return;
    const catalog = new IndexCatalog(plan.declared);
    await this.#indexes.asked(
      names.map((name) => catalog.get(name)),
      cached,
    );
  }
}

/** The columns of a type, as its objects have them; undefined when there are none. */
function columnsIn(cached: CachedObjects | undefined): readonly TableColumn[] | undefined {
  const first = cached?.informer.lister.values().next().value;
  return first && cellsOf(first)?.columns;
}

function endOf(error: unknown): AnswerEnd {
  const all = error instanceof SeveralErrors ? error.errors : [error];
  const errors = all.map((each): AnswerError => ({ ...errorTexts(each), exitCode: exitCodeOf(each) }));
  return { exitCode: exitCodeOf(error), errors };
}

/** Reads the JSON of a question. Throws `argument` for anything else. */
export function parseRequest(text: string): QueryRequest {
  let request: Partial<QueryRequest> | null;
  try {
    request = JSON.parse(text) as Partial<QueryRequest> | null;
  } catch {
    throw new InformerError('argument', 'the question is not JSON');
  }
  const { words, given = {}, namespace, config, terminal, env = {} } = request ?? {};
  const indexes = config?.indexes ?? {};
  if (!Array.isArray(words) || words.some((word) => typeof word !== 'string'))
    throw new InformerError('argument', 'the question has no words, a list of types and names');
  if (namespace !== undefined && typeof namespace !== 'string')
    throw new InformerError('argument', 'the namespace of the question is not a text');
  for (const [part, texts] of Object.entries({ indexes, env }))
    if (!isJsonMap(texts) || Object.values(texts).some((text) => typeof text !== 'string'))
      throw new InformerError('argument', `the ${part} of the question are not texts by name`);
  if (!isJsonMap(given)) throw new InformerError('argument', 'the flags of the question are not values by name');
  for (const [name, flag] of Object.entries(given)) {
    if (!Object.hasOwn(queryFlags, name)) throw new InformerError('argument', `query has no flag --${name}`);
    if (!Array.isArray(flag?.values) || flag.values.some((value) => typeof value !== 'string'))
      throw new InformerError('argument', `the flag --${name} has no list of values`);
  }
  return {
    words,
    given,
    namespace,
    config: { indexes },
    terminal: { isTerminal: terminal?.isTerminal === true, columns: numberOrNone(terminal?.columns) },
    env,
  };
}

const numberOrNone = (value: unknown) => (typeof value === 'number' ? value : undefined);
