import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { KeyChange, KeyChangeKind } from '../../ops/key-changes.ts';
import { changesOf } from '../../ops/program-pages.ts';
import { neutralised } from '../../output/escape.ts';
import { choice, type FlagValues, group } from '../args/flag.ts';
import type { Edges } from '../base-command.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { programFlags, programOf } from './find-program.ts';

/** The flags of `queue retry` and `queue drop`. */
export const changeFlags = {
  ...programFlags,
  ...group('OUTPUT', {
    output: choice(['text', 'json'], { char: 'o', summary: 'output format', default: 'text', noEnv: true }),
  }),
};

/** Changes the keys in a running program, and prints what was done to each. Exit code 1 if one was not changed. */
export async function changeKeysOf(
  kind: KeyChangeKind,
  { words, flags }: { words: readonly string[]; flags: FlagValues<typeof changeFlags> },
  { io, called }: Edges,
): Promise<ExitCode> {
  if (words.length === 0) {
    throw new InformerError('argument', `${called.split(' ').slice(-2).join(' ')} takes the keys`, {
      hint: `${called} NAMESPACE/NAME …; 'queue list -o name' prints them`,
    });
  }
  const program = await programOf(flags, io);
  const results = await changesOf(program, kind, [...new Set(words)], systemClock);
  if (flags.output === 'json') io.stdout.write(`${JSON.stringify({ program: program.about, results }, null, 2)}\n`);
  else for (const result of results) (result.ok ? io.stdout : io.stderr).write(`${neutralised(lineOf(result))}\n`);
  return results.every(({ ok }) => ok) ? ExitCode.ok : ExitCode.failed;
}

function lineOf({ key, text, ok, nearest = [] }: KeyChange): string {
  const meant = nearest.length > 0 ? `; did you mean ${nearest.join(', ')}?` : '';
  return `${ok ? '' : 'error: '}${key}: ${text}${meant}`;
}
