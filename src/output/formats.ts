import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import type {
  CompiledFormat,
  CreateRows,
  FormatTraits,
  ListText,
  PrinterOptions,
  Printers,
  SHOWN_FLAGS,
} from './format-traits.ts';
import type { Printer } from './printer.ts';

const TEXT = 'text/plain; charset=utf-8';

/** A word alone. */
const WORD = { value: 'none', takesEmpty: false, withoutValue: undefined, ofText: undefined } as const;

/** Prints whole records, for programs. */
const DATA = {
  mediaType: TEXT,
  needsObject: true,
  needsOld: false,
  columns: 'none',
  isTable: false,
  streams: true,
  answers: true,
  markers: true,
  records: true,
  naming: true,
  linesOfJson: false,
  gathers: false,
  headings: false,
  forPeople: false,
  changesBetween: false,
  shows: ['old', 'with-changes', 'show-managed-fields'],
  counts: false,
  trees: false,
  rows: false,
  draws: false,
} satisfies Partial<FormatTraits>;

/** Prints values of objects, by an expression. */
const VALUES = {
  ...DATA,
  takesEmpty: true,
  ofText: undefined,
  markers: false,
  records: false,
  shows: ['show-managed-fields'],
} satisfies Partial<FormatTraits>;

/** Prints what changed between two states. */
const CHANGES = {
  ...DATA,
  ...WORD,
  needsOld: true,
  answers: false,
  records: false,
  forPeople: true,
  shows: ['timestamps', 'full-values'],
} satisfies Partial<FormatTraits>;

/** The printer of formats that print neither events nor answers. */
const NO_STREAM: Printer = {
  events: () => '',
  marker: () => '',
  objects: () => refuse('a picture is of a time that is over', 'history of a recording draws it'),
};

/** Draws a picture of a time. */
const PICTURE = {
  ...DATA,
  ...WORD,
  streams: 'one picture',
  answers: false,
  markers: false,
  records: false,
  naming: false,
  shows: [],
  create: async () => ({ createPrinter: () => NO_STREAM }),
} satisfies Partial<FormatTraits>;

const TABLE: FormatTraits = {
  ...DATA,
  ...WORD,
  called: 'table',
  help: undefined,
  needsObject: false,
  columns: 'usual',
  isTable: true,
  records: false,
  naming: false,
  gathers: true,
  headings: true,
  forPeople: true,
  changesBetween: true,
  shows: ['show-labels', 'label-columns', 'timestamps'],
  counts: (of) => of.countsAsTable,
  trees: (of) => of.treesAsTable,
  rows: rowsBy((of) => of.tableRows),
  create: printedBy((of) => of.TablePrinter),
};

const JSONPATH: FormatTraits = {
  ...VALUES,
  called: 'jsonpath',
  help: 'jsonpath=…',
  value: 'template',
  withoutValue: () =>
    refuse('template format specified but no template given', "for example -o jsonpath='{.metadata.name}'"),
  create: printedWith((of) => [of.JsonPathPrinter, of.loadJsonPath]),
};

const COLUMNS: FormatTraits = {
  ...VALUES,
  called: 'custom-columns',
  help: 'custom-columns=…',
  value: 'columns',
  withoutValue: () => '',
  naming: false,
  gathers: true,
  headings: true,
  create: printedWith((of) => [of.CustomColumnsPrinter, of.parseCustomColumns]),
};

const CSV: FormatTraits = {
  ...VALUES,
  ...WORD,
  called: 'csv',
  help: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  needsObject: false,
  columns: 'wide',
  streams: 'one table',
  naming: false,
  shows: ['show-labels', 'label-columns', 'show-managed-fields'],
  counts: (of) => of.countsAsCsv,
  rows: rowsBy((of) => of.csvRows),
  create: printedBy((of) => of.CsvPrinter),
};

/** The expression is in a file, whose text is for the format `ofText`. */
const fromFile = (called: string, ofText: string): FormatTraits => ({
  ...VALUES,
  called,
  help: '',
  value: 'path',
  takesEmpty: false,
  withoutValue: undefined,
  ofText,
  shows: [],
  create: async (path) => refuse(`the file ${path} of -o ${called} was not read`, undefined),
});

/**
 * Every output format, by the word that `-o` takes; `=` at its end means that a value follows. Help, completion,
 * refusals and every command read what is said here, in this order.
 */
