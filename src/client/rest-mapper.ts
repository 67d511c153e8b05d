import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { formatGroupResource, type GroupVersionKind, type GroupVersionResource, sameGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { DiscoverySnapshot } from './discovery-snapshot.ts';

/** Where a mapper gets its types from; {@link Discovery} is one. */
export interface DiscoverySource {
  snapshot(): Promise<DiscoverySnapshot>;
  isFresh(): boolean;
  invalidate(): Promise<void>;
}

/**
 * From what users write to types the server has. What is not found in a snapshot that may be old is looked for once more in a new one;
 * in a fresh one it is not. Source: client-go restmapper/discovery.go (deferred mapper), cli-runtime pkg/resource/builder.go (order of lookup).
 */
export class RestMapper {
  readonly #discovery: DiscoverySource;
  readonly #warn: (text: string) => void;

  /** `onWarning` hears of short names that several types have, in kubectl's words. */
  constructor(discovery: DiscoverySource, { onWarning = () => {} }: { onWarning?: ((text: string) => void) | undefined } = {}) {
    this.#discovery = discovery;
    this.#warn = onWarning;
  }

  /** The type behind `pods`, `po`, `Pod`, `deployments.apps` or `deployments.v1.apps`. Throws `discovery` with kubectl's words and a hint. */
  async resolve(word: string): Promise<ResourceType> {
    const type = await this.find(word);
    if (type) return type;
    throw unknownType(word, await this.#discovery.snapshot());
  }

  /** As {@link resolve}, but undefined when the server has no such type. */
  async find(word: string): Promise<ResourceType | undefined> {
    const type = await this.#lookUp(({ types }) => typeNamed(types, word));
    if (type) for (const other of sameShortName((await this.#discovery.snapshot()).types, word, type)) this.#warn(other);
    return type;
  }

  /** As {@link find}, but content with an old snapshot. */
  async known(word: string): Promise<ResourceType | undefined> {
    return typeNamed((await this.#discovery.snapshot()).types, word);
  }

  typeOf(gvr: GroupVersionResource): Promise<ResourceType | undefined> {
    return this.#lookUp(({ types }) => types.find((type) => sameGvr(type.gvr, gvr)));
  }

  /** The type of objects of a kind, as owner references and manifests name it. */
  typeOfKind({ group, version, kind }: GroupVersionKind): Promise<ResourceType | undefined> {
    return this.#lookUp(({ types }) =>
      types.find((type) => type.kind === kind && type.gvr.group === group && type.gvr.version === version),
    );
  }

  /** The listable types of a category such as `all`; undefined when there is no such category. */
  async category(name: string): Promise<ResourceType[] | undefined> {
    const { types } = await this.#discovery.snapshot();
    const known = membersOf(types, name);
    if (known || typeNamed(types, name)) return known; // to ask the server anew for every word that is a type would be a waste
    return this.#lookUp((snapshot) => membersOf(snapshot.types, name));
  }

  async #lookUp<R>(look: (snapshot: DiscoverySnapshot) => R | undefined): Promise<R | undefined> {
    const found = look(await this.#discovery.snapshot());
    if (found !== undefined || this.#discovery.isFresh()) return found;
    await this.#discovery.invalidate();
    return look(await this.#discovery.snapshot());
  }
}

function membersOf(types: readonly ResourceType[], category: string): ResourceType[] | undefined {
  const found = types.filter((type) => type.preferred && type.categories.includes(category) && type.verbs.includes('list'));
  return found.length > 0 ? found : undefined;
}

/** What kubectl says of the other types that a short name could have meant. Source: client-go restmapper/shortcut.go. */
function sameShortName(types: readonly ResourceType[], word: string, { gvr, singular }: ResourceType): string[] {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  if (name === gvr.resource || name === singular) return [];
  const others = types.filter(
    (type) => type.preferred && type.shortNames.includes(name) && (rest.length === 0 || type.gvr.group === gvr.group),
  );
  return others
    .filter((type) => type.gvr.group !== gvr.group || type.gvr.resource !== gvr.resource)
    .map((type) => `short name ${JSON.stringify(name)} could also match lower priority resource ${formatGroupResource(type.gvr)}`);
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

/** A group may be cut short (`ingresses.networking`); written out it goes before any it is the beginning of. */
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

/** A resource's own name goes before another's short name, and that before a kind; of equals, the one the server lists first. */
function bestNamed(types: readonly ResourceType[], name: string): ResourceType | undefined {
  const word = name.toLowerCase();
  return (
    types.find((type) => type.gvr.resource === word || type.singular === word) ??
    types.find((type) => type.shortNames.includes(word)) ??
    types.find((type) => type.kind.toLowerCase() === word)
  );
}

function unknownType(word: string, { types, failures }: DiscoverySnapshot): InformerError {
  const name = word.split('.', 1)[0] as string;
  const words = types.flatMap((type) => [type.gvr.resource, type.singular, ...type.shortNames]);
  const near = nearest(name, words).map((candidate) => JSON.stringify(candidate));
  const missing = failures.map(({ group }) => group);
  const hints = [
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'kubectl api-resources lists the types the server has',
    ...(missing.length > 0 ? [`not available at the moment: ${missing.join(', ')}`] : []),
  ];
  return new InformerError('discovery', `the server doesn't have a resource type ${JSON.stringify(name)}`, { hint: hints.join('; ') });
}
