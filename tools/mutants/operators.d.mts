/** One edit of one source file. */
export interface RandomMutant {
  readonly file: string;
  readonly at: number;
  readonly find: string;
  readonly replace: string;
  readonly operator: string;
  readonly line: number;
  readonly column: number;
  readonly anchor: number;
}

export function mutantsOf(file: string, source: string): RandomMutant[];
export function syntaxErrors(file: string, source: string): string[];
