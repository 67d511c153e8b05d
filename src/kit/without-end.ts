/** The text without those of these characters at its end. In linear time, which a pattern such as `0+$` is not. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}
