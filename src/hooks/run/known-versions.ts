import type { Clock } from '../../kit/clock.ts';
import { formatGroupResource, type GroupResource, parseGvr } from '../../model/gvr.ts';
import { compareResourceVersions, isComparable, type ResourceVersion } from '../../model/resource-version.ts';
import type { HookRequest } from '../hook.ts';

/** The variable in which a hook's program gets the versions that its run knows of. */
export const VERSIONS_VARIABLE = 'INFORMER_VERSIONS';

/** A write is remembered this long, ms: a cache that is further behind says so, and a restored server has lower versions. */
const KEPT_MS = 60_000;

/**
 * The newest versions of one server by type that a run of a hook knows of: those of the objects that led to it, and
 * those that the hook's actions made within the last minute. Versions without an order are left out.
 */
export class KnownVersions {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #written = new Map<string, { readonly version: ResourceVersion; readonly at: number }>();

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** Notes the version that a write of an action made. */
  wrote(type: GroupResource, version: ResourceVersion | undefined): void {
    const name = formatGroupResource(type);
    const newest = newer(this.#kept(name), version);
    if (newest !== undefined) this.#written.set(name, { version: newest, at: this.#clock.monotonic() });
  }

  /** The variable of a run's program. */
  of({ gvr, object, causes }: Pick<HookRequest, 'gvr' | 'object' | 'causes'>): Record<string, string> {
    const versions = new Map<string, ResourceVersion>();
    const note = (name: string, version: ResourceVersion | undefined) => {
      const newest = newer(versions.get(name), version);
      if (newest !== undefined) versions.set(name, newest);
    };
    for (const name of this.#written.keys()) note(name, this.#kept(name));
    note(formatGroupResource(parseGvr(gvr)), object?.metadata.resourceVersion);
    for (const { source = '', resourceVersion } of causes) note(source, resourceVersion);
    return { [VERSIONS_VARIABLE]: JSON.stringify({ server: this.#server, versions: Object.fromEntries(versions) }) };
  }

  #kept(name: string): ResourceVersion | undefined {
    const known = this.#written.get(name);
    return known && this.#clock.monotonic() - known.at < KEPT_MS ? known.version : undefined;
  }
}

/** The newer one of two versions; undefined if none has an order. */
function newer(one: ResourceVersion | undefined, other: ResourceVersion | undefined): ResourceVersion | undefined {
  if (other === undefined || !isComparable(other)) return one;
  return one !== undefined && (compareResourceVersions(one, other) ?? 0) > 0 ? one : other;
}

/** The versions by type that the text of the variable has for a server; none if it is of another server, or damaged. */
export function knownVersions(text: string, server: string): ReadonlyMap<string, ResourceVersion> {
  try {
    const known = JSON.parse(text) as { server?: unknown; versions?: object } | null;
    const versions = known?.server === server ? Object.entries(known.versions ?? {}) : [];
    return new Map(versions.filter(([, version]) => typeof version === 'string' && isComparable(version)));
  } catch {
    return new Map();
  }
}
