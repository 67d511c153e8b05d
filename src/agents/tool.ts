import type { WatchTarget } from '../cli/session/informers.ts';
import { InformerError } from '../kit/error.ts';
import type { RequestedPart } from '../serve/hold/cached-view.ts';
import type { AgentCaches } from './agent-caches.ts';
import { type AnswerParts, fitted, type Line, quotedText } from './budget.ts';
import { freshnessLines } from './freshness-line.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { Arguments } from './tool-schemas.ts';

/** The caches that a tool works with, and its limits. */
export interface ToolContext {
  readonly caches: AgentCaches;
  readonly changes: RecentChanges;
  /** Tokens of the answer. */
  readonly budget: number;
  /** Aborts when the agent does not wait any more. */
  readonly signal: AbortSignal;
  /** Says how far a long call is; undefined if the agent did not ask for it. */
  readonly progress: ((progress: Progress) => void) | undefined;
}

/** How far a call is, in seconds, and what it waits for: words of the cluster. */
export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly text: string;
}

export type Tool = (args: Arguments, context: ToolContext) => Promise<string>;

export const nowOf = ({ caches }: ToolContext) => caches.session.clock.now();

export const clockText = (ms: number) => new Date(ms).toISOString().slice(0, 19).concat('Z');

/** The flags of `query` that choose objects, and the moment of a recording that is asked. */
export const selection = ({ text, list }: Arguments) => ({
  namespace: text('namespace'),
  selector: text('labels'),
  'field-selector': text('fields'),
  where: list('where'),
  filter: list('filter'),
  name: text('name'),
  eq: list('eq'),
  in: list('in'),
  prefix: list('prefix'),
  range: list('range'),
  index: list('index'),
  at: text('at'),
});

/** The words that name types and objects, as on a command line. */
export const askedWords = ({ text }: Arguments): string => {
  const [type = '', name] = [text('type'), text('name')];
  return name === undefined || type.includes('/') ? type : `${type} ${name}`;
};

/** Not one object was found. `foot` says how current the caches are that were asked: what they lack may be there. */
export class NotOne extends InformerError {
  readonly foot: readonly string[];

  constructor(message: string, hint: string, foot: readonly string[]) {
    super('argument', message, { hint });
    this.foot = foot;
  }
}

/** Where an answer comes from. */
export interface AnswerSource {
  readonly targets: readonly WatchTarget[];
  readonly notices?: readonly string[] | undefined;
  /** How current it is. Default: as the caches are. */
  readonly freshness?: readonly string[] | undefined;
}

const noticeLines = (notices: readonly string[]): Line[] =>
  notices.slice(0, 3).map((text) => ({ quoted: quotedText(text, 200) }));

export function toolAnswer(parts: Omit<AnswerParts, 'foot'>, source: AnswerSource, context: ToolContext) {
  const { targets, notices = [], freshness = freshnessLines(targets, nowOf(context)) } = source;
  return fitted({ ...parts, foot: [...noticeLines(notices), ...freshness] }, context.budget);
}

export const partIn = ({ text }: Arguments): Omit<RequestedPart, 'names'> & RequestedPart => ({
  names: [],
  namespaces: text('namespace')?.split(',') ?? [''],
  selector: text('labels'),
  fieldSelector: text('fields'),
});
