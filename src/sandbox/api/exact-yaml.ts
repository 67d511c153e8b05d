import { CORE_SCHEMA, DUMP_SCHEMA, intCoreTag, intYaml11Tag, NOT_RESOLVED, type ScalarTagDefinition } from 'js-yaml';

/** The schema of YAML 1.2, except that whole numbers beyond 2^53 become bigints, as in `parseJson`. */
export const EXACT_SCHEMA = CORE_SCHEMA.withTags(exact(intCoreTag));

/** The integers of YAML 1.1, equally exact. A schema that is built elsewhere adds this tag. */
export const EXACT_INT_11 = exact(intYaml11Tag);

/**
 * The schema for writing YAML. A string that a reader of YAML 1.1 or 1.2 would take for a number is quoted; bigints are
 * written as numbers.
 */
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
