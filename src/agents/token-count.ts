/**
 * Tenths of a token that two letters next to each other cost in a word: none in `in`, most of one in `qx`. A line for each
 * first letter, a digit for each second. Fitted to words, abbreviations and random names as the tokenizers named below
 * read them.
 */
const PAIRS = Uint8Array.from(
  [
    '83118607361000929010443408',
    '25554764365157076535267753',
    '38562760761187068480168676',
    '46750746065568378557466736',
    '47345427558320732121635039',
    '36663474074349045436457448',
    '58851852399665679345477995',
    '07970777198788086683598847',
    '52122207997030019020938392',
    '67862895845667375768699999',
    '97681666375876769956888849',
    '17730688176257089742067828',
    '04780776355457149955368757',
    '26421535163453388631346926',
    '53129409591020219040140477',
    '17631673385169036141365627',
    '75759993999857986676099899',
    '08430548093544075742359807',
    '38360663174567037610167638',
    '37550780097769279343177917',
    '43321639499001619010899989',
    '06570775276557879676856467',
    '36753563395653299355794559',
    '58573797478587949653979546',
    '76993998897950569864999999',
    '66752986689768799978797514',
  ].join(''),
  Number,
);

/** Tokens of a character beyond ASCII, by the first code point from which they hold. */
const BEYOND_ASCII: readonly (readonly [from: number, tokens: number])[] = [
  [0x80, 1.5], // Latin with accents
  [0x250, 2],
  [0x370, 1.5], // Greek
  [0x400, 0.8], // Cyrillic
  [0x530, 2.2],
  [0x590, 1.4], // Hebrew, Arabic
  [0x700, 3],
  [0x900, 2.3], // scripts of India, Thai
  [0xf00, 3],
  [0x10a0, 2.3], // Georgian
  [0x1100, 3],
  [0x1e00, 2.6], // Vietnamese
  [0x1f00, 3],
  [0x2000, 1.5], // dashes, quotation marks
  [0x2070, 2.3], // arrows, lines of trees
  [0x27c0, 3],
  [0x3000, 1.3], // Kana
  [0x3100, 3],
  [0x4e00, 1.8], // Chinese
  [0xa000, 3],
  [0xac00, 1.4], // Korean
  [0xd7b0, 3],
  [0xff00, 1.3], // wide punctuation
  [0xfff0, 3],
  [0x10000, 4],
];

const KINDS = ['blank', 'sign', 'bracket', 'digit', 'small', 'capital'] as const;
type Kind = (typeof KINDS)[number] | 'beyond';

/** The kinds of ASCII characters. */
const KIND_OF: readonly Kind[] = Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (code <= 0x20 || code === 0x7f) return 'blank';
  if ('"\':,{}[]'.includes(character)) return 'bracket';
  if (/[0-9]/.test(character)) return 'digit';
  return /[a-z]/.test(character) ? 'small' : /[A-Z]/.test(character) ? 'capital' : 'sign';
});

const kindAt = (text: string, at: number): Kind | undefined => {
  const code = text.charCodeAt(at);
  return Number.isNaN(code) ? undefined : (KIND_OF[code] ?? 'beyond');
};

/**
 * The tokens of a text. At least as many as the tokenizers cl100k, o200k and the published one of Claude find in tables,
 * JSON, YAML, names and messages, and in tables at most a third more. It is a count of kinds of characters, not a tokenizer:
 * another one may find more in texts that are unlike these.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at) as Kind;
    let end = endOfRun(text, at, kind);
    if (kind === 'small') tokens += ofWord(text, at, end, 0);
    else if (kind === 'capital') {
      const isName = kindAt(text, end) === 'small';
      if (isName && end - at > 1) tokens += ofWord(text, at, --end, CAPITAL);
      else if (isName) {
        end = endOfRun(text, end, 'small');
        tokens += ofWord(text, at, end, 0) + INSIDE;
      } else tokens += ofWord(text, at, end, CAPITAL);
    } else if (kind === 'digit') tokens += Math.ceil((end - at) / 3);
    else if (kind === 'blank') tokens += ofBlanks(text, at, end);
    else if (kind === 'beyond') {
      const point = text.codePointAt(at) as number;
      if (point > 0xffff) end++;
      tokens += BEYOND_ASCII.findLast(([from]) => point >= from)?.[1] ?? 1;
    } else {
      end = endOfSigns(text, at);
      tokens += ofSigns(text, at, end);
    }
    at = end;
  }
  return Math.ceil(tokens * MARGIN);
}

/** For names that are less like words than those that the counts were fitted to. */
const MARGIN = 1.04;

function endOfRun(text: string, from: number, kind: Kind): number {
  let end = from + 1;
  if (kind !== 'beyond') while (kindAt(text, end) === kind) end++;
  return end;
}

function endOfSigns(text: string, from: number): number {
  let end = from + 1;
  for (let kind = kindAt(text, end); kind === 'sign' || kind === 'bracket'; kind = kindAt(text, end)) end++;
  return end;
}

/** Tenths of a token that each further capital letter costs beside its pair. */
const CAPITAL = 1.5;

/** A word that begins within another one, as in `CrashLoop`, is seldom a token of its own. */
const INSIDE = 0.1;

/** Two letters are one token; of more each pair costs what it costs. */
function ofWord(text: string, from: number, end: number, beside: number): number {
  if (end - from < 3) return 1;
  let tenths = 10;
  let before = letterAt(text, from);
  for (let at = from + 1; at < end; at++) {
    const letter = letterAt(text, at);
    tenths += (PAIRS[before * 26 + letter] ?? 10) + beside;
    before = letter;
  }
  return tenths / 10;
}

const letterAt = (text: string, at: number) => (text.charCodeAt(at) | 0x20) - 0x61;

/** A blank before a word or a sign belongs to it. Sixteen in a row are a token, as are a tab and a line's end. */
function ofBlanks(text: string, from: number, end: number): number {
  let tokens = 0;
  for (let at = from; at < end; ) {
    let to = at + 1;
    if (text[at] === ' ') while (to < end && text[to] === ' ') to++;
    const isAlone = to === end && to - at === 1 && text[at] === ' ';
    const next = isAlone ? kindAt(text, to) : undefined;
    if (!isAlone || next === 'digit' || next === 'beyond' || next === undefined) tokens += Math.ceil((to - at) / 16);
    at = to;
  }
  return tokens;
}

/** The signs of JSON come together, others seldom. The same one again and again is cheap. */
function ofSigns(text: string, from: number, end: number): number {
  let tokens = 0;
  for (let at = from; at < end; ) {
    let to = at + 1;
    while (to < end && text[to] === text[at]) to++;
    const each = kindAt(text, at) === 'bracket' ? 0.4 : 0.85;
    tokens += to - at < 3 ? each * (to - at) : Math.ceil((to - at) / 4);
    at = to;
  }
  return Math.max(1, tokens);
}
