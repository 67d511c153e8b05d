/**
 * The number of terminal cells that a text takes: two for wide characters (CJK, most emoji), none for combining marks.
 * Terminals differ for a few characters. kubectl's tables, and the appended tables of this program, count code points
 * instead.
 */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const c of text) width += widthOfCharacter(c);
  return width;
}

/** The longest beginning of a text that takes at most `places` terminal cells. */
export function cutToWidth(text: string, places: number): string {
  if (displayWidth(text) <= places) return text;
  let width = 0;
  let end = 0;
  for (const c of text) {
    width += widthOfCharacter(c);
    if (width > places) break;
    end += c.length;
  }
  return text.slice(0, end);
}

const NARROW = /^[\u0020-\u02ff]*$/;
const JOINING = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]$|^\p{Emoji_Presentation}$/u;

/** Source: Unicode UAX #11. */
function widthOfCharacter(c: string): number {
  if (JOINING.test(c)) return 0;
  return WIDE.test(c) ? 2 : 1;
}

/** A text of at most `places` terminal cells: of a longer one the middle is left out. */
export function withoutMiddle(text: string, places: number, ascii: boolean): string {
  if (displayWidth(text) <= places) return text;
  const gap = ascii ? '...' : '…';
  const room = Math.max(0, places - gap.length);
  const start = cutToWidth(text, Math.ceil(room / 2));
  return `${start}${gap}${endOf(text, room - displayWidth(start))}`;
}

/** The longest end of a text that takes at most `places` terminal cells. */
function endOf(text: string, places: number): string {
  const characters = [...text];
  let end = '';
  while (characters.length > 0) {
    const longer = characters.pop() + end;
    if (displayWidth(longer) > places) break;
    end = longer;
  }
  return end;
}
