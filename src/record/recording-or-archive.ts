import { closeSync, openSync, readSync } from 'node:fs';
import { InformerError } from '../kit/error.ts';
import { Recording } from './recording.ts';

const ZIP = 'PK\u0003\u0004';
const ENCRYPTED = 'age-encryption.org/v1';

/** Opens a recording, or an archive of k8shark as one. The reader of archives is loaded for an archive alone. */
export async function openRecordingOrArchive(file: string): Promise<Recording> {
  const begin = beginOf(file);
  if (begin.startsWith(ENCRYPTED))
    throw new InformerError('store', `${file}: it is encrypted`, { hint: 'kshrk decrypt makes one that can be read' });
  if (!begin.startsWith(ZIP)) return Recording.open(file);
  return (await import('./k8shark-archive.ts')).recordingOfArchive(file);
}

/** The first bytes of a file; '' of one that cannot be read. */
function beginOf(file: string): string {
  const bytes = Buffer.alloc(ENCRYPTED.length);
  try {
    const opened = openSync(file, 'r');
    readSync(opened, bytes);
    closeSync(opened);
  } catch {}
  return bytes.toString('latin1');
}
