import { CommandHelp, Config, Help } from '@oclif/core';

/** oclif's help, in kubectl's grammar: no `--no-flag`, the summary once, and lists whose first line stands where the others do. */
class PlainCommandHelp extends CommandHelp {
  protected override description(): string | undefined {
    const { description } = this.command;
    return description ? this.wrap(description) : undefined;
  }

  protected override flagHelpLabel(...[flag, showOptions]: Parameters<CommandHelp['flagHelpLabel']>): string {
    return super.flagHelpLabel({ ...flag, ...(flag.type === 'boolean' ? { allowNo: false } : {}) } as typeof flag, showOptions);
  }

  /** oclif cuts the blanks off the whole list, and so moves its first line. */
  override renderList(...[rows, options]: Parameters<CommandHelp['renderList']>): string {
    const [first = ''] = rows[0] ?? [];
    const lead = first.length - first.trimStart().length;
    return ' '.repeat(lead) + super.renderList(rows, options);
  }
}

/** Commands in the order in which people come to need them; any other after these. */
const ORDER = ['watch', 'query', 'reconcile', 'sandbox'];

const rankOf = (id: string) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);

/** What to type first. */
const FIRST_STEPS: readonly (readonly [command: string, what: string])[] = [
  ['watch pods -A --sandbox --live', 'without a cluster: a shop in which something goes on'],
  ['watch deploy/web -o changes', 'which fields change, and who changes them'],
  ['watch deploy/web --for rollout', 'wait for a rollout'],
  ['query pods -A --values image', 'which images run, and how often'],
];

/** Gathers what oclif would print. */
class PlainHelp extends Help {
  protected override CommandHelpClass = PlainCommandHelp;
  text = '';

  protected override formatCommands(...[commands]: Parameters<Help['formatCommands']>): string {
    return super.formatCommands([...commands].sort((a, b) => rankOf(a.id) - rankOf(b.id)));
  }

  /** Behind the lists of commands. */
  firstSteps(): string {
    const { bin } = this.config;
    const width = Math.max(...FIRST_STEPS.map(([command]) => command.length));
    const lines = FIRST_STEPS.map(([command, what]) => `  $ ${bin} ${command.padEnd(width)}  ${what}`);
    return `TRY\n${lines.join('\n')}\n\nEvery command has its flags and examples behind --help.\n`;
  }

  protected override log(...parts: string[]): void {
    this.text += `${parts.join(' ')}\n`;
  }
}

export interface HelpOptions {
  /** What the program is called. */
  readonly bin: string;
  readonly version: string;
  /** The folder of package.json. */
  readonly root: string;
  /** Of the terminal; undefined when it is none. */
  readonly columns?: number | undefined;
}

/** No text is set wider than this, nor narrower than the other. */
export const HELP_WIDTHS = { widest: 110, narrowest: 60 } as const;

/** The help of a command, or of the whole program. */
export async function renderHelp(command: string | undefined, { bin, version, root, columns }: HelpOptions): Promise<string> {
  const config = await Config.load({ root, version });
  Object.assign(config, { bin });
  const maxWidth = Math.max(HELP_WIDTHS.narrowest, Math.min(columns ?? HELP_WIDTHS.widest, HELP_WIDTHS.widest));
  const help = new PlainHelp(config, { ...config.pjson.oclif.helpOptions, maxWidth, stripAnsi: true });
  await help.showHelp(command?.split(' ') ?? []);
  return command === undefined ? `${help.text.trimEnd()}\n\n${help.firstSteps()}` : help.text;
}