export const FORMATS = registry({
  table: TABLE,
  wide: {
    ...TABLE,
    help: 'wide',
    columns: 'wide',
    rows: rowsBy((of) => of.wideRows),
    create: printedBy((of) => of.TablePrinter, { wide: true }),
  },
  json: {
    ...DATA,
    ...WORD,
    ...asList((of) => of.jsonList),
    called: 'json',
    linesOfJson: true,
    help: 'json',
    mediaType: 'application/json',
    changesBetween: true,
    rows: rowsBy((of) => of.jsonRows),
    create: printedBy((of) => of.JsonPrinter),
  },
  ndjson: {
    ...DATA,
    ...WORD,
    ...asList((of) => of.ndjsonList),
    called: 'ndjson',
    linesOfJson: true,
    help: 'ndjson',
    mediaType: 'application/x-ndjson',
    changesBetween: true,
    rows: rowsBy((of) => of.ndjsonRows),
    create: printedBy((of) => of.NdjsonPrinter),
  },
  yaml: {
    ...DATA,
    ...WORD,
    ...asList((of) => of.yamlList),
    called: 'yaml',
    help: 'yaml',
    mediaType: 'application/yaml',
    create: printedBy((of) => of.YamlPrinter),
  },
  kyaml: {
    ...DATA,
    ...WORD,
    ...asList((of) => of.kyamlDocument),
    called: 'kyaml',
    help: 'kyaml',
    mediaType: 'application/yaml',
    create: printedBy((of) => of.KyamlPrinter),
  },
  name: {
    ...VALUES,
    ...WORD,
    called: 'name',
    help: 'name',
    needsObject: false,
    naming: false,
    shows: [],
    create: printedBy((of) => of.NamePrinter),
  },
  diff: {
    ...CHANGES,
    called: 'diff',
    help: 'diff',
    create: printedBy((of) => of.DiffPrinter),
  },
  changes: {
    ...CHANGES,
    called: 'changes',
    help: 'changes',
    gathers: true,
    create: printedBy((of) => of.ChangesPrinter),
  },
  timeline: {
    ...PICTURE,
    called: 'timeline',
    help: 'timeline',
    forPeople: true,
    draws: async () => (await import('./timeline/timeline-text.ts')).timelineText,
  },
  html: {
    ...PICTURE,
    called: 'html',
    help: 'html',
    mediaType: 'text/html; charset=utf-8',
    draws: async () => (await import('./timeline/timeline-html.ts')).timelineHtml,
  },
  'jq=': {
    ...DATA,
    called: 'jq',
    help: 'jq=…',
    value: 'program',
    takesEmpty: true,
    withoutValue: () => refuse('jq format specified but no expression given', "for example -o jq='[.type, .key]'"),
    ofText: undefined,
    gathers: true,
    async create(expression, { compileJq, JsonPrinter, loadJqLibrary }) {
      const jq = await compileJq(expression, await loadJqLibrary());
      return { jq, createPrinter: ({ single }) => new JsonPrinter({ single }) };
    },
  },
  'jsonpath=': JSONPATH,
  'jsonpath-as-json=': {
    ...JSONPATH,
    help: 'jsonpath-as-json=…',
    create: printedWith((of) => [of.JsonPathPrinter, of.loadJsonPath], { asJson: true }),
  },
  'jsonpath-file=': fromFile('jsonpath-file', 'jsonpath='),
  'custom-columns=': COLUMNS,
  'custom-columns-file=': fromFile('custom-columns-file', 'custom-columns-text='),
  // what a process sends in place of a file that is in its own working directory
  'custom-columns-text=': {
    ...COLUMNS,
    called: 'custom-columns-file',
    help: undefined,
    value: 'column-lines',
    withoutValue: undefined,
    create: printedWith((of) => [of.CustomColumnsPrinter, of.parseCustomColumnsFile]),
  },
  csv: CSV,
  'csv=': {
    ...CSV,
    called: 'csv=…',
    help: 'csv=HEADING:PATH,…',
    value: 'columns',
    needsObject: true,
    columns: 'none',
    shows: VALUES.shows,
    counts: false,
    rows: false,
    create: printedWith((of) => [of.CustomCsvPrinter, of.parseCsvColumns]),
  },
  tsv: {
    ...CSV,
    called: 'tsv',
    help: 'tsv',
    mediaType: 'text/tab-separated-values; charset=utf-8',
    counts: (of) => of.countsAsTsv,
    rows: rowsBy((of) => of.tsvRows),
    create: printedBy((of) => of.TsvPrinter),
  },
});

/** Keeps the words as names, and lets no format leave out a trait. */
function registry<W extends string>(formats: Readonly<Record<W, FormatTraits>>) {
  return formats;
}

/** Creates a printer. `own` are the options by which a format differs from another one with the same printer. */
function printedBy(chosen: (of: Printers) => new (options: PrinterOptions) => Printer, own?: Partial<PrinterOptions>) {
  return async (_value: string, printers: Printers): Promise<CompiledFormat> => {
    const Made = chosen(printers);
    return { createPrinter: (options) => new Made({ ...options, ...own }) };
  };
}

/** As {@link printedBy}, for a printer by an expression, which is parsed once. */
function printedWith<T>(
  chosen: (of: Printers) => [new (parsed: T, options: PrinterOptions) => Printer, (value: string) => Promise<T>],
  own?: Partial<PrinterOptions>,
) {
  return async (value: string, printers: Printers): Promise<CompiledFormat> => {
    const [Made, parse] = chosen(printers);
    const parsed = await parse(value);
    return { createPrinter: (options) => new Made(parsed, { ...options, ...own }) };
  };
}

