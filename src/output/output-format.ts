import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';

/** The value of `-o`, parsed. */
export type OutputFormat =
  | { readonly kind: 'table'; readonly wide: boolean }
  | { readonly kind: 'json' | 'ndjson' | 'yaml' | 'kyaml' | 'name' | 'diff' | 'changes' }
  /** With the columns of `spec`, written as custom columns; without it, those of the table. */
  | { readonly kind: 'csv'; readonly spec?: string | undefined }
  | { readonly kind: 'jq'; readonly expression: string }
  /** `asJson`: each `{}` of the template is a JSON list of its values. */
  | { readonly kind: 'jsonpath'; readonly template: string; readonly asJson?: boolean | undefined }
  | { readonly kind: 'custom-columns'; readonly spec: string }
  /** Its expression is in a file. The caller reads the file and passes its text to {@link withFileText}. */
  | { readonly kind: 'file'; readonly of: 'jsonpath' | 'custom-columns'; readonly path: string }
  | { readonly kind: 'custom-columns-file'; readonly text: string };

const PLAIN = ['json', 'ndjson', 'yaml', 'kyaml', 'name', 'diff', 'changes'] as const;

/** The names of all formats except the table. */
const OUTPUT_FORMATS = [
  'changes',
  'csv',
  'custom-columns',
  'custom-columns-file',
  'diff',
  'jq',
  'json',
  'jsonpath',
  'jsonpath-as-json',
  'jsonpath-file',
  'kyaml',
  'name',
  'ndjson',
  'wide',
  'yaml',
] as const;

/**
 * Parses the value of `-o`; '' is the table. Throws `argument` for an unknown format, in kubectl's words, and for
 * go-template, with a hint what to use instead.
 */
export function parseOutputFormat(text: string): OutputFormat {
  const cut = text.indexOf('=');
  const name = cut < 0 ? text : text.slice(0, cut);
  const value = cut < 0 ? undefined : text.slice(cut + 1);
  if (value === undefined) {
    if (name === '' || name === 'wide') return { kind: 'table', wide: name === 'wide' };
    const plain = PLAIN.find((kind) => kind === name.toLowerCase()); // kubectl takes these in any case
    if (plain) return { kind: plain };
    if (name.toLowerCase() === 'csv') return { kind: 'csv' };
    if (name === 'jq') refuse('jq format specified but no expression given', "for example -o jq='[.type, .key]'");
    if (name === 'jsonpath' || name === 'jsonpath-as-json')
      refuse('template format specified but no template given', "for example -o jsonpath='{.metadata.name}'");
  }
  if (value !== undefined && name === 'jsonpath') return { kind: 'jsonpath', template: value };
  if (value !== undefined && name === 'jsonpath-as-json') return { kind: 'jsonpath', template: value, asJson: true };
  if (value !== undefined && name === 'jq') return { kind: 'jq', expression: value };
  if (name === 'csv' && value) return { kind: 'csv', spec: value };
  if (name === 'custom-columns') return { kind: 'custom-columns', spec: value ?? '' };
  // what a process sends in place of a file that is in its own working directory
  if (name === 'custom-columns-text' && value !== undefined) return { kind: 'custom-columns-file', text: value };
  if (name === 'jsonpath-file' && value) return { kind: 'file', of: 'jsonpath', path: value };
  if (name === 'custom-columns-file' && value) return { kind: 'file', of: 'custom-columns', path: value };
  return unknown(text, name);
}

/** The data that a format needs. */
export interface FormatNeeds {
  /** Needs more of each object than its metadata. */
  readonly object: boolean;
  /** Needs the cells of the server's table. */
  readonly cells: boolean;
  /** Needs the state before, in events. */
  readonly old: boolean;
  /** Needs metadata.managedFields, which it does not show. */
  readonly managedFields: boolean;
  /** Needs a stream of events: it cannot show an answer. */
  readonly events: boolean;
}

/** The data that a format needs. Anything beyond that costs time and has no effect. */
export function needsOf(format: OutputFormat): FormatNeeds {
  const { kind } = format;
  const cells = kind === 'table' || (kind === 'csv' && format.spec === undefined);
  const showsChanges = kind === 'diff' || kind === 'changes';
  return {
    object: !cells && kind !== 'name',
    cells,
    old: showsChanges,
    managedFields: showsChanges,
    events: showsChanges,
  };
}

/** The format with the text of its file. */
export function withFileText(format: Extract<OutputFormat, { kind: 'file' }>, text: string): OutputFormat {
  return format.of === 'jsonpath' ? { kind: 'jsonpath', template: text } : { kind: 'custom-columns-file', text };
}

function unknown(text: string, name: string): never {
  if (/^(go-)?template(-?file)?$/.test(name)) {
    refuse(
      `output format "${name}" is not supported: Go templates run only in Go`,
      'use -o jsonpath=… or -o custom-columns=…',
    );
  }
  const [near] = nearest(name, [...OUTPUT_FORMATS, 'table'], 1);
  const meant = near === 'table' ? 'without -o it is a table' : near && `did you mean -o ${near}?`;
  refuse(
    `unable to match a printer suitable for the output format "${text}", allowed formats are: ${OUTPUT_FORMATS.join(',')}`,
    near === name && near !== 'table' ? undefined : meant,
  );
}

function refuse(message: string, hint: string | undefined): never {
  throw new InformerError('argument', message, { hint });
}
