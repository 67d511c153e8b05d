import { loadJsonPath } from '../expr/jsonpath/load-jsonpath.ts';
import { InformerError } from '../kit/error.ts';
import { ChangesPrinter } from './changes/changes-printer.ts';
import { DiffPrinter } from './changes/diff-printer.ts';
import type { EventLinesOptions } from './event-lines.ts';
import { compileJq, type Jq } from './jq/jq-expression.ts';
import { loadJqLibrary } from './jq/jq-library.ts';
import { KyamlPrinter } from './objects/kyaml-printer.ts';
import {
  JsonPathPrinter,
  JsonPrinter,
  NamePrinter,
  NdjsonPrinter,
  type StructuredOptions,
  YamlPrinter,
} from './objects/structured.ts';
import type { OutputFormat } from './output-format.ts';
import type { Printer } from './printer.ts';
import { CsvPrinter, CustomCsvPrinter } from './tables/csv-printer.ts';
import {
  CustomColumnsPrinter,
  parseCsvColumns,
  parseCustomColumns,
  parseCustomColumnsFile,
} from './tables/custom-columns.ts';
import { TablePrinter, type TablePrinterOptions } from './tables/table-printer.ts';

/** The options of all formats. A format uses those that concern it. */
export type PrinterOptions = TablePrinterOptions & StructuredOptions & Pick<EventLinesOptions, 'only' | 'fullValues'>;

/** An output format whose expression is compiled. */
export interface CompiledOutput {
  readonly format: OutputFormat;
  /** Creates the printer of one stream or one answer. Nothing is compiled or loaded here. */
  createPrinter(options: PrinterOptions): Printer;
  /** What is applied to the JSON that the printer makes, before it is shown: only in the format `jq`. */
  readonly jq?: Jq | undefined;
}

/**
 * Compiles the expression of a format, and loads the libraries that this format needs and no others. Throws `argument`
 * for an expression that cannot be read, so that it fails before anything is watched, and for a file that the caller
 * has not read.
 */
export async function compileOutput(format: OutputFormat): Promise<CompiledOutput> {
  if (format.kind !== 'jq') return { format, createPrinter: await printerFactory(format) };
  const jq = await compileJq(format.expression, await loadJqLibrary());
  return { format, jq, createPrinter: ({ single }) => new JsonPrinter({ single }) };
}

async function printerFactory(format: Exclude<OutputFormat, { kind: 'jq' }>): Promise<CompiledOutput['createPrinter']> {
  switch (format.kind) {
    case 'table':
      return (options) => new TablePrinter({ ...options, wide: format.wide || options.wide });
    case 'json':
      return (options) => new JsonPrinter(options);
    case 'ndjson':
      return (options) => new NdjsonPrinter(options);
    case 'csv': {
      if (format.spec === undefined) return (options) => new CsvPrinter(options);
      const columns = await parseCsvColumns(format.spec);
      return (options) => new CustomCsvPrinter(columns, options);
    }
    case 'yaml':
      return (options) => new YamlPrinter(options);
    case 'kyaml':
      return (options) => new KyamlPrinter(options);
    case 'name':
      return () => new NamePrinter();
    case 'diff':
      return (options) => new DiffPrinter(options);
    case 'changes':
      return (options) => new ChangesPrinter(options);
    case 'jsonpath': {
      const path = await loadJsonPath(format.template);
      return (options) => new JsonPathPrinter(path, { ...options, asJson: format.asJson });
    }
    case 'custom-columns':
    case 'custom-columns-file': {
      const columns = await (format.kind === 'custom-columns'
        ? parseCustomColumns(format.spec)
        : parseCustomColumnsFile(format.text));
      return (options) => new CustomColumnsPrinter(columns, options);
    }
    case 'file':
      throw new InformerError('argument', `the file ${format.path} of -o ${format.of}-file was not read`);
  }
}
