import { readCommandLine, wordsOf } from './cli/args/argv.ts';
import { shapesOf } from './cli/args/flag.ts';
import { connectionFlags, habitFlags, outputFlags, selectionFlags } from './cli/args/shared-flags.ts';
import { PROGRAM_CONFIG } from './cli/base-command.ts';
import { reportError } from './cli/terminal/error-text.ts';
import { ExitCode } from './cli/terminal/exit-codes.ts';
import { type Io, processIo } from './cli/terminal/io.ts';
import { quietNodeWarnings } from './cli/terminal/node-warnings.ts';
import { finish } from './cli/terminal/process-end.ts';
import { groupOf, nameIn, REGISTRY } from './commands/registry.ts';
import { InformerError } from './kit/error.ts';
import { nearest } from './kit/nearest.ts';
import { calledName } from './package.ts';

/** Finds the command and runs it, or reports what is wrong with the line. Never rejects. */
export async function program(argv: readonly string[]): Promise<void> {
  const io = processIo();
  quietNodeWarnings((text) => void io.stderr.write(text));
  try {
    await dispatch(argv, io);
  } catch (error) {
    await finish(io, reportError(error, io));
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<void> {
  // Flags may precede the command; those of every command are known without loading one.
  const shared = shapesOf({ ...connectionFlags, ...selectionFlags, ...outputFlags, ...habitFlags });
  const found = wordsOf(argv, shared);
  const words = found.map(({ word }) => word);
  const [first] = words;
  if (first === undefined) {
    if (argv.length === 0 || readCommandLine(argv, shared).help) return finish(io, await showHelp(undefined, io));
    throw new InformerError('argument', 'a command is missing', { hint: commandsHint() });
  }
  if (first === 'help') return finish(io, await showHelp(nameIn(words.slice(1)), io));
  const name = nameIn(words) ?? first;
  if (groupOf(name).length > 0 && asksForHelp(argv, name, words)) return finish(io, await showHelp(name, io));
  const used = found.slice(0, name.split(' ').length).map(({ at }) => at);
  return runCommand(
    name,
    argv.filter((_, at) => !used.includes(at)),
    io,
  );
}

/** Also `queue` alone, which is no command: its help names those that begin with it. */
const asksForHelp = (argv: readonly string[], name: string, words: readonly string[]) =>
  argv.some((arg) => arg === '--help' || arg === '-h') || (words.length === 1 && !Object.hasOwn(REGISTRY, name));

async function runCommand(name: string, argv: readonly string[], io: Io): Promise<void> {
  const load = Object.hasOwn(REGISTRY, name) ? REGISTRY[name] : undefined;
  if (!load) throw unknownCommand(name);
  const Command = await load();
  await new Command([...argv], PROGRAM_CONFIG, {
    io,
    name,
    commands: REGISTRY,
    help: () => showHelp(name, io),
  }).start();
}

async function showHelp(name: string | undefined, io: Io): Promise<ExitCode> {
  const { helpText } = await import('./commands/help.ts');
  const text = await helpText(name, { bin: calledName(), columns: io.stdout.columns });
  if (text === undefined) throw unknownCommand(name ?? '');
  io.stdout.claimErrors(); // oclif listens for them, and throws all but EPIPE
  io.stdout.write(text);
  return ExitCode.ok;
}

/** Commands that kubectl users type first, with the command of this program. */
const HABITS: Readonly<Record<string, string>> = {
  get: 'query TYPE',
  events: 'watch events',
  wait: 'watch TYPE --for …',
  describe: 'query TYPE/NAME -o yaml',
  list: 'query TYPE',
  top: 'query pods --sum …',
  rollout: 'watch deploy/NAME --for rollout',
  explain: 'types TYPE',
};

/** Commands of kubectl with which this program has nothing to do. */
const OF_KUBECTL: ReadonlySet<string> = new Set(
  (
    'annotate api-resources api-versions apply attach auth autoscale certificate cluster-info cordon cp create debug ' +
    'delete diff drain edit exec expose kustomize label logs patch plugin port-forward proxy replace run scale set ' +
    'taint uncordon'
  ).split(' '),
);

function unknownCommand(word: string): InformerError {
  const group = groupOf(word).map((name) => `'${calledName()} ${name}'`);
  if (group.length > 0)
    throw new InformerError('argument', `${word} is incomplete`, { hint: `use ${group.join(' or ')}` });
  return new InformerError('argument', `unknown command "${word}"`, { hint: hintFor(word) });
}

function hintFor(word: string): string {
  const habit = Object.hasOwn(HABITS, word) ? HABITS[word] : undefined;
  if (habit) return `use '${calledName()} ${habit}'`;
  if (OF_KUBECTL.has(word)) return `kubectl has it: 'kubectl ${word}'`;
  const [close] = nearest(word, Object.keys(REGISTRY));
  if (close) return `did you mean '${calledName()} ${close}'?`;
  return `to look at a type, '${calledName()} query ${word}' or '${calledName()} watch ${word}'; '${calledName()} --help' lists the commands`;
}

function commandsHint(): string {
  return `commands are ${Object.keys(REGISTRY).join(', ')}; see '${calledName()} --help'`;
}
