import { execFile } from 'node:child_process';
import { oneFile } from '../../kit/one-file.ts';

const MOST_FILES = 50;
const CHECK_MS = 10_000;

/**
 * The place of a syntax error, as `file:line`: that of the first file in which `node --check` finds it. An import
 * rejects with an error without a place. Nothing in the files is run. Resolves with undefined if no file has it.
 */
export async function syntaxPlace(files: readonly string[], message: string): Promise<string | undefined> {
  if (oneFile?.executable) return undefined; // there is no Node that checks
  for (const file of files.slice(0, MOST_FILES)) {
    const place = await placeIn(file, message);
    if (place !== undefined) return place;
  }
  return undefined;
}

function placeIn(file: string, message: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: CHECK_MS, env: { PATH: process.env.PATH } };
    execFile(process.execPath, ['--check', '--', file], options, (_, __, stderr) => {
      const line = /^(?:file:\/\/)?(.+):(\d+)$/m.exec(stderr);
      resolve(line && stderr.includes(message) ? `${file}:${line[2]}` : undefined);
    });
  });
}
