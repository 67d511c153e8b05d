import { readFileSync } from 'node:fs';
import { InformerError, messageOf } from '../../kit/error.ts';
import { oneFile } from '../../kit/one-file.ts';

/** In the package, whose files lie flat in one folder; and in a checkout that was built. */
const PLACES = ['./ui/page.html', '../../../dist/ui/page.html'];

/** The page of `--ui`, as the build made it. Throws `config` in a checkout that was not built. */
export function readUiPage(read: (file: URL) => string = (file) => readFileSync(file, 'utf8')): string {
  if (oneFile) return oneFile.page;
  let cause: unknown;
  for (const place of PLACES) {
    try {
      return read(new URL(place, import.meta.url));
    } catch (error) {
      cause = error;
    }
  }
  throw new InformerError('config', `the page of --ui cannot be read: ${messageOf(cause)}`, {
    cause,
    hint: 'install the package again; in a checkout run npm run build',
  });
}
