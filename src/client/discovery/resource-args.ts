import { InformerError } from '../../kit/error.ts';
import { formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { RestMapper } from './rest-mapper.ts';

/** A type named on a command line, with the names of its objects. No names = all objects. */
export interface ResourceSelection {
  readonly type: ResourceType;
  readonly names: readonly string[];
  /** Whether the arguments name the version too. */
  readonly versioned?: true | undefined;
}

/** The part of a {@link RestMapper} that {@link resolveResourceArgs} needs. */
export type TypeResolver = Pick<RestMapper, 'resolve' | 'known' | 'typeOf' | 'category'>;

/**
 * Reads arguments as kubectl does, with kubectl's errors: `pods`, `pods web-1 web-2`, `pod/web-1 deploy/web`,
 * `deploy,rs`, `all`. Also reads the triples `apps/v1/deployments`, `v1/pods`, `/v1/pods`, and both in one list. The arguments of one type
 * become one selection; selections are in the order of first mention.
 * Rejects with `argument` for a wrong form, and with `discovery` for a type that the server does not have.
 * Source: cli-runtime pkg/resource/builder.go ResourceTypeOrNameArgs.
 */
export async function resolveResourceArgs(args: readonly string[], mapper: TypeResolver): Promise<ResourceSelection[]> {
  const [first, ...names] = args.length === 1 ? args.map((arg) => wordsOf(arg).join(',')) : args;
  refuseParted(args);
  if (first === undefined)
    throw grammar('You must specify the type of resource', 'for example: pods, deploy/web or apps/v1/deployments');
  const words = [first, ...names];
  if (await isTypePath(first, mapper)) return merged(await typePaths(words, mapper));
  if (await isMixedList(first, mapper)) return merged(await mixedList(words, mapper));
  if (words.some((arg) => arg.includes('/'))) return merged(await slashForm(words, mapper));
  return merged(await typeAndNames(first, names, mapper));
}

/** The words between commas, without the blanks beside them. */
const wordsOf = (list: string) => list.split(',').map((word) => word.trim());

/** Refuses `pods, svc`: the shell makes two words of it, and the second would be a name. */
function refuseParted([first = '', second = '', ...more]: readonly string[]): void {
  if (second === '' || !(first.endsWith(',') || second.startsWith(','))) return;
  const isOpen = second.endsWith(',') || second === ',';
  const words = [first, second, ...(isOpen ? more : [])]
    .map((word) =>
      wordsOf(word)
        .filter((part) => part !== '')
        .join(','),
    )
    .filter((word) => word !== '');
  throw grammar(
    'there is a blank beside a comma in the list of types',
    `types are joined by commas without blanks: ${words.join(',')}`,
  );
}

/** Reads `TYPE[,TYPE…] [NAME…]`: every type with every name. */
async function typeAndNames(
  first: string,
  names: readonly string[],
  mapper: TypeResolver,
): Promise<ResourceSelection[]> {
  if (names.includes('')) throw grammar('resource name may not be empty');
  const words = unique(first.split(','));
  const found: ResourceSelection[] = [];
  for (const word of words) {
    const category = words.length > 1 && names.length > 0 ? undefined : await mapper.category(word);
    if (category && names.length > 0)
      throw grammar(
        'you must specify only one resource',
        `${JSON.stringify(word)} stands for ${category.length} types`,
      );
    if (category) found.push(...category.map((type) => ({ type, names })));
    else found.push(selectionOf(word, await mapper.resolve(word), names));
  }
  return found;
}

/** A selection. `things.v1.lab.example.com` names the version; `things` and `things.lab.example.com` do not. */
function selectionOf(word: string, type: ResourceType, names: readonly string[]): ResourceSelection {
  const { group, version } = type.gvr;
  const isVersioned = group !== '' && word.slice(word.indexOf('.') + 1) === `${version}.${group}`;
  return isVersioned ? { type, names, versioned: true } : { type, names };
}

/** Reads arguments that all have the form `TYPE/NAME`. */
async function slashForm(args: readonly string[], mapper: TypeResolver): Promise<ResourceSelection[]> {
  const selections: ResourceSelection[] = [];
  for (const [word, name] of pairsOf(args)) selections.push(selectionOf(word, await mapper.resolve(word), [name]));
  return selections;
}

function pairsOf(args: readonly string[]): [type: string, name: string][] {
  if (!args.every((arg) => arg.includes('/'))) throw mixedForms();
  return args.map((arg) => {
    const [type, name, ...more] = arg.split('/');
    if (more.length > 0)
      throw grammar(
        'arguments in resource/name form may not have more than one slash',
        'a triple is group/version/resource: apps/v1/deployments',
      );
    if (!type || !name || type.includes(','))
      throw grammar('arguments in resource/name form must have a single resource and name');
    return [type, name];
  });
}

/** Reads `GROUP/VERSION/RESOURCE…`, or one such argument (with types joined by commas) that names follow. */
async function typePaths(args: readonly string[], mapper: TypeResolver): Promise<ResourceSelection[]> {
  const [first = '', ...names] = args;
  if (names.length > 0 && names.every((name) => !name.includes('/'))) {
    if (names.includes('')) throw grammar('resource name may not be empty');
    return (await typesAt(first, mapper)).map((type) => ({ type, names, versioned: true }));
  }
  const selections: ResourceSelection[] = [];
  for (const arg of args) {
    if (!(await isTypePath(arg, mapper))) throw mixedForms();
    for (const type of await typesAt(arg, mapper)) selections.push({ type, names: [], versioned: true });
  }
  return selections;
}

/** Whether some types of a list are named by paths, and the others are not: `pods,apps/v1/deployments`. */
async function isMixedList(list: string, mapper: TypeResolver): Promise<boolean> {
  const parts = list.split(',');
  const paths = parts.filter((part) => part.includes('/'));
  return paths.length > 0 && paths.length < parts.length && (await isTypePath(paths.join(','), mapper));
}

/** Reads a list of paths and words, with every type of it the names that follow. */
async function mixedList([list = '', ...names]: readonly string[], mapper: TypeResolver): Promise<ResourceSelection[]> {
  if (names.some((name) => name.includes('/'))) throw mixedForms();
  const found: ResourceSelection[] = [];
  for (const part of unique(list.split(',')))
    found.push(
      ...(await (part.includes('/') ? typePaths([part, ...names], mapper) : typeAndNames(part, names, mapper))),
    );
  return found;
}

async function typesAt(arg: string, mapper: TypeResolver): Promise<ResourceType[]> {
  return Promise.all(
    arg.split(',').map(async (path) => {
      const gvr = typeAt(path);
      const type = await mapper.typeOf(gvr);
      if (type) return type;
      throw new InformerError(
        'discovery',
        `the server doesn't have a resource type ${JSON.stringify(formatGvr(gvr))}`,
        {
          hint: `is the version right? ${gvr.resource} without group and version finds the one the server prefers`,
        },
      );
    }),
  );
}

/** The type that a path names. Its last part may be a kind, as kubectl allows it in other forms. */
function typeAt(path: string): GroupVersionResource {
  const parts = path.split('/');
  const [group, version, resource] = parts.length === 2 ? ['', ...parts] : parts;
  return { group: group === 'core' ? '' : (group ?? ''), version: version ?? '', resource: resource ?? '' };
}

const VERSION = /^v\d+((alpha|beta)\d+)?$/;

/** Whether an argument names a type by its path. `v1/pods` is the object `pods` if there is a type `v1`. */
async function isTypePath(arg: string, mapper: TypeResolver): Promise<boolean> {
  for (const path of arg.split(',')) {
    const parts = path.split('/');
    if (
      parts.length === 3
        ? !(VERSION.test(parts[1] as string) && parts[2])
        : !(parts.length === 2 && VERSION.test(parts[0] as string) && parts[1])
    )
      return false;
    if (parts.length === 2 && (await mapper.known(parts[0] as string))) return false;
  }
  return true;
}

function merged(selections: readonly ResourceSelection[]): ResourceSelection[] {
  const byType = new Map<string, { type: ResourceType; names: string[]; all: boolean; versioned: boolean }>();
  for (const { type, names, versioned } of selections) {
    const id = formatGvr(type.gvr);
    const entry = byType.get(id) ?? { type, names: [], all: false, versioned: false };
    entry.names.push(...names);
    entry.all ||= names.length === 0;
    entry.versioned ||= versioned === true;
    byType.set(id, entry);
  }
  return [...byType.values()].map(({ type, names, all, versioned }) => ({
    type,
    names: all ? [] : unique(names),
    ...(versioned ? { versioned } : {}),
  }));
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

function mixedForms(): InformerError {
  return grammar(
    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
  );
}

function grammar(message: string, hint?: string): InformerError {
  return new InformerError('argument', message, { hint });
}
