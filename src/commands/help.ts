import { commandHelp, groupHelp, type HelpOptions, programHelp } from '../cli/help-page.ts';
import { groupOf, REGISTRY } from './registry.ts';

/**
 * The help of a command, of the only command of a group (`config`), of the commands of a group (`queue`), or without a
 * name of the program. Undefined when there is no such command.
 */
export async function helpText(name: string | undefined, options: HelpOptions): Promise<string | undefined> {
  if (name === undefined) return programHelp(REGISTRY, options);
  const names = Object.hasOwn(REGISTRY, name) ? [name] : groupOf(name);
  const [only, ...more] = names.flatMap((each) => REGISTRY[each] ?? []);
  if (more.length === 0) return only && commandHelp(await only(), options);
  return groupHelp(
    name,
    Object.fromEntries(Object.entries(REGISTRY).filter(([each]) => names.includes(each))),
    options,
  );
}
