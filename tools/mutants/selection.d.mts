import type { RandomMutant } from './operators.mjs';

export interface Explanation {
  readonly file: string;
  readonly find?: string;
  readonly replace?: string;
  readonly within?: string;
  readonly why: string;
}

export function roomFiles(): string[];
export function choose(options: { count: number; seed: number; only?: string }): RandomMutant[];
export function explanations(): Explanation[];
export function explanationOf(mutant: RandomMutant, entries: readonly Explanation[]): string | undefined;
export const testsFor: (file: string) => { readonly test: string; readonly distance: number; readonly stage: string }[];
export const sourceOf: (file: string) => string;
