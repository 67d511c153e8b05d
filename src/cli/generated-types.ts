import { loadOpenApiSchemas, type OpenApiSchema, schemaNameOf } from '../client/openapi-schemas.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { compareText } from '../kit/text-order.ts';
import { replaceFile, textOfFile } from '../kit/whole-file.ts';
import { formatGroupResource, formatGroupVersion, formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { isNotFound } from '../model/status.ts';
import { declarations, type WantedKind } from '../output/typescript/declarations.ts';
import { calledName } from '../package.ts';
import type { Session } from './session/session.ts';

/** How the first line of a generated file begins. */
const MARK = '// Types of ';

/**
 * The TypeScript types of the types that words name (`pods`, `deploy,rs`, `apps/v1/deployments`), from the server's
 * OpenAPI v3. Rejects with `discovery` for a type that the server does not have, or does not describe.
 */
export async function generatedTypes(words: readonly string[], session: Session): Promise<string> {
  const types = await typesNamed(words, session);
  const schemas = new Map<string, OpenApiSchema>();
  const kinds: WantedKind[] = [];
  for (const type of types) {
    const { group, version } = type.gvr;
    const found = await loadOpenApiSchemas(session.client, { group, version }, session.signal).catch(notServed);
    const schema = found && schemaNameOf(found, { group, version, kind: type.kind });
    if (!found || schema === undefined) throw undescribed(type);
    kinds.push({ schema, apiVersion: formatGroupVersion({ group, version }), kind: type.kind });
    for (const [name, each] of Object.entries(found)) if (!schemas.has(name)) schemas.set(name, each);
  }
  return `${headOf(types)}\n${declarations(kinds, Object.fromEntries(schemas))}`;
}

/** The types, each once, in the order of their names. */
async function typesNamed(words: readonly string[], session: Session): Promise<ResourceType[]> {
  const found = new Map<string, ResourceType>();
  for (const word of words) {
    for (const { type, names } of await session.resolve([word])) {
      if (names.length > 0)
        throw new InformerError('argument', `types are written for types, not for objects such as ${word}`, {
          hint: `leave out the name: ${formatGroupResource(type.gvr)}`,
        });
      found.set(formatGvr(type.gvr), type);
    }
  }
  return [...found.values()].sort((a, b) => compareText(formatGvr(a.gvr), formatGvr(b.gvr)));
}

/** The first lines of the file. They are the same for the same types. */
function headOf(types: readonly ResourceType[]): string {
  const names = types.map(({ gvr }) => formatGvr(gvr)).join(' ');
  return [
    `${MARK}a cluster, as its API server describes them. Do not edit.`,
    `// To make them again: ${calledName()} types ${names} --out FILE`,
    '',
  ].join('\n');
}

function notServed(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function undescribed({ gvr, kind }: ResourceType): InformerError {
  return new InformerError('discovery', `the server does not describe the fields of ${kind} (${formatGvr(gvr)})`, {
    hint: 'types are made from OpenAPI v3, which Kubernetes has since 1.24; an aggregated API may lack it',
  });
}

/**
 * Writes a file that `types` has written before, or a new one, whole or not at all. Rejects with `argument` for any
 * other file, and one that cannot be written.
 */
export async function writeTypes(file: string, text: string): Promise<void> {
  const before = await textOfFile(file).catch((error) => {
    throw unwritable(file, error);
  });
  if (before !== undefined && before.trim() !== '' && !before.startsWith(MARK)) {
    throw new InformerError('argument', `${file} exists, and 'types' did not write it`, {
      hint: 'name another file, or remove this one first',
    });
  }
  await replaceFile(file, text).catch((error) => {
    throw unwritable(file, error);
  });
}

function unwritable(file: string, cause: unknown): InformerError {
  return new InformerError('argument', `cannot write ${file}: ${messageOf(cause)}`, {
    cause,
    hint: 'name a file in a folder that exists and may be written; without --out the types go to stdout',
  });
}
