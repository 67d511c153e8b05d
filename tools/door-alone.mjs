import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const src = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'src');
const DOOR = path.join(src, 'main.ts');
const SHARED = './kit/private-folder.ts';
const COPY = '?door';

/**
 * The program's door has its own copy of what decides where compiled code is kept: shared with commands, it would be one
 * file more in every start.
 */
export const doorAlone = {
  name: 'door-alone',
  resolveId: (wanted, importer) => (importer === DOOR && wanted === SHARED ? `${path.join(src, SHARED)}${COPY}` : null),
  load: async (id) =>
    id.endsWith(COPY) ? { code: await readFile(id.slice(0, -COPY.length), 'utf8'), moduleType: 'ts' } : null,
};
