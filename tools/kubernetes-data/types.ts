import type { Exchange } from './recordings.ts';

/** `types.json`: the types by group and version, then by resource, in discovery order. */
export type TypesData = Readonly<Record<string, Readonly<Record<string, TypeData>>>>;

export interface TypeData {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: Readonly<Record<string, object>>;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface DiscoveryList {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredType[] }[];
  }[];
}

interface DiscoveredType {
  readonly resource: string;
  readonly responseKind: Kind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: Kind;
    readonly verbs: readonly string[];
  }[];
}

/** The types that aggregated discovery lists. Without recordings of both `/api` and `/apis` the data stays as it is. */
export function updateTypes(data: TypesData, exchanges: readonly Exchange[]): TypesData {
  const [core, named] = [discoveryAt('/api', exchanges), discoveryAt('/apis', exchanges)];
  if (!core || !named) return data;
  const versions = [...core.items, ...named.items].flatMap((group) =>
    group.versions.map(({ version, resources }) => {
      const name = group.metadata.name ? `${group.metadata.name}/${version}` : version;
      return [name, Object.fromEntries(resources.map((type) => [type.resource, typeOf(type)]))] as const;
    }),
  );
  return Object.fromEntries(versions);
}

/** The first recording: later ones can contain custom types. */
function discoveryAt(path: string, exchanges: readonly Exchange[]): DiscoveryList | undefined {
  return exchanges
    .filter(({ request }) => request.path === path)
    .map(({ response }) => response.body as Partial<DiscoveryList> | undefined)
    .find((body): body is DiscoveryList => body?.kind === 'APIGroupDiscoveryList');
}

function typeOf({
  responseKind,
  scope,
  shortNames = [],
  categories = [],
  verbs,
  subresources = [],
}: DiscoveredType): TypeData {
  return {
    kind: responseKind.kind,
    namespaced: scope === 'Namespaced',
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    verbs,
    ...(subresources.length > 0
      ? { subresources: Object.fromEntries(subresources.map((sub) => [sub.subresource, subresourceOf(sub)])) }
      : {}),
  };
}

function subresourceOf({
  responseKind: { group, version, kind },
  verbs,
}: NonNullable<DiscoveredType['subresources']>[number]): object {
  return { ...(version ? { group, version } : {}), kind, verbs };
}
