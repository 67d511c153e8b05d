import { messageOf } from '../../kit/error.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { objectsIn, textOr, textsIn } from '../decode/lenient-lists.ts';
import type { DiscoveryFailure, DiscoverySnapshot } from './discovery-snapshot.ts';

/** The response of /api. Source: apimachinery meta/v1 APIVersions. */
export interface ApiVersions {
  kind: 'APIVersions';
  versions?: string[];
}

/** The response of /apis. Source: apimachinery meta/v1 APIGroupList. */
export interface ApiGroupList {
  kind: 'APIGroupList';
  groups?: { name: string; versions: { version: string }[]; preferredVersion?: { version: string } }[];
}

/** The response of /apis/GROUP/VERSION. Source: apimachinery meta/v1 APIResourceList. */
export interface ResourceList {
  resources?: {
    name: string;
    singularName?: string;
    namespaced?: boolean;
    kind: string;
    verbs?: string[];
    shortNames?: string[];
    categories?: string[];
  }[];
}

/** A group version and the path that lists its resources. */
export interface GroupVersionPath {
  readonly group: string;
  readonly version: string;
  readonly path: string;
}

/** The group versions in the server's order, with the preferred version of each group first. */
export function groupVersionsOf(root: ApiVersions | ApiGroupList): GroupVersionPath[] {
  if (root.kind === 'APIVersions')
    return textsIn(root.versions).map((version) => ({ group: '', version, path: `/api/${version}` }));
  const groups = objectsIn(root.groups).filter(({ name }) => typeof name === 'string');
  return groups.flatMap(({ name, versions, preferredVersion }) => {
    const all = textsIn(objectsIn(versions).map(({ version }) => version));
    const first = preferredVersion?.version;
    const ordered = first !== undefined && all.includes(first) ? [first, ...all.filter((v) => v !== first)] : all;
    return ordered.map((version) => ({ group: name, version, path: `/apis/${name}/${version}` }));
  });
}

/** The types in the responses. A group version without a response becomes a failure. */
export function typesOfLegacy(
  groupVersions: readonly GroupVersionPath[],
  lists: readonly PromiseSettledResult<ResourceList>[],
): DiscoverySnapshot {
  const types: ResourceType[] = [];
  const failures: DiscoveryFailure[] = [];
  const seen = new Set<string>();
  groupVersions.forEach((groupVersion, i) => {
    const list = lists[i];
    if (list?.status === 'fulfilled') types.push(...typesOfList(groupVersion, list.value, seen));
    else
      failures.push({ group: formatGroupVersion(groupVersion), message: messageOf(list?.reason), error: list?.reason });
  });
  return { types, failures };
}

function typesOfList({ group, version }: GroupVersionPath, list: ResourceList, seen: Set<string>): ResourceType[] {
  const resources = objectsIn(list.resources).filter(
    ({ name, kind }) => typeof name === 'string' && typeof kind === 'string',
  );
  const subresources = Map.groupBy(
    resources.filter(({ name }) => name.includes('/')),
    ({ name }) => name.split('/', 1)[0] as string,
  );
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, singularName, namespaced, verbs, shortNames, categories }) => {
      const id = `${name}.${group}`;
      const preferred = !seen.has(id);
      seen.add(id);
      return {
        gvr: { group, version, resource: name },
        kind,
        singular: textOr(singularName, '') || kind.toLowerCase(),
        shortNames: textsIn(shortNames),
        categories: textsIn(categories),
        namespaced: namespaced === true,
        verbs: textsIn(verbs),
        subresources: (subresources.get(name) ?? []).map((sub) => sub.name.slice(name.length + 1)),
        preferred,
      };
    });
}
