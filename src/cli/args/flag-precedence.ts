import { nearest } from '../../kit/nearest.ts';
import { neutralised } from '../../output/escape.ts';
import { type CommandLine, ENV_PREFIX, readCommandLine, variableOf, withMore } from './argv.ts';
import { type ConfigFile, lookupIn, NO_CONFIG, readConfigFile, refuseUnknown } from './config-file.ts';
import { type Flags, shapesOf } from './flag.ts';
import { checkConnectionFlags } from './useless-flags.ts';
import { withView } from './views.ts';

/** Where flags may be set, and where warnings go. */
interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stderr: { write(text: string): unknown };
}

/** All commands, to be loaded for their flags. */
type Commands = Readonly<Record<string, () => Promise<{ readonly flags: Flags }>>>;

interface ReadLine {
  readonly line: CommandLine;
  readonly config: ConfigFile;
}

/** The line, then the environment, then the user's file: the first that says something of a flag wins. */
export async function readLine(
  argv: readonly string[],
  { flags, takesViews }: { readonly flags: Flags; readonly takesViews: boolean },
  { io, name, commands }: { readonly io: Surroundings; readonly name: string; readonly commands: Commands },
): Promise<ReadLine> {
  const shapes = shapesOf(flags);
  const line = readCommandLine(argv, shapes, io.env);
  if (line.help) return { line, config: NO_CONFIG };
  const known = shapes.map((shape) => shape.name);
  if (known.includes('context')) checkConnectionFlags(line.given); // not of the command that is a server
  await warnOfVariables(known, io, commands);
  if (!known.includes('config')) return { line, config: NO_CONFIG };
  const config = await readConfigFile(line.given.get('config')?.values[0], io.env);
  await refuseStrays(config, known, commands);
  const viewed = takesViews ? withView(line, shapes, { file: config, command: name }) : line;
  return { line: withMore(viewed, shapes, 'file', lookupIn(config, name, known)), config };
}

/**
 * Variables that begin like ours and set nothing: named with what may have been meant. Other commands' flags are looked
 * at only then.
 */
async function warnOfVariables(known: readonly string[], io: Surroundings, commands: Commands): Promise<void> {
  const own = new Set(known.map(variableOf));
  const strays = Object.keys(io.env).filter((name) => name.startsWith(ENV_PREFIX) && !own.has(name));
  if (strays.length === 0) return;
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const variables = new Set(all.flatMap((command) => Object.keys(command.flags)).map(variableOf));
  for (const name of strays.filter((stray) => !variables.has(stray)).sort()) {
    const [near] = nearest(
      name.slice(ENV_PREFIX.length),
      [...variables].map((variable) => variable.slice(ENV_PREFIX.length)),
      1,
    );
    io.stderr.write(
      `Warning: ${neutralised(name)} sets no flag${near ? `; did you mean ${ENV_PREFIX}${near}?` : ''}\n`,
    );
  }
}

/** A default that this command does not have may be another's; the others are loaded only to find that out. */
async function refuseStrays(
  { path, defaults }: ConfigFile,
  known: readonly string[],
  commands: Commands,
): Promise<void> {
  const strays = Object.keys(defaults).filter((flag) => !known.includes(flag));
  if (strays.length === 0) return;
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const flags = all.flatMap((command) => Object.keys(command.flags));
  refuseUnknown(strays, flags, `${path}: defaults has`);
}
