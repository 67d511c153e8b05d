// The printers that are loaded with every command that prints: one file, since each file more is felt in a start. A
// printer that needs a library is loaded by its format instead.
export { loadJsonPath } from '../expr/jsonpath/load-jsonpath.ts';
export { ChangesPrinter } from './changes/changes-printer.ts';
export { DiffPrinter } from './changes/diff-printer.ts';
export { compileJq } from './jq/jq-expression.ts';
export { loadJqLibrary } from './jq/jq-library.ts';
export { KyamlPrinter, kyamlDocument } from './objects/kyaml-printer.ts';
export {
  JsonPathPrinter,
  JsonPrinter,
  jsonList,
  NamePrinter,
  NdjsonPrinter,
  ndjsonList,
  YamlPrinter,
  yamlList,
} from './objects/structured.ts';
export { countsAsTable } from './tables/count-table.ts';
export { CsvPrinter, CustomCsvPrinter, countsAsCsv, countsAsTsv, TsvPrinter } from './tables/csv-printer.ts';
export {
  CustomColumnsPrinter,
  parseCsvColumns,
  parseCustomColumns,
  parseCustomColumnsFile,
} from './tables/custom-columns.ts';
export { TablePrinter } from './tables/table-printer.ts';
export { treesAsTable } from './tables/tree-table.ts';
