import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';

/** An answer of the server, or an event of a watch, as k8shark records it. */
export interface ArchivedAnswer {
  readonly path: string;
  readonly time: string;
  readonly event?: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly body: object;
  readonly code?: number;
}

interface ArchiveOptions {
  readonly version?: number;
  /** Entries are deflated too, which a reader must take. */
  readonly isDeflated?: boolean;
  readonly until: string;
}

/** Writes an archive in the form that docs/archive-format.md of k8shark describes. */
export function writeArchive(
  file: string,
  answers: readonly ArchivedAnswer[],
  { version = 2, isDeflated = false, until }: ArchiveOptions,
): void {
  const entries: [name: string, bytes: Buffer][] = [];
  const put = (name: string, json: object) =>
    entries.push([`k8shark-capture/${name}`, name.endsWith('.zst') ? zstdCompressSync(JSON.stringify(json)) : Buffer.from(JSON.stringify(json))]); // biome-ignore format: one line
  const index = (isOfEvents: boolean) => {
    const numbered = answers.map((answer) => {
      const seq = answers.filter(({ path }) => path === answer.path).indexOf(answer);
      return { ...answer, seq };
    });
    const chosen = numbered.filter(({ event }) => (event !== undefined) === isOfEvents);
    const paths = [...Map.groupBy(chosen, ({ path }) => path)].map(([path, of]) => [
      path,
      {
        api_path: path,
        seqs: of.map(({ seq }) => seq),
        times: of.map(({ time }) => time),
        ...(isOfEvents ? { event_types: of.map(({ event }) => event) } : {}),
      },
    ]);
    for (const { path, time, event, body, code = 200, seq } of chosen) {
      const folder = createHash('sha256').update(path).digest('hex').slice(0, 16);
      put(`records/${folder}/${seq}.json.zst`, { id: `${path}${seq}`, captured_at: time, api_path: path, event_type: event, http_method: 'GET', response_code: code, response_body: body }); // biome-ignore format: one line
    }
    return version === 1 ? Object.fromEntries(paths) : { entries: Object.fromEntries(paths) };
  };
  put('index.json.zst', index(false));
  put('watch-index.json.zst', index(true));
  put('metadata.json', { format_version: version, captured_at: answers[0]?.time, captured_until: until });
  writeFileSync(file, zipped(entries, isDeflated));
}

function zipped(entries: readonly [name: string, bytes: Buffer][], isDeflated: boolean): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, bytes] of entries) {
    const content = isDeflated ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isDeflated ? 8 : 0, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), content]);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, place, Buffer.from(name));
    files.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, listed, Buffer.from('PK\u0005\u0006'), end]);
}
