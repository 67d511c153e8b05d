import { BaseCommand } from '../cli/base-command.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { versionLine } from '../package.ts';

export default class VersionCommand extends BaseCommand {
  static override summary = 'Print the version of the program and of Node';
  static override usage = 'version';
  static override flags = {};

  async execute(): Promise<ExitCode> {
    this.readFlags(VersionCommand.flags);
    this.edges.io.stdout.write(versionLine());
    return ExitCode.ok;
  }
}
