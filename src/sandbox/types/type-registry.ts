import { formatGroupVersion, type GroupVersionResource } from '../../model/gvr.ts';
import type { ApiType } from './api-type.ts';

/** One version of a group with its types, in discovery order. */
export interface ServedVersion {
  readonly version: string;
  readonly types: readonly ApiType[];
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

/** The types that are served now. They change with CustomResourceDefinitions; every change increases `generation`. */
export class TypeRegistry {
  #types: ApiType[];
  #byPath = new Map<string, ApiType>();
  #byKind = new Map<string, ApiType>();
  #groups: ServedGroup[] = [];
  #generation = 0;

  constructor(types: readonly ApiType[]) {
    this.#types = [...types];
    this.#index();
  }

  /** The number of changes so far, for caches and ETags. */
  get generation(): number {
    return this.#generation;
  }

  /** Built-in groups in the server's order, then custom groups by name. The name of the core group is ''. */
  get groups(): readonly ServedGroup[] {
    return this.#groups;
  }

  get all(): readonly ApiType[] {
    return this.#types;
  }

  find(gvr: GroupVersionResource): ApiType | undefined {
    return this.#byPath.get(`${gvr.group}/${gvr.version}/${gvr.resource}`);
  }

  /** The type of objects with this apiVersion and kind. */
  findKind(apiVersion: string, kind: string): ApiType | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.find((g) => g.name === name);
  }

  version(group: string, version: string): ServedVersion | undefined {
    return this.group(group)?.versions.find((v) => v.version === version);
  }

  /** Replaces the types of one stored resource. */
  put(storage: string, types: readonly ApiType[]): void {
    this.#types = [...this.#types.filter((t) => t.storage !== storage), ...types];
    this.#index();
  }

  #index(): void {
    this.#generation++;
    this.#byPath = new Map(this.#types.map((t) => [`${t.gvr.group}/${t.gvr.version}/${t.gvr.resource}`, t]));
    // so that the first type of a kind wins
    const readable = this.#types.filter((t) => t.verbs.includes('get')).reverse();
    this.#byKind = new Map(readable.map((t) => [`${formatGroupVersion(t.gvr)} ${t.kind}`, t]));
    this.#groups = [...groupsOf(this.#types.filter((t) => !t.custom)), ...customGroupsOf(this.#types)];
  }
}

function customGroupsOf(types: readonly ApiType[]): ServedGroup[] {
  return groupsOf(types.filter((t) => t.custom)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function groupsOf(types: readonly ApiType[]): ServedGroup[] {
  const groups = new Map<string, Map<string, ApiType[]>>();
  for (const type of types) {
    const versions = groups.get(type.gvr.group) ?? new Map<string, ApiType[]>();
    groups.set(type.gvr.group, versions);
    versions.set(type.gvr.version, [...(versions.get(type.gvr.version) ?? []), type]);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions].map(([version, served]) => ({ version, types: served })),
  }));
}
