import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';

/** What `-o` asked for. */
export type OutputFormat =
  | { readonly kind: 'table'; readonly wide: boolean }
  | { readonly kind: 'json' | 'yaml' | 'name' | 'diff' | 'changes' }
  | { readonly kind: 'jq'; readonly expression: string }
  | { readonly kind: 'jsonpath'; readonly template: string }
  | { readonly kind: 'custom-columns'; readonly spec: string }
  /** Its text is in a file, which the caller reads and gives to {@link withFileText}. */
  | { readonly kind: 'file'; readonly of: 'jsonpath' | 'custom-columns'; readonly path: string }
  | { readonly kind: 'custom-columns-file'; readonly text: string };

const PLAIN = ['json', 'yaml', 'name', 'diff', 'changes'] as const;

/** The formats there are, as `-o` takes them. */
const OUTPUT_FORMATS = [
  'changes',
  'custom-columns',
  'custom-columns-file',
  'diff',
  'jq',
  'json',
  'jsonpath',
  'jsonpath-file',
  'name',
  'wide',
  'yaml',
] as const;

/**
 * Reads the value of `-o`; '' is the table. Throws `argument`: in kubectl's words for a format that does not exist, with what to use
 * instead for go-template.
 */
export function parseOutputFormat(text: string): OutputFormat {
  const cut = text.indexOf('=');
  const name = cut < 0 ? text : text.slice(0, cut);
  const value = cut < 0 ? undefined : text.slice(cut + 1);
  if (value === undefined) {
    if (name === '' || name === 'wide') return { kind: 'table', wide: name === 'wide' };
    const plain = PLAIN.find((kind) => kind === name.toLowerCase()); // kubectl takes these in any case
    if (plain) return { kind: plain };
    if (name === 'jq') refuse('jq format specified but no expression given', "for example -o jq='[.type, .key]'");
    if (name === 'jsonpath') refuse('template format specified but no template given', "for example -o jsonpath='{.metadata.name}'");
  }
  if (value !== undefined && name === 'jsonpath') return { kind: 'jsonpath', template: value };
  if (value !== undefined && name === 'jq') return { kind: 'jq', expression: value };
  if (name === 'custom-columns') return { kind: 'custom-columns', spec: value ?? '' };
  if (name === 'jsonpath-file' && value) return { kind: 'file', of: 'jsonpath', path: value };
  if (name === 'custom-columns-file' && value) return { kind: 'file', of: 'custom-columns', path: value };
  return unknown(text, name);
}

/** What a format must be given to show what it promises. */
export interface FormatNeeds {
  /** More of each object than its metadata. */
  readonly object: boolean;
  /** The state before, in events. */
  readonly old: boolean;
  /** metadata.managedFields, which it reads and does not show. */
  readonly managedFields: boolean;
  /** A stream of events: an answer alone cannot be shown in it. */
  readonly events: boolean;
}

/** What a format needs; anything more is cost without effect. */
export function needsOf({ kind }: OutputFormat): FormatNeeds {
  const showsChanges = kind === 'diff' || kind === 'changes';
  return {
    object: kind !== 'table' && kind !== 'name',
    old: showsChanges,
    managedFields: showsChanges,
    events: showsChanges,
  };
}

/** A format whose text was in a file, with that text. */
export function withFileText(format: Extract<OutputFormat, { kind: 'file' }>, text: string): OutputFormat {
  return format.of === 'jsonpath' ? { kind: 'jsonpath', template: text } : { kind: 'custom-columns-file', text };
}

function unknown(text: string, name: string): never {
  if (/^(go-)?template(-?file)?$/.test(name)) {
    refuse(`output format "${name}" is not supported: Go templates run only in Go`, 'use -o jsonpath=… or -o custom-columns=…');
  }
  const [near] = nearest(name, OUTPUT_FORMATS, 1);
  refuse(
    `unable to match a printer suitable for the output format "${text}", allowed formats are: ${OUTPUT_FORMATS.join(',')}`,
    near && near !== name ? `did you mean -o ${near}?` : undefined,
  );
}

function refuse(message: string, hint: string | undefined): never {
  throw new InformerError('argument', message, { hint });
}
