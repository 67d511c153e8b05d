import type { RandomMutant } from './operators.mjs';

export function switched(
  file: string,
  source: string,
  edits: readonly (RandomMutant & { readonly id: number })[],
): string;
