import { builtin } from '../../kit/builtin.ts';
import { calledName, versionLine } from '../../package.ts';

/** Widths the build sets help in; what is not a terminal gets the first. */
export const SET_WIDTHS = [80, 110] as const;

/** The file of a help text that the build has set, relative to the entry. */
export function helpFile(command: string | undefined, name: string, width: number): string {
  return `help/${command ?? 'index'}.${name.includes(' ') ? 'plugin' : 'program'}.${width}.txt`;
}

/**
 * Answers `--version` and plain requests for help from texts made by the build, with nothing loaded: completion,
 * scripts and `| head` ask for them more often than people do. Gives false for everything else, and where there is no
 * such text.
 */
export function answerAtOnce(argv: readonly string[]): boolean {
  const text = argv.length === 1 && argv[0] === '--version' ? versionLine() : helpText(argv);
  if (text === undefined) return false;
  put(Buffer.from(text));
  return true;
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h';
const isCommand = (word: string | undefined): word is string =>
  word !== undefined && /^[a-z]+$/.test(word) && word !== 'help';

function helpText(argv: readonly string[]): string | undefined {
  const [first, second] = argv;
  if (argv.length > 2) return undefined;
  if (first === undefined || (second === undefined && (isHelp(first) || first === 'help'))) return textOf(undefined);
  if (isCommand(first) && isHelp(second)) return textOf(first);
  return first === 'help' && isCommand(second) ? textOf(second) : undefined;
}

function textOf(command: string | undefined): string | undefined {
  const columns = terminalColumns();
  const width = SET_WIDTHS.findLast((set) => set <= columns);
  if (width === undefined) return undefined;
  const file = new URL(helpFile(command, calledName(), width), import.meta.url);
  const fs = builtin.fs();
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

/** Asks the stream only where a terminal is possible: making it costs more than the rest of the answer. */
function terminalColumns(): number {
  const isDevice = builtin.fs().fstatSync(1).isCharacterDevice();
  return (isDevice ? process.stdout.columns : undefined) ?? SET_WIDTHS[0];
}

function put(bytes: Buffer): void {
  let at = 0;
  try {
    while (at < bytes.length) at += builtin.fs().writeSync(1, bytes, at);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') process.stdout.write(bytes.subarray(at));
    else if (code !== 'EPIPE') {
      process.stderr.write(`error: cannot write to stdout: ${message}\n`);
      process.exitCode = 1;
    }
  }
}
