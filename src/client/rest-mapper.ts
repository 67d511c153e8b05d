import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { type GroupVersionKind, type GroupVersionResource, sameGvr } from '../model/gvr.ts';
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

  constructor(discovery: DiscoverySource) {
    this.#discovery = discovery;
  }

  /** The type behind `pods`, `po`, `Pod`, `deployments.apps` or `deployments.v1.apps`. Throws `discovery` with kubectl's words and a hint. */
  async resolve(word: string): Promise<ResourceType> {
    const type = await this.find(word);
    if (type) return type;
    throw unknownType(word, await this.#discovery.snapshot());
  }

  /** As {@link resolve}, but undefined when the server has no such type. */
  find(word: string): Promise<ResourceType | undefined> {
    return this.#lookUp(({ types }) => typeNamed(types, word));
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
    const found = types.filter((type) => type.preferred && type.categories.includes(name) && type.verbs.includes('list'));
    return found.length > 0 ? found : undefined;
  }

  async #lookUp<R>(look: (snapshot: DiscoverySnapshot) => R | undefined): Promise<R | undefined> {
    const found = look(await this.#discovery.snapshot());
    if (found !== undefined || this.#discovery.isFresh()) return found;
    await this.#discovery.invalidate();
    return look(await this.#discovery.snapshot());
  }
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
