import { shellWord } from '../cli/args/shell-word.ts';
import { type CheckResult, ok, skipped, warning } from './finding.ts';
import { filesOnPath, isSameFile, type OnPath, packageVersionOf } from './on-path.ts';

const PLUGIN = 'kubectl-informer';
const COMPLETION = 'kubectl_complete-informer';
const INSTALL = `npm install -g ${PLUGIN}`;

export interface PluginSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The file of the running program. */
  readonly program: string;
  /** The first words of all commands, which a longer name of another plugin could take. */
  readonly commands: readonly string[];
}

/** Whether there is a kubectl, which is what finds plugins. */
export function kubectlFound({ env }: PluginSurroundings): CheckResult {
  const [first] = filesOnPath(env, (name) => name === 'kubectl').filter((each) => each.isExecutable);
  if (first) return ok(first.file);
  const path = 'https://kubernetes.io/docs/tasks/tools/';
  return warning('kubectl is not on PATH; the program can still be called kubectl-informer', `install it: ${path}`);
}

/** Which file `kubectl informer` runs, and whether it is this program. */
export function pluginFound({ env, program }: PluginSurroundings): CheckResult {
  const all = filesOnPath(env, (name) => name === PLUGIN);
  const [first, ...others] = all.filter((each) => each.isExecutable);
  const [unusable] = all.filter((each) => !each.isExecutable);
  if (!first && unusable)
    return warning(
      `kubectl does not run ${unusable.file}: it is not executable`,
      `chmod +x ${shellWord(unusable.file)}`,
    );
  if (!first) return warning(`${PLUGIN} is not on PATH, so kubectl does not find it`, INSTALL);
  const copies = others.filter((each) => !isSameFile(each.file, first.file));
  const shadowed = copies.length > 0 ? `; it wins over ${copies.map(described).join(', ')}` : '';
  const found = `kubectl informer runs ${described(first)}`;
  if (!isSameFile(first.file, program))
    return warning(
      `${found}, and not this program (${described({ file: program })})${shadowed}`,
      `rm ${shellWord(first.file)}, or put the folder of the right one first on PATH`,
    );
  if (copies.length === 0) return ok(found);
  return warning(`${found}${shadowed}`, `remove the others: rm ${copies.map(({ file }) => shellWord(file)).join(' ')}`);
}

/** Plugins with longer names, which kubectl prefers: `kubectl-informer-watch` takes `kubectl informer watch`. */
export function longerNamesFound({ env, commands }: PluginSurroundings): CheckResult {
  const longer = filesOnPath(env, (name) => name.startsWith(`${PLUGIN}-`)).filter((each) => each.isExecutable);
  const taking = longer.filter(({ name }) => commands.includes(wordOf(name)));
  if (taking.length === 0) return ok(`no other plugin takes a command of kubectl informer`);
  const texts = taking.map(({ name, file }) => `kubectl informer ${wordOf(name)} runs ${file}`);
  return warning(
    `kubectl prefers longer names: ${texts.join(', ')}`,
    `rm ${taking.map(({ file }) => shellWord(file)).join(' ')}`,
  );
}

/** The first word of a longer name: `watch` of kubectl-informer-watch-pods. */
const wordOf = (name: string) => name.slice(PLUGIN.length + 1).split('-', 1)[0] ?? '';

/** Whether kubectl finds the helper that completes our words. */
export function completionFound({ env }: PluginSurroundings): CheckResult {
  if (process.platform === 'win32') return skipped('the helper is a script for bash, zsh and fish');
  const all = filesOnPath(env, (name) => name === COMPLETION);
  const [first] = all.filter((each) => each.isExecutable);
  if (first) return ok(first.file);
  const [unusable] = all;
  if (unusable)
    return warning(`${unusable.file} is not executable: TAB completes nothing`, `chmod +x ${shellWord(unusable.file)}`);
  return warning(`${COMPLETION} is not on PATH: after kubectl informer TAB completes nothing`, INSTALL);
}

function described({ file }: Pick<OnPath, 'file'>): string {
  return `${file} (version ${packageVersionOf(file, PLUGIN) ?? 'unknown'})`;
}
