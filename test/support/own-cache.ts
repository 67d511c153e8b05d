import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A cache folder for the programs that one test file starts. Discovery is kept by server address, and a port that
 * another test's server had comes back: what was kept of that server would be taken for this one's.
 */
export const OWN_CACHE = mkdtempSync(path.join(tmpdir(), 'informer-cache-'));

process.on('exit', () => rmSync(OWN_CACHE, { recursive: true, force: true }));
