import { CORE_SCHEMA, loadAll, mergeTag } from 'js-yaml';
import { isTooDeep, TOO_DEEP } from '../../kit/depth.ts';
import { InformerError } from '../../kit/error.ts';
import { yamlFault } from '../../kit/secret-free-text.ts';
import { hasMetadata, type UnknownObject } from '../../model/object.ts';
import { EXACT_INT_11 } from '../api/exact-yaml.ts';
import { EXCESSIVE_ALIASES, hasExcessiveAliases } from '../write/limits.ts';

/** YAML with the integers of YAML 1.1: manifests have octal file modes (`0644`), which YAML 1.2 reads as decimal. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag, EXACT_INT_11);

/**
 * Parses manifests as kubectl does: YAML documents, JSON, and Lists of objects. The result is in the order of the text;
 * empty documents are left out. Throws `argument`, with `source` and the problem, for text that is not valid.
 */
export function parseManifests(text: string, source = 'the manifest'): UnknownObject[] {
  return documentsOf(text, source).flatMap((document) => objectsOf(document, source));
}

function documentsOf(text: string, source: string): unknown[] {
  const documents = loaded(text, source);
  if (!hasExcessiveAliases(text, documents)) return withinDepth(documents, source);
  throw new InformerError('argument', `cannot read ${source}: ${EXCESSIVE_ALIASES}`, {
    hint: 'write out what the aliases (*name) stand for: it is hundreds of thousands of values',
  });
}

const FLATTER = 'no Kubernetes object is nested that deep: check what wrote the file';

function withinDepth(documents: unknown[], source: string): unknown[] {
  if (isTooDeep(documents))
    throw new InformerError('argument', `cannot read ${source}: ${TOO_DEEP}, which the sandbox does not take`, {
      hint: FLATTER,
    });
  return documents;
}

function loaded(text: string, source: string): unknown[] {
  try {
    return loadAll(text, { schema: SCHEMA });
  } catch (error) {
    // without a cause: that would show lines of the file
    const fault = yamlFault(error);
    throw new InformerError('argument', `cannot read ${source}: ${fault}`, {
      hint: fault.includes('maxDepth') ? FLATTER : 'check the file at that place',
    });
  }
}

function objectsOf(document: unknown, source: string): UnknownObject[] {
  if (document === null || document === undefined) return [];
  const { kind, items } = document as { kind?: unknown; items?: unknown };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return items.flatMap((item) => objectsOf(item, source));
  if (typeof kind === 'string' && typeof (document as UnknownObject).apiVersion === 'string' && hasMetadata(document))
    return [document as UnknownObject];
  throw new InformerError('argument', `${source} holds a document that is no Kubernetes object`, {
    hint: 'each document needs apiVersion, kind and metadata',
  });
}
