import type { Given } from '../cli/args/argv.ts';
import { valuesOf } from '../cli/args/flag.ts';
import { queryFlags } from '../cli/args/query-flags.ts';
import { type HistoryFlags, historyFlags } from '../cli/args/record-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { answerAt } from '../cli/query/between.ts';
import { checkedPart, runQuery } from '../cli/query/query-run.ts';
import { readQuery } from '../cli/query/read-query.ts';
import { history } from '../cli/record/history-run.ts';
import type { FoundAnswer } from '../cli/serve/answer-request.ts';
import type { Session } from '../cli/session/session.ts';
import { historyStory } from '../cli/story/story-run.ts';
import { momentText, recordedMoment } from '../record/moments.ts';
import { Recording } from '../record/recording.ts';
import type { QueryRequest } from '../serve/protocol.ts';
import { quotedText } from './budget.ts';
import { type PrintedText, printedBy } from './printed-text.ts';

/** An answer about a moment of a recording. */
export interface RecordedFind extends FoundAnswer {
  /** The moment, ms since 1970. */
  readonly at: number;
  /** How far the recording goes. */
  readonly freshness: readonly string[];
  readonly notices: readonly string[];
}

type FlagTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

const givenOf = (flags: FlagTexts): Map<string, Given> =>
  new Map(
    Object.entries(flags).flatMap(([name, value]) => {
      const values = value === undefined ? [] : [value].flat();
      return values.length === 0 ? [] : [[name, { values, origin: 'flag' }] as const];
    }),
  );

/** Answers questions about what was, from the recording that a serve makes. Its marks of Secrets are those of the file. */
export class RecordedAnswers {
  readonly #session: Session;
  readonly file: string;

  constructor(session: Session, file: string) {
    this.#session = session;
    this.file = file;
  }

  /** Answers a query about the state at a moment. */
  async find(request: QueryRequest, at: string, signal: AbortSignal): Promise<RecordedFind> {
    let found: Omit<RecordedFind, 'notices'> | undefined;
    const { notices } = await printedBy(this.#session, signal, async (edges) => {
      found = await this.#found(request, at, edges);
    });
    return { ...(found as Omit<RecordedFind, 'notices'>), notices };
  }

  async #found({ words, given: asked }: QueryRequest, at: string, edges: Edges) {
    const given = new Map([...Object.entries(asked as Record<string, Given>), ...givenOf({ from: this.file, at })]);
    const line = { flags: valuesOf(queryFlags, given), words, given };
    const query = await readQuery(line.flags, { given, indexes: {}, notice: (text) => void edges.io.stderr.write(`${text}\n`) }); // biome-ignore format: one call
    const asking = { line, edges, query, partOf: checkedPart, flag: 'at', as: { table: 'Object' } as const };
    return await answerAt(at, asking, ({ recorded, answered: { result, count, found } }) => {
      const freshness = [`as recorded at ${momentText(recorded.at)}; the recording goes until ${momentText(endOf(recorded.recording))}`]; // biome-ignore format: one line
      return { plan: query, result, count, found, at: recorded.at, freshness };
    });
  }

  /** Which recording it is, and how far it goes. */
  freshness(): string[] {
    using recording = Recording.open(this.file);
    return [
      `from the recording ${quotedText(this.file, 120)}, from ${momentText(recording.runs[0]?.began ?? 0)} until ${momentText(endOf(recording))}`,
    ];
  }

  /** Prints what happened to an object. */
  history(words: readonly string[], flags: FlagTexts, signal: AbortSignal): Promise<PrintedText> {
    return printedBy(this.#session, signal, (edges) => history(this.#line(words, flags), edges));
  }

  /** Prints the story of an object. */
  story(words: readonly string[], flags: FlagTexts, signal: AbortSignal): Promise<PrintedText> {
    return printedBy(this.#session, signal, (edges) => historyStory(this.#line(words, flags), edges));
  }

  /** Prints what differs between two moments. The first is not before the recording. */
  between(words: readonly string[], { since, until, ...flags }: Range, signal: AbortSignal): Promise<PrintedText> {
    using recording = Recording.open(this.file);
    const end = endOf(recording);
    const first = Math.max(recordedMoment(since, end, 'since'), recording.runs[0]?.began ?? 0);
    const last = Math.max(recordedMoment(until, end, 'until'), first);
    const everywhere = flags.namespace === undefined ? { 'all-namespaces': 'true' } : {};
    const between = `${momentText(first)},${momentText(last)}`;
    const given = givenOf({ ...flags, ...everywhere, between, from: this.file });
    const line = { flags: valuesOf(queryFlags, given), words, given };
    return printedBy(this.#session, signal, (edges) => runQuery(line, edges));
  }

  #line(words: readonly string[], flags: FlagTexts) {
    const all = { ...flags, from: this.file };
    return { words, given: givenOf(all), flags: historyFlagsOf(all) };
  }
}

type Range = FlagTexts & { readonly since: string; readonly until: string };

/** The last sign of life that it has of its cluster. */
const endOf = ({ runs }: Recording) => Math.max(0, ...runs.map(({ until }) => until));

/** The flags of `history`. */
export const historyFlagsOf = (flags: FlagTexts): HistoryFlags => valuesOf(historyFlags, givenOf(flags));
