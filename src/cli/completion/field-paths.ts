import type { FieldSchema, KnownField } from '../../client/field-schema.ts';
import type { Candidate } from './completions.ts';

/** A path at the end of a text: what precedes it, the steps that are whole, and the beginning of a name. */
interface OpenPath {
  /** All of the text before the unfinished name, its dot included. */
  readonly lead: string;
  /** Field names; undefined is every item of a list. */
  readonly steps: readonly (string | undefined)[];
}

const STEPS = String.raw`(?:\.[A-Za-z_][\w-]*|\[(?:\*|\d+)\])*`;
/** `.spec.containers[*].im`, behind anything. */
const JSON_PATH = new RegExp(`^(.*?)(${STEPS})\\.(?:[A-Za-z_][\\w-]*)?$`, 's');
/** Where a path may begin: at the start, and behind `{` of a template, `NAME=`, `HEADING:`, a comma and the - of --sort-by. */
const BEGINNING = /(^|[{=:,-])$/;
/** `object.spec.re`, behind anything. */
const CEL = /^(.*?\b(?:object|oldObject))((?:\.[A-Za-z_]\w*|\[\d+\])*)\.(?:[A-Za-z_]\w*)?$/s;

/** The fields that a JSONPath at the end of `typed` may name next: `.spec.nodeName`, `.spec.containers[*]`. */
export function jsonPathCandidates(typed: string, schemas: readonly FieldSchema[]): Candidate[] {
  const path = BEGINNING.test(typed) ? { lead: `${typed}.`, steps: [] } : openPath(JSON_PATH.exec(typed));
  return path ? candidatesOf(path, schemas, ({ name, is }) => (is === 'list' ? `${name}[*]` : name)) : [];
}

/** As {@link jsonPathCandidates}, of a CEL expression over `object`. */
export function celCandidates(typed: string, schemas: readonly FieldSchema[]): Candidate[] {
  if ('object.'.startsWith(typed)) return [{ value: 'object.', about: 'the object' }];
  const path = openPath(CEL.exec(typed));
  return path ? candidatesOf(path, schemas, ({ name }) => name) : [];
}

function openPath(found: RegExpExecArray | null): OpenPath | undefined {
  if (!found) return undefined;
  const [, before = '', path = ''] = found;
  const steps = [...path.matchAll(/\.([A-Za-z_][\w-]*)|\[/g)].map(([, name]) => name);
  return { lead: `${before}${path}.`, steps };
}

function candidatesOf(
  { lead, steps }: OpenPath,
  schemas: readonly FieldSchema[],
  textOf: (field: KnownField) => string,
): Candidate[] {
  return schemas.flatMap((schema) =>
    schema.below(steps).map((field) => ({ value: `${lead}${textOf(field)}`, about: field.about })),
  );
}
