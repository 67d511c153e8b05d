import { commandHelp, type HelpOptions, programHelp } from '../cli/help-page.ts';
import { groupOf, REGISTRY } from './registry.ts';

/**
 * The help of a command, of the only command of a group (`config`), or without a name of the program. Undefined when
 * there is no such command.
 */
export async function helpText(name: string | undefined, options: HelpOptions): Promise<string | undefined> {
  if (name === undefined) return programHelp(REGISTRY, options);
  const [only, ...more] = Object.hasOwn(REGISTRY, name) ? [name] : groupOf(name);
  const load = only === undefined || more.length > 0 ? undefined : REGISTRY[only];
  return load && commandHelp(await load(), options);
}
