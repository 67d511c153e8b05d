import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { normalizeArgv, wordsOf } from './cli/argv.ts';
import type { BaseCommand } from './cli/base-command.ts';
import { describeError, ExitCode as Exit, type ExitCode, exitCodeOf, finish } from './cli/exit.ts';
import { connectionFlags, habitFlags, outputFlags, selectionFlags, shapesOf } from './cli/flags.ts';
import type { Io } from './cli/io.ts';
import { abortOnSignals, Interrupted } from './cli/signals.ts';
import type { CommandClass } from './commands/index.ts';
import { InformerError } from './kit/error.ts';
import { nearest } from './kit/nearest.ts';
import { VERSION } from './package.ts';

const LOADERS: Readonly<Record<string, () => Promise<CommandClass>>> = {
  watch: async () => (await import('./commands/watch.ts')).default,
  query: async () => (await import('./commands/query.ts')).default,
  reconcile: async () => (await import('./commands/reconcile.ts')).default,
  sandbox: async () => (await import('./commands/sandbox.ts')).default,
  version: async () => (await import('./commands/version.ts')).default,
};

/** Finds the command, runs it, words its errors and picks the exit code. Never rejects. */
export async function program(argv: readonly string[], io: Io): Promise<void> {
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
  const first = wordsOf(argv, shared)[0];
  if (first === undefined) {
    if (argv.length === 0 || normalizeArgv(argv, shared).help) return showHelp([]);
    throw new InformerError('argument', 'a command is missing', { hint: commandsHint() });
  }
  const rest = [...argv.slice(0, first.at), ...argv.slice(first.at + 1)];
  if (first.word === 'help') return showHelp(wordsOf(rest, shared).map((w) => w.word));
  return (await command(first.word)).run(rest, io);
}

async function command(word: string): Promise<{ run(argv: readonly string[], io: Io): Promise<ExitCode> }> {
  const load = Object.hasOwn(LOADERS, word) ? LOADERS[word] : undefined;
  if (!load) throw unknownCommand(word);
  const Command = await load();
  return { run: (argv, io) => runCommand(word, Command, argv, io) };
}

async function runCommand(word: string, Command: CommandClass, argv: readonly string[], io: Io): Promise<ExitCode> {
  const normal = normalized(word, Command, argv, io);
  if (normal.help) return showHelp([word]);
  const { Config } = await import('@oclif/core');
  io.stdout.claimErrors(); // oclif listens for them, and throws all but EPIPE
  const config = await Config.load({ root: packageRoot(), version: VERSION });
  Object.assign(config, { bin: programName() });
  Command.id = word;
  const instance: BaseCommand = new Command(normal.argv, config);
  const controller = new AbortController();
  const atOnce = new Set<() => void>();
  using _ = abortOnSignals(controller, () => {
    for (const act of atOnce) act();
  });
  instance.edges = { io, signal: controller.signal, atOnce };
  return (await instance.execute()) as ExitCode;
}

function normalized(word: string, Command: CommandClass, argv: readonly string[], io: Io): ReturnType<typeof normalizeArgv> {
  try {
    return normalizeArgv(argv, shapesOf(Command.flags), io.env);
  } catch (error) {
    if (error instanceof InformerError && error.hint === undefined) {
      throw new InformerError('argument', error.message, { hint: `see '${programName()} ${word} --help' for usage` });
    }
    throw error;
  }
}

async function showHelp(words: string[]): Promise<ExitCode> {
  const [{ Config }, { PlainHelp }] = await Promise.all([import('@oclif/core'), import('./cli/help.ts')]);
  const config = await Config.load({ root: packageRoot(), version: VERSION });
  if (words[0] !== undefined && !Object.hasOwn(LOADERS, words[0])) throw unknownCommand(words[0]);
  Object.assign(config, { bin: programName() });
  await new PlainHelp(config, config.pjson.oclif.helpOptions).showHelp(words.slice(0, 1));
  return Exit.ok;
}

function unknownCommand(word: string): InformerError {
  const [close] = nearest(word, Object.keys(LOADERS));
  const hint = close ? `did you mean '${programName()} ${close}'?` : commandsHint();
  return new InformerError('argument', `unknown command "${word}"`, { hint });
}

function commandsHint(): string {
  return `commands are ${Object.keys(LOADERS).join(', ')}; see '${programName()} --help'`;
}

/** As the user calls it: through kubectl when installed under the plugin's name. */
function programName(): string {
  return path.basename(process.argv[1] ?? '').startsWith('kubectl-') ? 'kubectl informer' : 'kubectl-informer';
}

/** The folder of package.json, above dist/ or src/. */
function packageRoot(): string {
  return path.dirname(path.dirname(realpathSync(fileURLToPath(import.meta.url))));
}
