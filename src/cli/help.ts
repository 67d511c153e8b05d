import { CommandHelp, Help } from '@oclif/core';

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

/** The help of the program and its commands. */
export class PlainHelp extends Help {
  protected override CommandHelpClass = PlainCommandHelp;
}
