import { safeJson } from '../escape.ts';

/** Shows what an expression says by `debug` and `stderr`, with nothing that a terminal would obey. */
export function warnOf(text: string): void {
  process.emitWarning(safeJson(text.trimEnd()), 'jq');
}
