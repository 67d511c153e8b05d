import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { KubeObject } from '../model/object.ts';

/**
 * A schema of a library with Standard JSON Schema, such as zod 4.2 and later. Nothing of the library is loaded here: the
 * schema brings what it is asked for.
 * Source: standardschema.dev/json-schema.
 */
export interface SchemaSource<Output = unknown> {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** The type of the values of a schema, with its defaults filled in, as a server does. */
export type OutputOf<S extends SchemaSource> = NonNullable<S['~standard']['types']>['output'];

/** The type of the objects of a version: metadata, and what its schema says. */
export type ObjectOf<S extends SchemaSource> = KubeObject & OutputOf<S>;

/** A rule in CEL. Source: apiextensions/v1 ValidationRule. */
export interface CelRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** Rules in CEL for a value: `.meta(celRules({ rule: 'self.min <= self.max' }))`. */
export function celRules(...rules: CelRule[]): { 'x-kubernetes-validations': CelRule[] } {
  for (const rule of rules) checkOptions('celRules', rule, CEL_RULE);
  return { 'x-kubernetes-validations': rules };
}

const CEL_RULE = {
  rule: 'text',
  message: 'text',
  messageExpression: 'text',
  reason: ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'],
  fieldPath: 'text',
  optionalOldSelf: 'boolean',
} as const satisfies KnownOptionsOf<CelRule>;

/** A list whose items have keys: server-side apply merges them, and no key is there twice. */
export function listMap(...keys: string[]): {
  'x-kubernetes-list-type': 'map';
  'x-kubernetes-list-map-keys': string[];
} {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

/** A list in which no value is twice: server-side apply merges it. */
export const listSet = { 'x-kubernetes-list-type': 'set' } as const;

/** An object that has apiVersion, kind and metadata, which the server checks. */
export const embeddedResource = {
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
} as const;
