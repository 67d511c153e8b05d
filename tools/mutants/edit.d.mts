export interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly at?: number;
}

export function edited(source: string, edit: Edit): string | undefined;
