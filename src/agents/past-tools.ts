import { liveHistory } from '../cli/record/live-history.ts';
import { isInformerError } from '../kit/error.ts';
import type { Found } from '../query/answer/found.ts';
import { type AgentAnswer, nothingRecorded } from './agent-caches.ts';
import { cachedStory } from './agent-story.ts';
import { quotedText } from './budget.ts';
import { freshnessLines } from './freshness-line.ts';
import { type PrintedText, printedBy } from './printed-text.ts';
import { historyFlagsOf, type RecordedAnswers } from './recorded-answers.ts';
import { type AnswerSource, askedWords, NotOne, nowOf, type Tool, type ToolContext, toolAnswer } from './tool.ts';
import type { Arguments } from './tool-schemas.ts';

/** Characters of a line about what happened. */
const LONGEST_LINE = 240;

/** A line about one moment begins with it, behind a sign in a comparison of two moments. */
const TIMED = /^(?:[-+~] )?\d{4}-\d\d-\d\dT/;

/** Printed lines as an answer: those without a time first, then what happened, the latest first. */
function toldOf({ text, notices }: PrintedText, source: AnswerSource, context: ToolContext): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const timed = lines.filter((line) => TIMED.test(line)).reverse();
  const rows = [...lines.filter((line) => !TIMED.test(line)), ...timed];
  const short = rows.map((line) => quotedText(line.trim().replace(/ {2,}/g, '  '), LONGEST_LINE));
  const head = rows.length === 0 ? ['nothing is known'] : [];
  return toolAnswer({ head, rows: short, narrow: (left) => [`${left} more, all older; narrow by since`] }, { ...source, notices }, context); // biome-ignore format: one line
}

/** Which times a recording lacks is said by what is read of it. */
const sourceOf = (recorded: RecordedAnswers): AnswerSource => ({ targets: [], freshness: recorded.freshness() });

interface OneObject {
  readonly words: string;
  readonly answer: AgentAnswer;
  readonly found: Found;
}

/** Objects of which the namespaces are said. */
const MOST_NAMED = 5;

/** The object that the words name. Throws {@link NotOne} for none, and for several. */
export async function oneObject(args: Arguments, context: ToolContext): Promise<OneObject> {
  const { caches, signal } = context;
  const words = askedWords(args);
  const flags = { namespace: args.text('namespace'), at: args.text('at'), limit: MOST_NAMED };
  const answer = await caches.find(words, flags, signal);
  const all = answer.result.kind === 'objects' ? answer.result.objects : [];
  const [found] = all;
  if (found && answer.count === 1) return { words, answer, found };
  const foot = answer.freshness ?? freshnessLines(answer.targets, nowOf(context));
  const where = flags.namespace ?? 'all namespaces';
  if (!found) throw new NotOne(`there is no ${words} in ${where}`, 'query with name finds similar names', foot);
  if (!/[/\s]/.test(words.trim()))
    throw new NotOne(`the name is missing: ${answer.count} ${words} are in ${where}`, 'name one of them', foot);
  const places = [...new Set(all.map(({ object, type }) => object.metadata.namespace ?? type.gvr.resource))].sort();
  const more = answer.count > all.length ? ', …' : '';
  const hint = places.length > 1 ? 'name the namespace of one' : 'name the type, the name and the namespace of one';
  throw new NotOne(`${answer.count} objects are called ${words}, in ${places.join(', ')}${more}`, hint, foot);
}

/** The text that a recording gives; undefined if it has not the type, or nothing of the object. */
async function toldByRecording(print: () => Promise<PrintedText>): Promise<PrintedText | undefined> {
  try {
    const printed = await print();
    return printed.text === '' ? undefined : printed;
  } catch (error) {
    if (isInformerError(error, 'discovery')) return undefined;
    throw error;
  }
}

const rangeOf = ({ text, number }: Arguments) => ({
  namespace: text('namespace'),
  since: text('since'),
  until: text('until'),
  limit: number('limit')?.toString(),
});

/** The story of an object out of the recording; undefined if it does not have it. */
export async function storyInRecording(args: Arguments, context: ToolContext): Promise<string | undefined> {
  const { recorded } = context.caches;
  const words = askedWords(args).split(/\s+/);
  const printed = recorded && (await toldByRecording(() => recorded.story(words, rangeOf(args), context.signal)));
  return recorded && printed && toldOf(printed, sourceOf(recorded), context);
}

/** Why an object is not ready, and what happened to it and to all that it owns, as far as the cluster knows it. */
export const storyTool: Tool = async (args, context) => {
  const { found } = await oneObject(args, context);
  const range = { since: args.text('since'), limit: args.number('limit') };
  const { targets, ...told } = await cachedStory(context.caches, { found, range }, context.signal);
  return toldOf(told, { targets }, context);
};

const changesOf = (args: Arguments) => ({ ...rangeOf(args), path: args.list('paths'), by: args.list('by') });

/** Whether the words name one object. */
async function isOneNamed(args: Arguments, { caches }: ToolContext): Promise<boolean> {
  const [selection, ...others] = await caches.session.resolve(askedWords(args).split(/\s+/), () => {});
  return others.length === 0 && selection?.names.length === 1;
}

/** The changes of one object, or of a type between two moments, out of the recording; undefined if it has nothing of it. */
export async function historyInRecording(args: Arguments, context: ToolContext): Promise<string | undefined> {
  const { recorded } = context.caches;
  const words = askedWords(args).split(/\s+/);
  const printed =
    recorded &&
    (await toldByRecording(async () => {
      if (await isOneNamed(args, context)) return await recorded.history(words, changesOf(args), context.signal);
      const { namespace, since = '10m', until = '0s' } = rangeOf(args);
      const range = { namespace, selector: args.text('labels'), since, until };
      const between = await recorded.between(words, range, context.signal);
      return { ...between, text: between.text || '\n' }; // that nothing differs is an answer
    }));
  return recorded && printed && toldOf(printed, sourceOf(recorded), context);
}

/** The last changes of one object that the cluster still knows. */
export const historyTool: Tool = async (args, context) => {
  const { session } = context.caches;
  if (!(await isOneNamed(args, context))) throw nothingRecorded('the history of more than one object');
  const chosen = ['paths', 'since', 'until'].filter((each) => args.list(each).length > 0);
  if (chosen.length > 0) throw nothingRecorded(`history by ${chosen.join(', ')}`);
  const { found } = await oneObject(args, context);
  const { name = '', namespace } = found.object.metadata;
  const flags = historyFlagsOf({ ...changesOf(args), namespace });
  const asked = { type: found.type, names: [name], versioned: true } as const;
  const told = await printedBy(session, context.signal, ({ io }) =>
    liveHistory(
      { ...session, signal: context.signal, io, notice: (line) => void io.stderr.write(`${line}\n`) },
      asked,
      flags,
    ),
  );
  return toldOf(told, { targets: [], freshness: ['read from the API server for this answer'] }, context);
};
