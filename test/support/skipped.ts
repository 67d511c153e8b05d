/** The end of a title that says why its tests are skipped; nothing when they are not. */
export const skipped = (reason: string | undefined): string => (reason ? ` (skipped: ${reason})` : '');
