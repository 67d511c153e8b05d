import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

type Exports = Record<string, unknown>;

/** Settings of {@link KeptCode}. */
export interface KeptCodeOptions {
  /** The folder of the built files. */
  readonly files: URL;
  /**
   * Where compiled code is kept: for each command elsewhere, as each calls other functions. No other user can write
   * there, because what lies there is run.
   */
  readonly folder: string;
  /** How long this process has run, s. Default: by Node. */
  readonly uptime?: () => number;
}

/** The length of the first part of a kept file: which source the rest was made from, and how long the parts are. */
const HEADER_BYTES = 160;

/** V8 refuses code that was compiled with other options. */
const V8_OPTIONS = `${process.execArgv} ${process.env.NODE_OPTIONS}`;

/** Code that is kept later than this would lack most functions: V8 drops those that were not called for a while. */
const LONGEST_RUN_S = 10;

/** Code that is kept later than this may lack functions: a run of less than half the time keeps its own instead. */
const LONG_RUN_S = 2;

/** A file of the build that was loaded, and where its code is kept. */
interface Loaded {
  readonly script: Script;
  readonly text: string;
  readonly place: string;
  readonly stamp: string;
}

/**
 * Loads files of the build with the code that V8 compiled for them in an earlier run of the same command. Node's own
 * cache keeps only what V8 compiles while it loads a module, and no function: a thousand of them would be compiled again
 * in each run, a fifth of its time.
 *
 * V8 takes kept functions for scripts, so each file is run as one: its imports and exports, which the build writes one
 * way, become calls. All the files of a run must come from here, or its classes would exist twice.
 */
export class KeptCode {
  readonly #options: KeptCodeOptions;
  readonly #loaded = new Map<string, Exports>();
  readonly #scripts: Loaded[] = [];
  readonly #uptime: () => number;
  readonly #startedAt: number;
  #isComplete = true;
  /** The longest run that kept code which this one uses, s. */
  #keptAfterS = 0;

  constructor(options: KeptCodeOptions) {
    this.#options = options;
    this.#uptime = options.uptime ?? process.uptime;
    this.#startedAt = this.#uptime();
  }

  /** Gives the exports of a file. Throws where the file cannot be read, or throws itself. */
  load(file: string): Exports {
    const known = this.#loaded.get(file);
    if (known) return known;
    const exports: Exports = {};
    this.#loaded.set(file, exports);
    const url = new URL(file, this.#options.files);
    this.#compiled(file, url).runInThisContext()(
      exports,
      (name: string) => this.load(name),
      async (name: string) => this.load(name),
      url.href,
    );
    return exports;
  }

  /**
   * Writes the code of all loaded files, if the code of one was missing, of another version, or kept by a long run of
   * more than twice the time. Never throws.
   */
  keep(): void {
    const ranS = this.#uptime() - this.#startedAt;
    const isShorter = this.#keptAfterS > LONG_RUN_S && ranS * 2 < this.#keptAfterS;
    if (ranS > LONGEST_RUN_S || (this.#isComplete && !isShorter)) return;
    try {
      mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
      for (const each of this.#scripts) writeWhole(each.place, keptBytes(each, ranS));
    } catch {} // a full disk, or a folder that cannot be written: the next run compiles again
  }

  #compiled(file: string, url: URL): Script {
    const source = fileURLToPath(url);
    const place = path.join(this.#options.folder, `${file}-${hashOf(`${source} ${V8_OPTIONS}`)}`);
    const stamp = stampOf(source);
    const loaded = keptScript(place, stamp, url.href);
    if (loaded === undefined || loaded.script.cachedDataRejected) this.#isComplete = false;
    else this.#keptAfterS = Math.max(this.#keptAfterS, loaded.ranS);
    const text = loaded?.text ?? scriptOf(readFileSync(source, 'latin1'));
    const script = loaded?.script ?? compiled(text, url.href);
    this.#scripts.push({ script, text, place, stamp });
    return script;
  }
}

const compiled = (text: string, filename: string, cachedData?: Buffer) =>
  new Script(text, {
    filename,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });

/** The text of a file of the build as a script whose result is a function. No line moves. */
export function scriptOf(text: string): string {
  // exports of such a file get their values only later; elsewhere they never change, and copies are faster
  const isLate = text.includes('import { __esmMin');
  const body = text
    .replace(/^import (?:(\{.*\}) from )?"\.\/([\w.-]+)";$/gm, (_, names: string | undefined, file: string) =>
      names === undefined ? `__load("${file}");` : `const ${names.replaceAll(' as ', ': ')} = __load("${file}");`,
    )
    .replace(/^export \{(.*)\};$/gm, (_, names: string) => exported(names, isLate))
    .replace(/^export default (.*);$/gm, '__exports.default = $1;')
    .replaceAll('import("./', '__import("')
    .replace(/\bimport\.meta\.url\b/g, '__url');
  return `(function (__exports, __load, __import, __url) { 'use strict'; ${body}\n})`;
}

function exported(names: string, isLate: boolean): string {
  const pairs = names.split(',').map((each) => each.trim().split(' as '));
  const parts = pairs
    .filter(([name]) => name)
    .map(([name, as = name]) => (isLate ? `get ${as}() { return ${name}; }` : `${as}: ${name}`));
  return isLate
    ? `Object.defineProperties(__exports, Object.getOwnPropertyDescriptors({ ${parts.join(', ')} }));`
    : `Object.assign(__exports, { ${parts.join(', ')} });`;
}

/** Differs for each text of a file: V8 compares only lengths, and would run another text with the wrong code. */
function stampOf(source: string): string {
  const { size, mtimeMs, ctimeMs, ino } = statSync(source);
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** The script is kept beside its code, which is faster than to make it again. */
function keptBytes({ script, text, stamp }: Loaded, ranS: number): Buffer {
  const code = script.createCachedData();
  const begin = codeBegin(text.length);
  const bytes = Buffer.alloc(begin + code.length);
  bytes.write(`${stamp} ${text.length} ${bytes.length} ${ranS.toFixed(2)} `.padEnd(HEADER_BYTES), 'latin1');
  bytes.write(text, HEADER_BYTES, 'latin1');
  code.copy(bytes, begin);
  return bytes;
}

/** V8 copies code that does not begin at a multiple of 8. */
const codeBegin = (textLength: number) => Math.ceil((HEADER_BYTES + textLength) / 8) * 8;

/** Undefined for a file that is not there, of another source, or damaged. */
function keptScript(
  place: string,
  stamp: string,
  url: string,
): (Pick<Loaded, 'script' | 'text'> & { readonly ranS: number }) | undefined {
  try {
    const bytes = readFileSync(place);
    const header = bytes.toString('latin1', 0, HEADER_BYTES);
    if (!header.startsWith(`${stamp} `)) return undefined;
    const [textLength = 0, length, ranS = 0] = header
      .slice(stamp.length + 1)
      .split(' ')
      .map(Number);
    if (length !== bytes.length) return undefined;
    const text = bytes.toString('latin1', HEADER_BYTES, HEADER_BYTES + textLength);
    return { text, ranS, script: compiled(text, url, bytes.subarray(codeBegin(textLength))) };
  } catch {
    return undefined;
  }
}

/** Another run may read the file at this moment. */
function writeWhole(place: string, bytes: Buffer): void {
  const draft = `${place}.${process.pid}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o600 });
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** A short name, so that several installations keep their code beside each other. Source: FNV-1a. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}
