import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { eventIndex } from './event-index.ts';
import { type IndexDefinition, indexTexts } from './index-definition.ts';
import { type OwnerIndexOptions, ownerIndex } from './owner-index.ts';
import { configMapsOf, imagesOf, NODE_FIELDS, nodeOf, secretsOf, serviceAccountsOf } from './pod-references.ts';
import { volumeClaimsOf } from './volume-claims.ts';

/**
 * The indexes that lookups may name: the built-in ones (`namespace`, `label:KEY`, `owner`, `node`, `image`, `phase`,
 * `configmap`, `secret`, `serviceaccount`, `pvc`, `event`) and the declared ones. A declared index replaces a built-in
 * one with the same name. Two declared indexes with the same name throw `argument`.
 */
export class IndexCatalog {
  readonly #definitions = new Map<string, IndexDefinition>();

  constructor(declared: readonly IndexDefinition[] = [], options: OwnerIndexOptions = {}) {
    for (const definition of declared) {
      if (this.#definitions.has(definition.name))
        throw new InformerError('argument', `the index "${definition.name}" is declared twice`);
      this.#definitions.set(definition.name, definition);
    }
    for (const definition of [...BUILT_IN, ownerIndex(options), eventIndex(options)]) {
      if (!this.#definitions.has(definition.name)) this.#definitions.set(definition.name, definition);
    }
  }

  /** The index with this name. Throws `argument` with the known names if there is none. */
  get(name: string): IndexDefinition {
    const found = this.#definitions.get(name) ?? labelIndex(name);
    if (found) return found;
    const [near] = nearest(name, this.#definitions.keys(), 1);
    throw new InformerError('argument', `there is no index named "${name}"${near ? `; did you mean "${near}"?` : ''}`, {
      hint: `the indexes are ${this.names().join(', ')}; declare another with --index ${name}=JSONPATH or =CEL`,
    });
  }

  /** All names, those of declared indexes first. `label:KEY` means one index for each label key. */
  names(): string[] {
    return [...this.#definitions.keys(), 'label:KEY'];
  }
}

const BUILT_IN: readonly IndexDefinition[] = [
  ofField('namespace', ['metadata', 'namespace'], (object) => [object.metadata.namespace]),
  { ...ofField('node', ['spec', 'nodeName'], nodeOf), seen: NODE_FIELDS },
  builtIn('image', 'images of containers and image volumes', imagesOf),
  ofField('phase', ['status', 'phase'], (object) => [(object.status as { phase?: string } | undefined)?.phase]),
  builtIn('configmap', 'config maps that are mounted or used for environment variables', configMapsOf),
  builtIn(
    'secret',
    'secrets that are mounted, used for environment variables or image pulls, or passed to storage drivers',
    secretsOf,
  ),
  builtIn('serviceaccount', 'service accounts of pods and role bindings', serviceAccountsOf),
  builtIn('pvc', 'persistent volume claims that are mounted, bound or copied', volumeClaimsOf),
];

function builtIn(name: string, from: string, texts: (object: ReadonlyObject) => readonly unknown[]): IndexDefinition {
  return { name, key: name, from, stable: true, valuesOf: (object) => indexTexts(texts(object)) };
}

function ofField(
  name: string,
  field: readonly string[],
  texts: (object: ReadonlyObject) => readonly unknown[],
): IndexDefinition {
  return { ...builtIn(name, field.join('.'), texts), field, seen: [field] };
}

function labelIndex(name: string): IndexDefinition | undefined {
  const key = /^label:(.+)$/s.exec(name)?.[1];
  if (key === undefined) return undefined;
  const texts = ({ metadata: { labels } }: ReadonlyObject) =>
    labels && Object.hasOwn(labels, key) ? [labels[key]] : [];
  const field = ['metadata', 'labels', key];
  return { ...builtIn(name, `metadata.labels['${key}']`, texts), field, seen: [field] };
}
