import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What kubectl prints for a template and the object of test/support/jsonpath.ts, or why it refuses it. */
export interface KubectlAnswer {
  readonly template: string;
  readonly printed?: string;
  readonly error?: string;
}

/** Recorded from kubectl 1.35 by tools/record-jsonpath.mjs. */
export const KUBECTL_ANSWERS: readonly KubectlAnswer[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'kubectl-jsonpath.json'), 'utf8'),
);

/** Where this package answers on purpose, or by chance, other than kubectl. */
export const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  'kubectl finds the bytes of a text': ['{.kind.*}', '{.metadata.name.*}', '{.spec.html.*}'],
  'kubectl compares no whole number with a fraction': [
    '{.spec.list[?(@.n==1.0)].k}',
    '{.spec.list[?(@.n==1.0)]}',
    '{range .spec.list[?(@.n==1.0)]}{.k}={.n};{end}',
    '{.spec.list[?(@.n>1.5)].k}',
    '{.spec.list[?(@.n>1.5)]}',
    '{range .spec.list[?(@.n>1.5)]}{.k}={.n};{end}',
  ],
  'kubectl goes on with the whole object at the end of a range without its end': ['{range .spec.nums[*]}{@}'],
  'kubectl finds nothing at the root': ['{.}}'],
  'kubectl has no such step': ['{..*}'],
  'kubectl prints a text without braces as it is': ['.kind', 'kind', '.spec.nums[1]', 'spec.nums[1]', 'plain'],
  'kubectl prints a null in a range in another way': ['{range .spec.nul}[{@}]{end}\n{.spec.f.k}'],
};

const differing = new Set(Object.values(DIFFERENT).flat());

/** The answers that this package must give too. */
export const SAME_ANSWERS: readonly KubectlAnswer[] = KUBECTL_ANSWERS.filter(
  ({ template }) => !differing.has(template),
);
