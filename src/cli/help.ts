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

/** Gathers what oclif would print. */
class PlainHelp extends Help {
  protected override CommandHelpClass = PlainCommandHelp;
  text = '';

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
  return help.text;
}
