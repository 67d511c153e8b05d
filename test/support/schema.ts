import { readFileSync } from 'node:fs';

export interface Schema {
  oneOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The schema of a line of `watch -o json`, as it is published. */
export const envelopeSchema = JSON.parse(
  readFileSync(new URL('../../src/stream/envelope.schema.json', import.meta.url), 'utf8'),
) as Schema;

/** Where a value breaks a schema, of as much of JSON Schema as ours uses. */
export function faults(schema: Schema, value: unknown, root: Schema, at = ''): string[] {
  const target = schema.$ref ? (root.$defs?.[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
  if (target.oneOf) return target.oneOf.filter((one) => faults(one, value, root).length === 0).length === 1 ? [] : [at];
  const out: string[] = [];
  const kind = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  if (target.type && target.type !== kind) out.push(at);
  if (target.enum && !target.enum.includes(value)) out.push(at);
  if ('const' in target && target.const !== value) out.push(at);
  if (target.pattern && !(typeof value === 'string' && new RegExp(target.pattern).test(value))) out.push(at);
  if (target.minimum !== undefined && (value as number) < target.minimum) out.push(at);
  const join = (key: string | number) => (at === '' ? String(key) : `${at}.${key}`);
  if (kind === 'object') {
    const map = value as Record<string, unknown>;
    for (const key of target.required ?? []) if (!(key in map)) out.push(join(key));
    for (const [key, inner] of Object.entries(target.properties ?? {}))
      if (key in map) out.push(...faults(inner, map[key], root, join(key)));
  }
  if (kind === 'array' && target.items)
    for (const [i, item] of (value as unknown[]).entries()) out.push(...faults(target.items, item, root, join(i)));
  return out;
}
