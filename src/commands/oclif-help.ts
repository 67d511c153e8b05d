import type { Command } from '@oclif/core';
import { HelpBase } from '@oclif/core/help';
import { processIo } from '../cli/terminal/io.ts';
import { calledName } from '../package.ts';
import { helpText } from './help.ts';
import { nameIn } from './registry.ts';

/** Our help where oclif shows it: `oclif.helpClass` in package.json. */
export default class InformerHelp extends HelpBase {
  async showHelp(argv: string[]): Promise<void> {
    const words = argv.filter((word) => !word.startsWith('-') && word !== 'help').flatMap((word) => word.split(':'));
    await this.#print(nameIn(words));
  }

  async showCommandHelp({ id }: Command.Loadable): Promise<void> {
    await this.#print(id.replaceAll(':', ' '));
  }

  async #print(name: string | undefined): Promise<void> {
    const { stdout } = processIo();
    stdout.write((await helpText(name, { bin: calledName(), columns: stdout.columns })) ?? '');
    await stdout.drained();
  }
}