/** Loads what prints rows. */
function rowsBy(chosen: (of: typeof import('./tables/rows.ts')) => CreateRows) {
  return async () => chosen(await import('./tables/rows.ts'));
}

/** Every format, in the order of {@link FORMATS}. */
const entries = () => Object.entries<FormatTraits>(FORMATS);

/** Prints counts and trees as a list of their records. */
function asList(chosen: (of: Printers) => ListText): Pick<FormatTraits, 'counts' | 'trees'> {
  return {
    counts:
      (of) =>
      ({ records }, { terminal }) =>
        chosen(of)(records(), { terminal }),
    trees:
      (of) =>
      ({ records }, { terminal }) =>
        chosen(of)(records(), { terminal, indent: 4 }),
  };
}

/** The format for programs that read one record after the other. */
export const RECORD_LINES = 'ndjson';

/** The value of `-o`, parsed. */
export interface OutputFormat {
  readonly traits: FormatTraits;
  /** The text behind `=`; '' where there is none. */
  readonly value: string;
}

/**
 * Parses the value of `-o`; '' is the table. Throws `argument` for an unknown format, in kubectl's words, and for
 * go-template, with a hint what to use instead.
 */
export function parseOutputFormat(text: string): OutputFormat {
  const { word, value } = partsOf(text);
  const traits = traitsOf(word);
  if (traits && (value !== '' || traits.takesEmpty || traits.value === 'none')) return { traits, value };
  const withValue = traitsOf(`${word}=`);
  if (!traits && withValue?.withoutValue) return { traits: withValue, value: withValue.withoutValue() };
  return unknown(text, word.replace(/=$/, ''));
}

/** The file that a value of `-o` names, and the word of the format that gets its text. */
export function fileOf(
  text: string,
): { readonly format: string; readonly path: string; readonly ofText: string } | undefined {
  const { word, value: path } = partsOf(text);
  const { called: format = '', ofText } = traitsOf(word) ?? {};
  return ofText === undefined || path === '' ? undefined : { format, path, ofText };
}

/** The media type of an answer in this format. */
export const mediaTypeOf = (text: string): string => traitsOf(partsOf(text).word)?.mediaType ?? TEXT;

/** How the value of the format is written that begins a value of `-o`; undefined: there is no such format. */
export const valueKindOf = (text: string): FormatTraits['value'] | undefined => traitsOf(partsOf(text).word)?.value;

/** The use of a format: for a stream of events, for an answer, for rows of SQL, or for a picture. */
export type FormatUse = 'streams' | 'answers' | 'rows' | 'draws';

/** The formats of a use as completion offers them: `json`, `jsonpath=`. */
export const formatWords = (use: FormatUse): string[] => usable(use).map(([word]) => word);

/** The formats of a use as `--help` shows them: `json, jsonpath=…`. */
export const formatHelp = (use: FormatUse): string =>
  usable(use)
    .flatMap(([, { help }]) => help || [])
    .join(', ');

/** The formats in which a flag shows, as messages call them. */
export const formatsThatShow = (flag: (typeof SHOWN_FLAGS)[number]): string[] => [
  ...new Set(
    entries().flatMap(([, { shows, isTable, called }]) =>
      shows.includes(flag) ? [isTable ? 'a table (no -o)' : `-o ${called}`] : [],
    ),
  ),
];

const usable = (use: FormatUse) =>
  entries().filter(([, traits]) => {
    const isUsable = use === 'rows' || use === 'draws' ? traits[use] !== false : traits[use] === true;
    return traits.help !== undefined && isUsable;
  });

/** The text up to `=`, and what is behind it. */
function partsOf(text: string): { word: string; value: string } {
  const word = text.slice(0, text.indexOf('=') + 1) || text;
  return { word, value: text.slice(word.length) };
}

/** kubectl takes words without a value in any case, but `wide`. */
function traitsOf(word: string): FormatTraits | undefined {
  const lower = word.toLowerCase();
  if (lower === 'table') return undefined; // which has no word
  const name = word === '' ? 'table' : lower === 'wide' || word.endsWith('=') ? word : lower;
  return Object.hasOwn(FORMATS, name) ? FORMATS[name as keyof typeof FORMATS] : undefined;
}

function unknown(text: string, name: string): never {
  if (/^(go-)?template(-?file)?$/.test(name)) {
    refuse(
      `output format "${name}" is not supported: Go templates run only in Go`,
      'use -o jsonpath=… or -o custom-columns=…',
    );
  }
  const words = entries().flatMap(([word, { help }]) => (help === undefined ? [] : [word.replace('=', '')]));
  const allowed = [...new Set(words)].sort();
  const [near] = nearest(name, [...allowed, 'table'], 1);
  const meant = near === 'table' ? 'without -o it is a table' : near && `did you mean -o ${near}?`;
  refuse(
    `unable to match a printer suitable for the output format "${text}", allowed formats are: ${allowed.join(',')}`,
    near === name && near !== 'table' ? undefined : meant,
  );
}

function refuse(message: string, hint: string | undefined): never {
  throw new InformerError('argument', message, { hint });
}
