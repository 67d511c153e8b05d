/**
 * Makes text from the cluster safe for a terminal. Characters that could move the cursor, change colours, hide text or
 * change its order are shown as text:
 * - ESC as `^[` and a lone carriage return as `\r`, as kubectl does;
 * - other control characters with a caret too (`^H`, `^?`), and a C1 character as its ESC sequence;
 * - characters of text direction or without width, and line and paragraph separators, as `\u202e`; but for the joiner
 *   between two emoji, which makes one picture of them.
 *
 * Line ends and tabs stay. The result cannot be reversed.
 * Source: cli-runtime printers EscapeTerminal; Unicode UAX #9 for the directions.
 */
export function neutralised(text: string): string {
  return UNSAFE.test(text)
    ? text.replace(UNSAFE_ALL, (c, at: number) => (joinsEmoji(text, at) ? c : shown(c, text.charCodeAt(at + 1))))
    : text;
}

const JOINER = '\u200d';
const ENDS_EMOJI = /\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?$/u;
const BEGINS_EMOJI = /^\p{Extended_Pictographic}/u;

/** Whether the character here is a joiner with an emoji on both sides. Source: Unicode UTS #51, ED-16. */
function joinsEmoji(text: string, at: number): boolean {
  if (text[at] !== JOINER) return false;
  return ENDS_EMOJI.test(text.slice(Math.max(0, at - 4), at)) && BEGINS_EMOJI.test(text.slice(at + 1, at + 3));
}

/** A cell as one line: cut with `...` at the first line end, with tabs as spaces, and {@link neutralised}. */
export function cellText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const end = text.search(/[\n\r\f]/);
  const line = (end < 0 ? text : text.slice(0, end)).replaceAll('\t', ' ');
  return end < 0 ? neutralised(line) : `${neutralised(line)}...`;
}

/** {@link neutralised}, with every line but the first indented, so that no line looks like one of the program's own. */
export function continued(text: string): string {
  return neutralised(text).replace(/\r?\n/g, '\n  ');
}

/** {@link neutralised}, except for the colours and weights that printers set. */
export function neutralisedButColours(text: string): string {
  return keeping(text, COLOURS);
}

/** {@link neutralised}, except for screen output: colours, moves and modes of the cursor, lone carriage returns. */
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
 * The safe characters, as ranges of code units: this check is several times faster than one by Unicode class. Not safe
 * are C0, DEL and C1; the soft hyphen; characters of text direction and without width; line and paragraph separators;
 * and U+E0000 to U+E03FF, which begin with U+DB40.
 */
const SAFE_UNITS =
  ' -~\\u00a0-\\u00ac\\u00ae-\\u061b\\u061d-\\u180d\\u180f-\\u200a\\u2010-\\u2027\\u202f-\\u205f\\u2070-\\udb3f\\udb41-\\ufefe\\uff00-\\ufff8\\ufffc-\\uffff';
/** Pairs of units without width: U+E0000 to U+E03FF, and the format controls of shorthand and of musical notation. */
const UNSAFE_PAIRS = '\\udb40[\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]';
const UNSAFE = new RegExp(`[^${SAFE_UNITS}]|${UNSAFE_PAIRS}`);
const UNSAFE_ALL = new RegExp(`${UNSAFE_PAIRS}|[^${SAFE_UNITS}]`, 'g');
const UNSAFE_IN_JSON = new RegExp(`${UNSAFE_PAIRS}|[^\\t\\n\\r${SAFE_UNITS}]`, 'g');
const ESC = '\\x1b';
const COLOURS = new RegExp(`(${ESC}\\[[0-9;]*m)`);
const DRAWING = new RegExp(`(${ESC}\\[\\??[0-9;]*[A-Za-z]|\\r)`);

/** JSON with escapes for all characters that a terminal interprets. JSON.stringify escapes only some of them. */
export function safeJson(text: string): string {
  return UNSAFE.test(text)
    ? text.replace(UNSAFE_IN_JSON, (c) =>
        Array.from({ length: c.length }, (_, i) => unicodeEscape(c.charCodeAt(i))).join(''),
      )
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
