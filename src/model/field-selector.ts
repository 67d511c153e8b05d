import { InformerError } from '../kit/error.ts';

/** One requirement of a field selector. An object must meet all of them. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A parsed field selector: requirements that must all hold. The server decides which fields are allowed. */
export class FieldSelector {
  static readonly everything = new FieldSelector([]);
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /**
   * Reads `a=b`, `a==b`, `a!=b`, joined by commas; `\,`, `\=` and `\\` are escapes in values. Source: apimachinery
   * pkg/fields/selector.go.
   */
  static parse(text: string): FieldSelector {
    const requirements = splitTerms(text)
      .filter((term) => term !== '')
      .map((term) => parseTerm(term, text));
    return requirements.length === 0 ? FieldSelector.everything : new FieldSelector(requirements);
  }

  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    return requirements.length === 0 ? FieldSelector.everything : new FieldSelector(requirements);
  }

  get matchesEverything(): boolean {
    return this.requirements.length === 0;
  }

  /**
   * Whether only objects with a certain value in a field match. False for `a!=b` and `a=`, which also match an empty
   * field, and for `metadata.namespace=…`, which repeats the namespace of the request.
   */
  get restricts(): boolean {
    return this.requirements.some(
      ({ field, operator, value }) => operator === '=' && value !== '' && field !== 'metadata.namespace',
    );
  }

  /** The value that a field must have for an object to match; undefined when the selector allows several. */
  requires(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === '=')?.value;
  }

  /** Whether an object matches. `read` returns the value of a field, '' for an absent one. */
  matches(read: (field: string) => string): boolean {
    for (const { field, operator, value } of this.requirements)
      if ((read(field) === value) !== (operator === '=')) return false;
    return true;
  }

  toString(): string {
    return this.requirements.map((r) => `${r.field}${r.operator}${escaped(r.value)}`).join(',');
  }
}

const escaped = (value: string) => value.replace(/[\\,=]/g, (c) => `\\${c}`);

function bad(message: string): never {
  throw new InformerError('argument', message, {
    hint: "a field selector looks like 'metadata.name=web,status.phase!=Running'",
  });
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, whole: string): FieldRequirement {
  for (let i = 0; i < term.length; i++) {
    const operator = ['!=', '==', '='].find((o) => term.startsWith(o, i));
    if (!operator) continue;
    return {
      field: term.slice(0, i),
      operator: operator === '!=' ? '!=' : '=',
      value: unescaped(term.slice(i + operator.length)),
    };
  }
  return bad(`invalid selector: '${whole}'; can't understand '${term}'`);
}

function unescaped(value: string): string {
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const c = value[i] as string;
    if (c === ',' || c === '=') bad(`invalid field selector: unescaped character in value: ${c}`);
    if (c !== '\\') {
      out += c;
      continue;
    }
    const next = value[++i];
    if (next === undefined || !'\\,='.includes(next))
      bad(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
    out += next;
  }
  return out;
}
