import { causesOf, InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { formatGroupResource, type GroupVersionKind, type GroupVersionResource, sameGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isThrottled, statusOf } from '../../model/status.ts';
import type { DiscoveryFailure, DiscoverySnapshot } from './discovery-snapshot.ts';

/** The source of a mapper's types, such as {@link Discovery}. */
export interface DiscoverySource {
  snapshot(): Promise<DiscoverySnapshot>;
  isFresh(): boolean;
  invalidate(): Promise<void>;
}

/**
 * Maps the words that users write to types of the server. A word that is not in the snapshot is looked up once more in
 * a new snapshot, unless the first one is fresh.
 * Source: client-go restmapper/discovery.go (deferred mapper), cli-runtime pkg/resource/builder.go (order of lookup).
 */
export class RestMapper {
  readonly #discovery: DiscoverySource;
  readonly #warn: (text: string) => void;

  /** `onWarning` is called with kubectl's warning if several types have a short name. */
  constructor(
    discovery: DiscoverySource,
    { onWarning = () => {} }: { onWarning?: ((text: string) => void) | undefined } = {},
  ) {
    this.#discovery = discovery;
    this.#warn = onWarning;
  }

  /**
   * The type of `pods`, `po`, `Pod`, `deployments.apps` or `deployments.v1.apps`. If there is none, rejects with
   * `discovery`, kubectl's message and a hint, or with `transport` if a part of the API that may have it did not
   * answer.
   */
  async resolve(word: string): Promise<ResourceType> {
    const type = await this.find(word);
    if (type) return type;
    throw unknownType(word, await this.#discovery.snapshot());
  }

  /** As {@link resolve}, but undefined if the server has no such type. */
  async find(word: string): Promise<ResourceType | undefined> {
    const type = await this.#lookUp(({ types }) => typeNamed(types, word));
    if (type) checkCore(type, word, await this.#discovery.snapshot());
    if (type)
      for (const other of sameShortName((await this.#discovery.snapshot()).types, word, type)) this.#warn(other);
    return type;
  }

  /** As {@link find}, but never fetches a new snapshot. */
  async known(word: string): Promise<ResourceType | undefined> {
    return typeNamed((await this.#discovery.snapshot()).types, word);
  }

  /** The type with this group, version and resource or kind: `apps/v1/deployments` or `apps/v1/Deployment`. */
  typeOf(gvr: GroupVersionResource): Promise<ResourceType | undefined> {
    const isAlike = ({ gvr: { group, version }, kind }: ResourceType) =>
      group === gvr.group && version === gvr.version && kind === gvr.resource;
    return this.#lookUp(({ types }) => types.find((type) => sameGvr(type.gvr, gvr)) ?? types.find(isAlike));
  }

  /** The type of a kind, as owner references and manifests name it. */
  typeOfKind({ group, version, kind }: GroupVersionKind): Promise<ResourceType | undefined> {
    return this.#lookUp(({ types }) =>
      types.find((type) => type.kind === kind && type.gvr.group === group && type.gvr.version === version),
    );
  }

  /** The listable types of a category such as `all`. Undefined if there is none. Warns if some types may be missing. */
  async category(name: string): Promise<ResourceType[] | undefined> {
    const { types } = await this.#discovery.snapshot();
    const known = membersOf(types, name);
    const isType = !known && typeNamed(types, name) !== undefined;
    if (isType) return undefined; // no need to fetch again for a word that is a type
    const members = known ?? (await this.#lookUp((snapshot) => membersOf(snapshot.types, name)));
    const { failures } = await this.#discovery.snapshot();
    const unasked = failures.map(({ group, message }) => `${partName(group)} (${message})`);
    if (members && unasked.length > 0)
      this.#warn(`${name} may stand for more types: could not ask for ${unasked.join(', ')}`);
    return members;
  }

  async #lookUp<R>(look: (snapshot: DiscoverySnapshot) => R | undefined): Promise<R | undefined> {
    const found = look(await this.#discovery.snapshot());
    if (found !== undefined || this.#discovery.isFresh()) return found;
    await this.#discovery.invalidate();
    return look(await this.#discovery.snapshot());
  }
}

/** Refuses a type of another group while the core types are missing: `pods` would mean the pods of that group. */
function checkCore(type: ResourceType, word: string, { failures }: DiscoverySnapshot): void {
  const core = failures.find(({ group }) => group === 'core');
  if (core && type.gvr.group !== '' && !word.includes('.')) throw unasked(word, [core], '');
}

function membersOf(types: readonly ResourceType[], category: string): ResourceType[] | undefined {
  const found = types.filter(
    (type) => type.preferred && type.categories.includes(category) && type.verbs.includes('list'),
  );
  return found.length > 0 ? found : undefined;
}

/** kubectl's warnings about other types with the same short name. Source: client-go restmapper/shortcut.go. */
function sameShortName(types: readonly ResourceType[], word: string, { gvr, singular }: ResourceType): string[] {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  if (name === gvr.resource || name === singular) return [];
  const others = types.filter(
    (type) => type.preferred && type.shortNames.includes(name) && (rest.length === 0 || type.gvr.group === gvr.group),
  );
  return others
    .filter((type) => type.gvr.group !== gvr.group || type.gvr.resource !== gvr.resource)
    .map(
      (type) =>
        `short name ${JSON.stringify(name)} could also match lower priority resource ${formatGroupResource(type.gvr)}`,
    );
}

function typeNamed(types: readonly ResourceType[], word: string): ResourceType | undefined {
  const [name = '', ...rest] = word.split('.');
  const [version, ...group] = rest;
  if (version !== undefined && group.length > 0) {
    const exact = types.filter((type) => type.gvr.version === version && type.gvr.group === group.join('.'));
    const found = bestNamed(exact, name);
    if (found) return found;
  }
  return ofGroup(
    types.filter((type) => type.preferred),
    name,
    rest.join('.'),
  );
}

/** The type of a group, which may be shortened (`ingresses.networking`). A group with exactly this name comes first. */
function ofGroup(types: readonly ResourceType[], name: string, group: string): ResourceType | undefined {
  if (group === '') return bestNamed(types, name);
  return (
    bestNamed(
      types.filter((type) => type.gvr.group === group),
      name,
    ) ??
    bestNamed(
      types.filter((type) => type.gvr.group.startsWith(group)),
      name,
    )
  );
}

/** The best match: a resource name, then a short name, then a kind; among equals the first in the server's order. */
function bestNamed(types: readonly ResourceType[], name: string): ResourceType | undefined {
  const word = name.toLowerCase();
  return (
    types.find((type) => type.gvr.resource === word || type.singular === word) ??
    types.find((type) => type.shortNames.includes(word)) ??
    types.find((type) => type.kind.toLowerCase() === word)
  );
}

/** A hint that says how to write the type with this name in another group or version. */
function elsewhere({ gvr }: ResourceType, word: string): string {
  const { group, version, resource } = gvr;
  const asked = word.slice(word.indexOf('.') + 1);
  const isOther = group !== '' && (asked === group || asked.endsWith(`.${group}`));
  if (isOther) return `${formatGroupResource(gvr)} is served as ${version}: write ${resource}.${version}.${group}`;
  const place = group === '' ? 'the core group' : `the group ${group}`;
  return `${resource} is in ${place}, not in ${asked}: write ${group === '' ? `${resource} or ${version}/${resource}` : formatGroupResource(gvr)}`;
}

/** The error for an unknown type. If a part of the API that may have it did not answer, it says that instead. */
function unknownType(word: string, { types, failures }: DiscoverySnapshot): InformerError {
  const name = word.split('.', 1)[0] as string;
  const namesakes = [...new Set(types.filter((type) => bestNamed([type], name)).map((type) => elsewhere(type, word)))];
  const words = types.flatMap((type) => [type.gvr.resource, type.singular, ...type.shortNames]);
  const near = nearest(name, words).map((candidate) => JSON.stringify(candidate));
  const hint =
    namesakes.length > 0
      ? namesakes.slice(0, 3).join('; ')
      : near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : 'kubectl api-resources lists the types the server has';
  const relevant = failures.filter((failure) => mayHold(failure, word));
  if (relevant.length > 0) return unasked(word, relevant, near.length > 0 && namesakes.length === 0 ? `${hint} ` : '');
  return new InformerError('discovery', `the server doesn't have a resource type ${JSON.stringify(name)}`, { hint });
}

function unasked(word: string, failures: readonly DiscoveryFailure[], hint: string): InformerError {
  const named = failures.map(({ group, message }) => `${partName(group)} (${message})`).join(', ');
  const error = new InformerError(
    'transport',
    `cannot find out whether the server has a resource type ${JSON.stringify(word)}: could not ask for ${named}`,
    {
      cause: failures[0]?.error,
      hint: `${hint}The server, or a proxy in front of it, failed: try again`.trim(),
    },
  );
  if (!failures.some(({ group }) => Object.hasOwn(ROOTS, group))) ofSingleGroups.add(error);
  return error;
}

/** The two parts of every server. Each other part is a group, which may have a server of its own. */
const ROOTS: Readonly<Record<string, string>> = { core: 'the core types', apis: 'the API groups' };
const ofSingleGroups = new WeakSet<Error>();

/**
 * Whether the server did not say which types it has because it fails (5xx) or is busy (429): it may answer later. A
 * single group may fail without end, such as an aggregated API whose server is gone, so that does not count.
 */
export function isUnavailable(error: unknown): boolean {
  const { code = 0 } = statusOf(error) ?? {};
  return (code >= 500 || isThrottled(error)) && ![...causesOf(error)].some((each) => ofSingleGroups.has(each as Error));
}

const partName = (group: string) => ROOTS[group] ?? group;

/** Whether a type with this name may be in the part of the API that did not answer. */
function mayHold({ group: part }: DiscoveryFailure, word: string): boolean {
  const [, ...rest] = word.split('.');
  const [version = ''] = rest;
  if (rest.length === 0) return true;
  if (part === 'core') return rest.length === 1 && /^v\d/.test(version);
  if (part === 'apis') return true;
  const group = part.split('/', 1)[0] as string;
  return [rest, rest.slice(1)].some((parts) => parts.length > 0 && group.startsWith(parts.join('.')));
}
