/** The longest line of a comment, in characters. */
const WIDTH = 110;

/**
 * A doc comment with a text from a cluster, or '' for an empty text. The text cannot end the comment, speak to the
 * compiler or move a terminal's cursor.
 */
export function docComment(text: string, indent: string): string {
  const lines = wrapped(harmless(text), WIDTH - indent.length);
  if (lines.length === 0) return '';
  if (lines.length === 1 && lines[0] !== undefined) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** The text without ends of comments, directives (`@ts-ignore`), control characters, and signs that turn the order. */
function harmless(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/(?![\n\t])\p{C}/gu, '')
    .replaceAll('\t', '  ')
    .replaceAll(/\*(?=\/)/g, '* ')
    .replaceAll(/@(?=ts-)/g, '@ ');
}

/** Paragraphs and lines of lists stay apart; longer ones are cut between words. */
function wrapped(text: string, width: number): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.flatMap((line) => cutLine(line, width));
  return found.slice(
    found.findIndex((line) => line !== ''),
    found.findLastIndex((line) => line !== '') + 1,
  );
}

function cutLine(line: string, width: number): string[] {
  const cut: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const at = blank > 0 ? blank : rest.indexOf(' ', width);
    if (at < 1) break;
    cut.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...cut, rest];
}
