import { refuseUnknown } from '../cli/args/config-file.ts';
import { choice, group } from '../cli/args/flag.ts';
import { configFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand, type CommandClass, type Registry } from '../cli/base-command.ts';
import { type ConfigRow, settingsOf } from '../cli/config-rows.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class ConfigShowCommand extends BaseCommand {
  static override summary = 'Show the settings of each command, and their origin';
  static override description =
    'A flag on the command line has precedence over the environment (KUBECTL_INFORMER_<FLAG>), the environment over the config file (commands.NAME over defaults), and the config file over built-in defaults.';
  static override usage = 'config show [COMMAND] [-o json|yaml]';
  static override examples = [
    { description: 'All settings', command: '<%= config.bin %> config show' },
    { description: 'Those of watch, as data', command: '<%= config.bin %> config show watch -o json' },
  ];
  static override flags = {
    ...group('OUTPUT', {
      output: choice(['table', 'json', 'yaml'], { char: 'o', summary: 'output format', default: 'table', noEnv: true }),
    }),
    ...configFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(ConfigShowCommand.flags);
    const { io, config, commands } = this.edges;
    const classes = await withSettings(commands);
    refuseUnknown(words, [...classes.keys()], 'commands that have settings are named, and there is');
    const names = words.length > 0 ? words : [...classes.keys()];
    const rows = settingsOf(classes, config, io.env).filter(({ command }) => command === '' || names.includes(command));
    io.stdout.write(await printed(rows, flags.output));
    const { path: file, isThere } = config;
    if (flags.output === 'table')
      io.stderr.write(isThere ? `from ${file}\n` : `there is no config file${file && ` (it would be ${file})`}\n`);
    return ExitCode.ok;
  }
}

/** The commands that take defaults from the file, but for this one, which shows them. */
async function withSettings(commands: Registry): Promise<Map<string, CommandClass>> {
  const all = await Promise.all(Object.entries(commands).map(async ([name, load]) => [name, await load()] as const));
  return new Map(all.filter(([, command]) => 'config' in command.flags && command !== ConfigShowCommand));
}

async function printed(rows: readonly ConfigRow[], format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'yaml') return (await import('js-yaml')).dump(rows);
  const { framedTable } = await import('../output/tables/framed-table.ts');
  if (rows.length === 0) return '';
  return framedTable(
    ['COMMAND', 'SETTING', 'VALUE', 'ORIGIN'],
    rows.map(({ command, setting, value, origin }) => [command, setting, value, origin]),
  );
}
