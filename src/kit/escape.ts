/**
 * Text from the cluster made safe for a terminal: what could move the cursor, change colours, hide text or change its order is shown instead of
 * obeyed. ESC prints as `^[` and a lone carriage return as `\r`, as kubectl does; other control characters in the same caret way (`^H`, `^?`; C1
 * ones as the ESC sequence they stand for). Characters for text direction, of no width, and line and paragraph separators print as `\u202e`.
 * Line ends and tabs stay. Not reversible. Source: cli-runtime printers EscapeTerminal; Unicode UAX #9 for the directions.
 */
export function neutralised(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (c, at: number) => shown(c, text.charCodeAt(at + 1))) : text;
}

/** A cell as one line: cut with `...` at the first line end, tabs as spaces, the rest {@link neutralised}. */
export function cellText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const end = text.search(/[\n\r\f]/);
  const line = (end < 0 ? text : text.slice(0, end)).replaceAll('\t', ' ');
  return end < 0 ? neutralised(line) : `${neutralised(line)}...`;
}

/** {@link neutralised}, with every line but the first indented: text of another's cannot begin a line that looks like one of the program's own. */
export function continued(text: string): string {
  return neutralised(text).replace(/\r?\n/g, '\n  ');
}

/** {@link neutralised} but for the colours and weights that printers set. */
export function neutralisedButColours(text: string): string {
  return keeping(text, COLOURS);
}

/** {@link neutralised} but for what draws on a screen: colours, moves and modes of the cursor, lone carriage returns. */
export function neutralisedButDrawing(text: string): string {
  return keeping(text, DRAWING);
}

function keeping(text: string, own: RegExp): string {
  if (!UNSAFE.test(text)) return text;
  return text
    .split(own)
    .map((part, i) => (i % 2 === 1 ? part : neutralised(part)))
    .join('');
}

/**
 * The characters that are safe, by ranges of code units: several times faster to tell than by their Unicode class. Left out are C0, DEL and C1; the
 * soft hyphen; marks of direction and of no width; separators of lines and paragraphs; U+E0000 to U+E03FF, which begin with U+DB40.
 */
const SAFE_UNITS =
  ' -~\\u00a0-\\u00ac\\u00ae-\\u061b\\u061d-\\u180d\\u180f-\\u200a\\u2010-\\u2027\\u202f-\\u205f\\u2070-\\udb3f\\udb41-\\ufefe\\uff00-\\ufff8\\ufffc-\\uffff';
const UNSAFE = new RegExp(`[^${SAFE_UNITS}]`);
const UNSAFE_ALL = new RegExp(`\\udb40[\\udc00-\\udfff]|[^${SAFE_UNITS}]`, 'g');
const UNSAFE_IN_JSON = new RegExp(`\\udb40[\\udc00-\\udfff]|[^\\t\\n\\r${SAFE_UNITS}]`, 'g');
const ESC = '\\x1b';
const COLOURS = new RegExp(`(${ESC}\\[[0-9;]*m)`);
const DRAWING = new RegExp(`(${ESC}\\[\\??[0-9;]*[A-Za-z]|\\r)`);

/** JSON leaves some characters as they are that a terminal obeys or that change what it shows; here they are escaped as the lower controls are. */
export function safeJson(text: string): string {
  return UNSAFE.test(text)
    ? text.replace(UNSAFE_IN_JSON, (c) => Array.from({ length: c.length }, (_, i) => unicodeEscape(c.charCodeAt(i))).join(''))
    : text;
}

const unicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const LINE_FEED = 10;

function shown(c: string, next: number): string {
  const code = c.charCodeAt(0);
  if (c === '\n' || c === '\t') return c;
  if (c === '\r') return next === LINE_FEED ? c : '\\r';
  if (c.length > 1) return `\\u{${c.codePointAt(0)?.toString(16)}}`;
  if (code > 0x9f) return unicodeEscape(code);
  return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `^[${String.fromCharCode(code - 0x40)}`;
}
