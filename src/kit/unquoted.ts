/**
 * What is wrong with a YAML text and where, from the error of its parser. Quotes nothing of the text, which may hold a token or a password:
 * the parser's own message shows the lines around the fault, and some of its reasons name an alias or a tag.
 */
export function yamlFault(cause: unknown): string {
  const { reason, mark } = cause as { reason?: string; mark?: { line: number; column: number } };
  const why = reason === undefined ? 'it cannot be read' : reason.replace(/(?: !<| "|: ).*$/s, '');
  return mark === undefined || mark === null ? why : `${why} (line ${mark.line + 1}, column ${mark.column + 1})`;
}

/** A URL for an error message, without a name and a password in it. It need not be one that can be read. */
export function withoutLogin(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');
}
