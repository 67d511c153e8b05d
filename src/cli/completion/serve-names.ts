import { systemClock } from '../../kit/clock.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { askServe } from '../../serve/client/ask.ts';
import type { FoundServe } from '../../serve/find.ts';
import type { AnswerFrame, GivenFlag } from '../../serve/protocol.ts';

/** Which names are wanted. */
export interface NameScope {
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** How they begin. */
  readonly prefix: string;
}

const given = (...values: string[]): GivenFlag => ({ values, origin: 'flag' });

/** The names of objects that a serve holds; undefined if it does not hold them, or has ended. */
export async function namesFromServe(
  serve: FoundServe,
  type: ResourceType,
  { namespaces, prefix, limit }: NameScope & { limit: number },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const scope: Record<string, GivenFlag> = !type.namespaced
    ? {}
    : namespaces.includes('')
      ? { 'all-namespaces': given('true') }
      : { namespace: given(...namespaces) };
  const lines = await answerOf(
    serve,
    [formatGvr(type.gvr)],
    {
      ...scope,
      output: given('name'),
      limit: given(String(limit)),
      ...(prefix === '' ? {} : { name: given(`^${escaped(prefix)}`) }),
    },
    signal,
  );
  return lines?.map((line) => line.slice(line.lastIndexOf('/') + 1));
}

/** The lines that a serve answers to a question; undefined if it cannot. */
async function answerOf(
  serve: FoundServe,
  words: readonly string[],
  flags: Readonly<Record<string, GivenFlag>>,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  let text = '';
  const take = (frame: AnswerFrame) => {
    if ('out' in frame) text += frame.out;
  };
  const question = { words, given: flags, config: { indexes: {} }, terminal: { isTerminal: false }, env: {} };
  const asked = await askServe(serve, question, { signal, clock: systemClock, take });
  if (asked.kind !== 'answered' || asked.end.exitCode !== 0) return undefined;
  return text.split('\n').filter((line) => line !== '');
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
