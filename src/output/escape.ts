/**
 * Text from the cluster made safe for a terminal: what could move the cursor, change colours or hide text is shown instead of obeyed.
 * ESC prints as `^[` and a lone carriage return as `\r`, as kubectl does; other control characters in the same caret way (`^H`, `^?`; C1 ones
 * as the ESC sequence they stand for). Line ends and tabs stay. Not reversible. Source: cli-runtime printers EscapeTerminal.
 */
export function neutralised(text: string): string {
  return CONTROL.test(text) ? text.replace(CONTROLS, (c, at: number) => shown(c, text.charCodeAt(at + 1))) : text;
}

/** A cell as one line: cut with `...` at the first line end, tabs as spaces, the rest {@link neutralised}. */
export function cellText(text: string): string {
  if (!CONTROL.test(text)) return text;
  const end = text.search(/[\n\r\f]/);
  const line = (end < 0 ? text : text.slice(0, end)).replaceAll('\t', ' ');
  return end < 0 ? neutralised(line) : `${neutralised(line)}...`;
}

/** C0, DEL and C1, told by what they are not: several times faster than by their Unicode class. */
const CONTROL = /[^ -~\u00a0-\uffff]/;
const CONTROLS = /[^ -~\u00a0-\uffff]/g;
const LINE_FEED = 10;

function shown(c: string, next: number): string {
  const code = c.charCodeAt(0);
  if (c === '\n' || c === '\t') return c;
  if (c === '\r') return next === LINE_FEED ? c : '\\r';
  return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `^[${String.fromCharCode(code - 0x40)}`;
}
