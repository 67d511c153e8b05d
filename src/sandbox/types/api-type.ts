import type { TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';

/**
 * A subresource as discovery describes it. `group` and `version` are '' when the kind is in the group of the parent.
 */
export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

/** A type that the server serves: its description in discovery, and where its objects are stored. */
export interface ApiType extends ResourceType {
  readonly listKind: string;
  readonly subresourceTypes: ReadonlyMap<string, Subresource>;
  /** The key of the store's collection: `pods`, `deployments.apps`. Versions of one resource share it. */
  readonly storage: string;
  /** Only for a type made by a CustomResourceDefinition. */
  readonly custom: CustomTraits | undefined;
}

/** The parts of a CustomResourceDefinition's version that discovery does not show. */
export interface CustomTraits {
  /** The columns after the name, with the JSONPath of their cells. */
  readonly columns: readonly { readonly column: TableColumn; readonly jsonPath: string }[];
  /** The paths that field selectors can use, with dots: `spec.color`. */
  readonly selectableFields: readonly string[];
  /** The paths of the values of the scale subresource; absent when there is no such subresource. */
  readonly scale?: {
    readonly specReplicasPath?: string;
    readonly statusReplicasPath?: string;
    readonly labelSelectorPath?: string;
  };
  /** The version in which objects are stored from now on; its own if absent. */
  readonly storedVersion?: string;
  /** The webhook that converts objects which are stored in another version. Absent: only their apiVersion changes. */
  readonly conversion?: ConversionWebhook | undefined;
  /** The openAPIV3Schema; undefined when the version has none. */
  readonly schema: JsonSchema | undefined;
}

/** Where a webhook is reached. Source: admissionregistration/v1 WebhookClientConfig. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly caBundle?: string;
}

/** Source: apiextensions/v1 WebhookConversion. */
export interface ConversionWebhook {
  readonly clientConfig: ClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

/** A CEL rule about a value of a custom resource. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A structural schema: the part of OpenAPI v3 that a CustomResourceDefinition can use. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly multipleOf?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
}

export function hasSubresource(type: ApiType, name: string): boolean {
  return type.subresourceTypes.has(name);
}
