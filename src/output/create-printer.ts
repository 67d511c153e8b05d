import { loadJsonPath } from '../expr/jsonpath/load-jsonpath.ts';
import { InformerError } from '../kit/error.ts';
import { ChangesPrinter } from './changes/changes-printer.ts';
import { DiffPrinter } from './changes/diff-printer.ts';
import type { EventLinesOptions } from './event-lines.ts';
import { compileJq, JqPrinter, loadJqLibrary } from './objects/jq-printer.ts';
import { JsonPathPrinter, JsonPrinter, NamePrinter, type StructuredOptions, YamlPrinter } from './objects/structured.ts';
import type { OutputFormat } from './output-format.ts';
import type { Printer } from './printer.ts';
import { CustomColumnsPrinter, parseCustomColumns, parseCustomColumnsFile } from './tables/custom-columns.ts';
import { TablePrinter, type TablePrinterOptions } from './tables/table-printer.ts';

/** What any format may need to know; each takes what concerns it. */
export type PrinterOptions = TablePrinterOptions & StructuredOptions & Pick<EventLinesOptions, 'only' | 'fullValues'>;

/**
 * The printer of a format, with the libraries it needs and no others. Throws `argument` for expressions that cannot be read, so that
 * a bad one fails before anything is watched, and for a file that was not read.
 */
export async function createPrinter(format: OutputFormat, options: PrinterOptions): Promise<Printer> {
  switch (format.kind) {
    case 'table':
      return new TablePrinter({ ...options, wide: format.wide || options.wide });
    case 'json':
      return new JsonPrinter(options);
    case 'yaml':
      return new YamlPrinter(options);
    case 'name':
      return new NamePrinter();
    case 'diff':
      return new DiffPrinter(options);
    case 'changes':
      return new ChangesPrinter(options);
    case 'jq':
      return new JqPrinter(compileJq(format.expression, await loadJqLibrary()), options);
    case 'jsonpath':
      return new JsonPathPrinter(await loadJsonPath(format.template), options);
    case 'custom-columns':
      return new CustomColumnsPrinter(await parseCustomColumns(format.spec), options);
    case 'custom-columns-file':
      return new CustomColumnsPrinter(await parseCustomColumnsFile(format.text), options);
    case 'file':
      throw new InformerError('argument', `the file ${format.path} of -o ${format.of}-file was not read`);
  }
}
