import { CORE_SCHEMA, DUMP_SCHEMA, intCoreTag, intYaml11Tag, NOT_RESOLVED, type ScalarTagDefinition } from 'js-yaml';

/** YAML 1.2 whose whole numbers beyond 2^53 are bigints, as `parseJson` has them. */
export const EXACT_SCHEMA = CORE_SCHEMA.withTags(exact(intCoreTag));

/** The same of YAML 1.1, for the schemas that are put together elsewhere. */
export const EXACT_INT_11 = exact(intYaml11Tag);

/** For writing: texts that some reader takes for a number are quoted, bigints are numbers. */
export const EXACT_DUMP_SCHEMA = DUMP_SCHEMA.withTags(
  exact({
    ...intYaml11Tag,
    resolve: (source, isExplicit, tag) => {
      const found = intYaml11Tag.resolve(source, isExplicit, tag);
      return found === NOT_RESOLVED ? intCoreTag.resolve(source, isExplicit, tag) : found;
    },
  }),
);

function exact(tag: ScalarTagDefinition<number>): ScalarTagDefinition<number | bigint> {
  return {
    ...tag,
    resolve: (source, isExplicit, name) => {
      const found = tag.resolve(source, isExplicit, name);
      return typeof found === 'number' && !Number.isSafeInteger(found) && DECIMAL.test(source) ? BigInt(source) : found;
    },
    identify: (value) => typeof value === 'bigint' || tag.identify(value),
    represent: (value) => (typeof value === 'bigint' ? String(value) : tag.represent(value)),
  };
}

const DECIMAL = /^[-+]?[1-9]\d*$/;
