import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine, wordsOf } from './cli/argv.ts';
import type { CommandClass } from './cli/base-command.ts';
import { describeError, ExitCode as Exit, type ExitCode, exitCodeOf, finish } from './cli/exit.ts';
import { connectionFlags, habitFlags, outputFlags, selectionFlags, shapesOf } from './cli/flags.ts';
import type { Io } from './cli/io.ts';
import { quietNodeWarnings } from './cli/node-warnings.ts';
import { Interrupted } from './cli/signals.ts';
import { InformerError } from './kit/error.ts';
import { nearest } from './kit/nearest.ts';
import { calledName, VERSION } from './package.ts';

const LOADERS: Readonly<Record<string, () => Promise<CommandClass>>> = {
  watch: async () => (await import('./commands/watch.ts')).default,
  query: async () => (await import('./commands/query.ts')).default,
  reconcile: async () => (await import('./commands/reconcile.ts')).default,
  sandbox: async () => (await import('./commands/sandbox.ts')).default,
  'config show': async () => (await import('./commands/config-show.ts')).default,
  version: async () => (await import('./commands/version.ts')).default,
};

/** Finds the command, runs it, words its errors and picks the exit code. Never rejects. */
export async function program(argv: readonly string[], io: Io): Promise<void> {
  quietNodeWarnings((text) => void io.stderr.write(text));
  await finish(io, await exitCode(argv, io));
}

async function exitCode(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    if (io.stdout.closed.aborted) return Exit.ok; // nobody reads any more: why is told at the end
    io.stderr.write(describeError(error));
    return exitCodeOf(error);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  // Flags may stand before the command; those every command has are known without loading one.
  const shared = shapesOf({ ...connectionFlags, ...selectionFlags, ...outputFlags, ...habitFlags });
  const words = wordsOf(argv, shared);
  const [first] = words;
  if (first === undefined) {
    if (argv.length === 0 || readCommandLine(argv, shared).help) return showHelp(undefined, io);
    throw new InformerError('argument', 'a command is missing', { hint: commandsHint() });
  }
  if (first.word === 'help') return showHelp(nameIn(words.slice(1)), io);
  const name = nameIn(words);
  const used = words.slice(0, name?.split(' ').length).map(({ at }) => at);
  return runCommand(
    name,
    argv.filter((_, at) => !used.includes(at)),
    io,
  );
}

/** The command that words begin with: `watch`, or `config show`. */
function nameIn(words: readonly { word: string }[]): string | undefined {
  const [first, second] = words.map(({ word }) => word);
  const both = `${first} ${second}`;
  return Object.hasOwn(LOADERS, both) ? both : first;
}

async function runCommand(name: string | undefined, argv: readonly string[], io: Io): Promise<ExitCode> {
  const load = name !== undefined && Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  if (name === undefined || !load) throw unknownCommand(name ?? '');
  const Command = await load();
  const code = await Command.run(argv, { io, name, called: `${calledName()} ${name}`, commands: LOADERS });
  return code === 'help' ? showHelp(name, io) : code;
}

async function showHelp(command: string | undefined, io: Io): Promise<ExitCode> {
  if (command !== undefined && !Object.hasOwn(LOADERS, command)) throw unknownCommand(command);
  const { renderHelp } = await import('./cli/help.ts');
  const text = await renderHelp(command, { bin: calledName(), version: VERSION, root: packageRoot(), columns: io.stdout.columns });
  io.stdout.claimErrors(); // oclif listens for them, and throws all but EPIPE
  io.stdout.write(text);
  return Exit.ok;
}

/** What kubectl users type first. */
const HABITS: Readonly<Record<string, string>> = {
  get: 'watch TYPE',
  events: 'watch events',
  wait: 'watch TYPE --for …',
  describe: 'watch TYPE/NAME -o yaml',
  list: 'query TYPE',
};

function unknownCommand(word: string): InformerError {
  const group = Object.keys(LOADERS).filter((name) => name.startsWith(`${word} `));
  if (group.length > 0) throw new InformerError('argument', `${word} needs to know what to do`, { hint: `there is: ${group.join(', ')}` });
  const [close] = nearest(word, Object.keys(LOADERS));
  const habit = HABITS[word];
  if (habit) return new InformerError('argument', `unknown command "${word}"`, { hint: `use '${calledName()} ${habit}'` });
  const hint = close ? `did you mean '${calledName()} ${close}'?` : `to watch a type, '${calledName()} watch ${word}'; ${commandsHint()}`;
  return new InformerError('argument', `unknown command "${word}"`, { hint });
}

function commandsHint(): string {
  return `commands are ${Object.keys(LOADERS).join(', ')}; see '${calledName()} --help'`;
}

/** The folder of package.json, above dist/ or src/. */
function packageRoot(): string {
  return path.dirname(path.dirname(realpathSync(fileURLToPath(import.meta.url))));
}
