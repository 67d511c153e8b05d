import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { type CommandLine, type FlagShape, type Given, withMore } from './argv.ts';
import type { ConfigFile, View } from './config-file.ts';
import { shellWord } from './shell-word.ts';

/**
 * The command line with a saved query in place of its name: `@crashing -n shop` has the words and flags of the view
 * `crashing`, and its own. A flag of the line replaces that of the view; expressions that may be given several times
 * are added to it. What the view says comes before the environment. Throws `argument` for a view that is not there, and
 * for flags that the command does not have.
 */
export function withView(
  line: CommandLine,
  shapes: readonly FlagShape[],
  { file, command }: { file: ConfigFile; command: string },
): CommandLine {
  const [first = '', ...words] = line.words;
  const stray = words.find((word) => word.startsWith('@'));
  if (stray !== undefined)
    throw new InformerError('argument', `${stray} is not in its place: a view is the first word, and the only view`, {
      hint: `for example ${command} ${first.startsWith('@') ? first : stray} NAME`,
    });
  if (!first.startsWith('@')) return line;
  const name = first.slice(1);
  const view = viewOf(name, file);
  const where = `views.${name}.flags`;
  checkFlags(view, shapes, { name, command });
  const lookup = (flag: string) =>
    view.flags[flag] && { values: view.flags[flag], label: `${where}.${flag} in ${file.path}` };
  const typed = { ...line, given: new Map([...line.given].filter(([flag, given]) => !yields(flag, given, view))) };
  const joined = withMore({ ...typed, words: [...view.words, ...words] }, shapes, 'file', lookup);
  for (const shape of shapes) {
    const given = typed.given.get(shape.name);
    if (given === undefined || !shape.repeatable || shape.split) continue;
    (joined.given as Map<string, Given>).set(shape.name, {
      ...given,
      values: [...unnamedIn(given, view.flags[shape.name], shape.name), ...given.values],
    });
  }
  return joined;
}

/** A view overrides environment variables, also where one flag is about the other. */
function yields(flag: string, { origin }: Given, { flags }: View): boolean {
  const scope = ['namespace', 'all-namespaces'];
  const isOfView = flag in flags || (scope.includes(flag) && scope.some((name) => name in flags));
  return origin === 'environment' && isOfView;
}

/** The values of a view beside those of the line; an index of the line replaces that of the same name. */
function unnamedIn({ values }: Given, ofView: readonly string[] = [], flag: string): readonly string[] {
  if (flag !== 'index') return ofView;
  const names = values.map((text) => text.split('=')[0]);
  return ofView.filter((text) => !names.includes(text.split('=')[0]));
}

function viewOf(name: string, { views, path }: ConfigFile): View {
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (view) return view;
  const names = Object.keys(views);
  const [near] = nearest(name, names, 1);
  throw new InformerError(
    'argument',
    name === '' ? '@ is followed by the name of a view' : `there is no view ${JSON.stringify(name)}`,
    {
      hint:
        names.length === 0
          ? `views are saved queries in the config file${path && ` ${path}`}, which has none`
          : `${near && name !== '' ? `did you mean @${near}? ` : ''}The views are ${names.map((each) => `@${each}`).join(', ')}`,
    },
  );
}

function checkFlags(
  { flags }: View,
  shapes: readonly FlagShape[],
  { name, command }: { name: string; command: string },
): void {
  const known = shapes.map((shape) => shape.name);
  const stray = Object.keys(flags).find((flag) => !known.includes(flag));
  if (stray === undefined) return;
  const [near] = nearest(stray, known, 1);
  throw new InformerError('argument', `the view ${name} has --${stray}, which ${command} does not have`, {
    hint: near ? `did you mean --${near}?` : `views are made for query; 'query @${name}' may know it`,
  });
}

/** A view as it would be typed. */
export function viewText({ words, flags }: View): string {
  const parts = Object.entries(flags).flatMap(([flag, values]) =>
    values.map((value) => (value === 'true' ? `--${flag}` : `--${flag}=${shellWord(value)}`)),
  );
  return [...words.map(shellWord), ...parts].join(' ');
}
