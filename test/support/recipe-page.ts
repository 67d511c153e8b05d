/** A line of a recipe's commands: what is typed, what is typed in another terminal, or what is printed. */
export interface RecipeLine {
  readonly kind: 'typed' | 'elsewhere' | 'printed';
  readonly text: string;
}

/** One recipe of a page: its title, the files that it shows, and its commands with their output. */
export interface Recipe {
  readonly title: string;
  readonly prose: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly lines: readonly RecipeLine[];
}

/** The recipes of a page: its third-level headings with the blocks below each. */
export function recipesOf(page: string): Recipe[] {
  return page
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const title = text.slice(0, text.indexOf('\n'));
      const section = text.slice(title.length).split(/^## /m)[0] ?? '';
      const blocks = [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
      return {
        title,
        prose: section.replaceAll(/^```.*?^```$/gms, '').trim(),
        files: blocks.filter(([, language]) => language).map(([, , code = '']) => ({ name: nameOf(code), text: code })),
        lines: blocks.filter(([, language]) => !language).flatMap(([, , code = '']) => linesOf(code)),
      };
    });
}

/** A shown file is named by a comment in its first or second line. */
const nameOf = (code: string) => /^(?:\/\/|#) (\S+\.\w+)$/m.exec(code)?.[1] ?? '';

const ELSEWHERE = '# elsewhere: ';

function linesOf(code: string): RecipeLine[] {
  return code
    .trimEnd()
    .split('\n')
    .map((text) => {
      if (text.startsWith('$ ')) return { kind: 'typed', text: text.slice(2) };
      if (text.startsWith(ELSEWHERE)) return { kind: 'elsewhere', text: text.slice(ELSEWHERE.length) };
      return { kind: 'printed', text };
    });
}

/** A printed line without what differs from one run to the next: widths of columns, ages, times, hashes, marks. */
export const alike = (line: string) =>
  line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(\d+(ms|[smhdy]))+\b/g, 'AGE')
    .replaceAll(/hmac:[0-9a-f]{8}/g, 'MARK')
    .replaceAll(/"[0-9a-f]{12}"/g, 'HASH')
    .replaceAll(/ +/g, ' ')
    .trim();
