import type { ApiType } from '../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../src/sandbox/types/builtin-types.ts';

/** A built-in type of the sandbox, by its resource and group. */
export function builtinType(resource: string, group = ''): ApiType {
  const found = builtinTypes().find(({ gvr }) => gvr.resource === resource && gvr.group === group);
  if (!found) throw new Error(`no built-in type ${resource}.${group}`);
  return found;
}

/** A namespaced custom type `boxes.example.com`. */
export function customType(custom: object = {}): ApiType {
  return {
    ...builtinType('configmaps'),
    gvr: { group: 'example.com', version: 'v1', resource: 'boxes' },
    kind: 'Box',
    listKind: 'BoxList',
    storage: 'boxes.example.com',
    custom: { selectableFields: [], columns: [], ...custom },
  } as unknown as ApiType;
}
