import { Answering, type FoundAnswer } from '../cli/serve/answer-request.ts';
import type { CachedTypes } from '../cli/serve/cached-types.ts';
import { requestOfParameters } from '../cli/serve/query-parameters.ts';
import type { WatchTarget } from '../cli/session/informers.ts';
import type { Session } from '../cli/session/session.ts';
import type { ResourceSelection } from '../client/discovery/resource-args.ts';
import { InformerError } from '../kit/error.ts';
import { formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Redactor } from '../stream/redact.ts';
import { RecordedAnswers } from './recorded-answers.ts';
import { ServedCounts } from './served-counts.ts';

/** Types that agents may have cached in one process. */
const MOST_TYPES = 40;

/** An answer, and the caches that it comes from. */
export interface AgentAnswer extends FoundAnswer {
  readonly targets: readonly WatchTarget[];
  /** Remarks of the query engine: the cluster's words may be in them. */
  readonly notices: readonly string[];
  /** The moment of a recording that was asked, ms since 1970, and how far the recording goes. */
  readonly at?: number;
  readonly freshness?: readonly string[];
}

export interface AgentCachesOptions {
  readonly session: Session;
  readonly types: CachedTypes;
  readonly redactor: Redactor;
  /** Lets the serve that this process reads from hold a type too. */
  readonly share?: ((word: string) => Promise<void>) | undefined;
  /** The file of the recording of the cluster that this process reads itself. */
  readonly recording?: string | undefined;
}

/** The caches that all agents of a process share. A type is cached when an agent first asks about it. */
export class AgentCaches {
  readonly session: Session;
  readonly types: CachedTypes;
  /** Marks values of Secrets: equal values have equal marks in all answers. */
  readonly redactor: Redactor;
  readonly #share: AgentCachesOptions['share'];
  readonly #answering: Answering;
  /** Answers about what was, in this process; undefined without a recording, and where others read it. */
  readonly recorded: RecordedAnswers | undefined;
  /** The numbers of objects of types that are not cached. */
  readonly served: ServedCounts;

  constructor({ session, types, redactor, share, recording }: AgentCachesOptions) {
    this.session = session;
    this.types = types;
    this.redactor = redactor;
    this.#share = share;
    this.#answering = new Answering(session, types, redactor);
    this.served = new ServedCounts(session);
    this.recorded = recording === undefined ? undefined : new RecordedAnswers(session, recording);
  }

  /** The types that words mean, in caches that have synced. Rejects with the server's refusal. */
  async targetsOf(word: string): Promise<{ selections: ResourceSelection[]; targets: WatchTarget[] }> {
    if (word.trim() === '')
      throw new InformerError('argument', 'the type is missing', { hint: 'such as pods, deploy/web or pods,deploy' });
    const selections = await this.session.resolve(word.trim().split(/\s+/), () => {});
    const targets: WatchTarget[] = [];
    for (const selection of selections) targets.push(await this.#targetOf(selection));
    return { selections, targets };
  }

  async #targetOf(selection: ResourceSelection): Promise<WatchTarget> {
    const { type } = selection;
    const known = this.types.find(type);
    if (known?.informer.hasSynced) return known;
    if (!known && this.types.targets.length >= MOST_TYPES)
      throw new InformerError('argument', `${MOST_TYPES} types are cached, and no more are`, {
        hint: 'ask about one of those that the tool types shows as cached',
      });
    if (!known) await this.#share?.(formatGvr(type.gvr));
    return await this.types.add(selection);
  }

  /** Answers a query: the flags of `query` by name. Without `namespace` all that is cached is asked. `at` asks the recording. */
  async find(
    word: string,
    { at, ...flags }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<AgentAnswer> {
    if (at !== undefined) {
      if (!this.recorded) throw nothingRecorded('the state at another time');
      return { ...(await this.recorded.find(requestOfParameters(parametersOf(word, flags, [])), String(at), signal)), targets: [] }; // biome-ignore format: one line
    }
    const { targets } = await this.targetsOf(word);
    const notices: string[] = [];
    const outlet = {
      clock: this.session.clock,
      signal,
      notice: (text: string) => void notices.push(text),
      write: async () => {},
    };
    const found = await this.#answering.find(requestOfParameters(parametersOf(word, flags, targets)), outlet);
    return { ...found, targets, notices };
  }

  /** As {@link find}, as the text that `query` prints. The types of `beside` are cached before, as far as they may be. */
  async print(
    word: string,
    flags: Readonly<Record<string, unknown>>,
    { signal, beside }: { readonly signal: AbortSignal; readonly beside: readonly ResourceType[] },
  ) {
    const { targets } = await this.targetsOf(word);
    const selections = beside.map((type) => ({ type, names: [], versioned: true }) as const);
    await Promise.allSettled(selections.map((selection) => this.#targetOf(selection)));
    let text = '';
    const notices: string[] = [];
    const outlet = {
      clock: this.session.clock,
      signal,
      notice: (line: string) => void notices.push(line),
      async write(piece: string) {
        text += piece;
      },
    };
    const request = requestOfParameters(parametersOf(word, { ...flags, output: '' }, targets));
    const { errors: [error] = [], unserved } = await this.#answering.answer(request, outlet, true);
    if (error) throw new InformerError('argument', error.message, { hint: error.hint });
    if (unserved !== undefined) throw new InformerError('argument', `not answered: ${unserved}`);
    return { text, notices, targets };
  }
}

/** The error of a question that only a recording answers. */
export const nothingRecorded = (what: string): InformerError =>
  new InformerError('argument', `${what} needs a recording, and nothing records here`, {
    hint: 'serve TYPES --record FILE records, and mcp then reads from it; changes and story know the last hour or so',
  });

/** The parameters of `/v1/query`, which are the flags of `query`. */
function parametersOf(word: string, flags: Readonly<Record<string, unknown>>, targets: readonly WatchTarget[]) {
  const parameters = new URLSearchParams();
  for (const each of word.trim().split(/\s+/)) parameters.append('type', each);
  for (const [name, value] of Object.entries(flags))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) parameters.append(name, String(each));
  const cached = targets.find(({ namespaces }) => namespaces && !namespaces.includes(''))?.namespaces;
  if (cached && !parameters.has('namespace')) parameters.set('namespace', cached.join(','));
  return parameters;
}
