import { BaseCommand } from '../cli/base-command.ts';
import { optionsHelp } from '../cli/help-page.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { calledName } from '../package.ts';

export default class OptionsCommand extends BaseCommand {
  static override summary = 'List the flags that all commands share';
  static override usage = 'options';
  static override flags = {};

  async execute(): Promise<ExitCode> {
    this.readFlags(OptionsCommand.flags);
    const { stdout } = this.edges.io;
    stdout.write(optionsHelp({ bin: calledName(), columns: stdout.columns }));
    return ExitCode.ok;
  }
}
