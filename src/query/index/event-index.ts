import type { ReadonlyObject } from '../../model/object.ts';
import type { IndexDefinition } from './index-definition.ts';
import type { OwnerIndexOptions } from './owner-index.ts';
import { listedSpelling, meantSpellings, type NamedReference, spellingsOf } from './reference-spellings.ts';

interface AboutObject extends NamedReference {
  readonly namespace?: string | undefined;
}

/**
 * The index of what Events are about: `--eq event=pod/web-1`. An Event is found under the uid of its object, under
 * `kind/name` and `kind.group/name`, and under these after `namespace/`. It reads `involvedObject` of core/v1 and
 * `regarding` of events.k8s.io/v1. No other object has a value.
 */
export function eventIndex({ kindOf, listsNamespaces = false }: OwnerIndexOptions = {}): IndexDefinition {
  return {
    name: 'event',
    key: 'event',
    from: 'involvedObject or regarding of an Event',
    stable: true,
    isReference: true,
    seen: [['involvedObject'], ['regarding']],
    valuesOf(object) {
      const about = aboutOf(object);
      return about === undefined ? [] : spellingsOf(about, about.namespace);
    },
    listed(object) {
      const about = aboutOf(object);
      return about === undefined ? [] : [listedSpelling(about, listsNamespaces ? about.namespace : undefined)];
    },
    normalise: (value) => meantSpellings(value, kindOf ?? (() => undefined)),
  };
}

function aboutOf(object: ReadonlyObject): AboutObject | undefined {
  const { involvedObject, regarding } = object as { involvedObject?: unknown; regarding?: unknown };
  const about = involvedObject ?? regarding;
  if (typeof about !== 'object' || about === null) return undefined;
  const { apiVersion, kind, name, namespace, uid } = about as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const found = {
    apiVersion: text(apiVersion),
    kind: text(kind),
    name: text(name),
    namespace: text(namespace),
    uid: text(uid),
  };
  return found.uid === undefined && found.kind === undefined ? undefined : found;
}
