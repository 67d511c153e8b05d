import { InformerError } from '../../kit/error.ts';
import { StoryPrinter } from '../../story/story-printer.ts';
import { compiledOutputOf, painterOf } from '../session/output.ts';
import type { Io } from '../terminal/io.ts';

/** The flags by which a story is shown. */
export interface StoryOutputFlags {
  readonly output: string | undefined;
  readonly color: 'auto' | 'always' | 'never';
}

/** The printer that the flags ask for. Throws `argument` for another format than lines and JSON. */
export async function storyPrinterOf({ output, color }: StoryOutputFlags, { stdout, env }: Io): Promise<StoryPrinter> {
  const { traits } = (await compiledOutputOf({ output })).format;
  if (output !== undefined && !traits.linesOfJson)
    throw new InformerError('argument', `-o ${traits.called} cannot be used with --story`, {
      hint: 'a story has lines, or with -o json a record for each thing that happened',
    });
  return new StoryPrinter({
    painter: await painterOf({ color }, { stdout, env }),
    width: stdout.isTerminal ? () => stdout.columns : undefined,
    isJson: traits.linesOfJson,
  });
}

/** The error of words that do not name one object. */
export const notOneStory = (called: string) =>
  new InformerError('argument', 'a story is of one object, with all that it owns', {
    hint: `name it: ${called} deploy/web --story`,
  });
