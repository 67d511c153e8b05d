import { readFile } from 'node:fs/promises';
import { InformerError, messageOf } from '../../kit/error.ts';

/** The text of the file of `-o FORMAT-file=PATH`. Throws `argument` when it cannot be read. */
export async function templateText(format: 'jsonpath' | 'custom-columns', path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${path} of -o ${format}-file: ${messageOf(cause)}`, { cause });
  }
}

/** The value of `-o` with the text of its file in place of the path, for a process with another working directory. */
export async function withTemplateText(output: string): Promise<string> {
  const [, format, path] = /^(jsonpath|custom-columns)-file=(.+)$/s.exec(output) ?? [];
  if (format === 'jsonpath') return `jsonpath=${await templateText(format, path as string)}`;
  if (format === 'custom-columns') return `custom-columns-text=${await templateText(format, path as string)}`;
  return output;
}
