import { readFile } from 'node:fs/promises';
import { InformerError, messageOf } from '../../kit/error.ts';
import { fileOf } from '../../output/formats.ts';

/**
 * The value of `-o` with the text of its file in place of the path, also for a process with another working directory.
 * Throws `argument` when the file cannot be read.
 */
export async function withTemplateText(output: string): Promise<string> {
  const file = fileOf(output);
  if (file === undefined) return output;
  try {
    return file.ofText + (await readFile(file.path, 'utf8'));
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${file.path} of -o ${file.format}: ${messageOf(cause)}`, {
      cause,
    });
  }
}
