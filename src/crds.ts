// Custom resources from schemas in code: `import { defineResource } from 'kubectl-informer/crds'`.

export { compareDefinitions, type DefinitionChange } from './crds/comparison.ts';
export {
  type ConversionPlace,
  type DefinedResource,
  type DefinedVersion,
  defineResource,
  objectOf,
  type PrinterColumn,
  type ResourceObject,
  type ResourceOptions,
  type ScalePaths,
  type VersionOptions,
} from './crds/definition.ts';
export {
  type CelRule,
  celRules,
  embeddedResource,
  listMap,
  listSet,
  type ObjectOf,
  type SchemaSource,
} from './crds/schema-source.ts';
