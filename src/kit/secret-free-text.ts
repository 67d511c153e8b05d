/**
 * The fault of a YAML text and its place, from the error of the parser. It quotes no part of the text, which may
 * contain a token or a password: the parser's message shows the lines around the fault, and some reasons name an alias
 * or a tag.
 */
export function yamlFault(cause: unknown): string {
  const { reason, mark } = cause as { reason?: string; mark?: { line: number; column: number } };
  const why = reason === undefined ? 'it cannot be read' : reason.replace(/(?: !<| "|: ).*$/s, '');
  return mark === undefined || mark === null ? why : `${why} (line ${mark.line + 1}, column ${mark.column + 1})`;
}

/** A URL without its user name and password, for an error message. It need not be a valid URL. */
export function withoutLogin(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');
}
