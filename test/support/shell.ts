import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { OWN_CACHE } from './own-cache.ts';
import { PTY_MAKER } from './terminal.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** How an interactive shell is started without the files of its user. */
const STARTS = { bash: 'bash --noprofile --norc -i', zsh: 'zsh -f -i', fish: 'fish --no-config -i' } as const;

export type ShellName = keyof typeof STARTS;

/** Why tests of this shell are skipped; undefined when they are not. */
export function noShell(name: ShellName): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  if (PTY_MAKER === undefined) return 'no script(1) of util-linux here to make a pseudo-terminal';
  return folders.some((folder) => existsSync(path.join(folder, name))) ? undefined : `${name} is not installed`;
}

/** A folder with the package's executables by the names that npm gives them, and the `node` of the test. */
export function installedNames(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'informer-bin-'));
  symlinkSync(process.execPath, path.join(folder, 'node'));
  symlinkSync(path.join(ROOT, 'bin/run.js'), path.join(folder, 'kubectl-informer'));
  symlinkSync(path.join(ROOT, 'bin/complete.js'), path.join(folder, 'kubectl_complete-informer'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** An interactive shell on a pseudo-terminal. */
export class Shell {
  readonly child: ChildProcess;
  #text = '';
  readonly #ended: Promise<unknown>;

  constructor(name: ShellName, { env }: { env: Readonly<Record<string, string>> }) {
    const command = `stty rows 50 cols 200; exec ${STARTS[name]}`;
    this.child = spawn(PTY_MAKER ?? 'script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      env: { HOME: OWN_CACHE, XDG_CACHE_HOME: OWN_CACHE, TERM: 'xterm', LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#text += text;
    });
    this.#ended = once(this.child, 'close');
  }

  /** All that came, without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll(/(?!\n)\p{Cc}/gu, '');
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Resolves when what came satisfies `condition`; rejects, with what came, after 60 s. */
  async until(condition: (text: string) => boolean, what: string): Promise<void> {
    const end = Date.now() + 60_000;
    while (!condition(this.text)) {
      if (Date.now() > end || this.child.exitCode !== null) throw new Error(`no ${what} in:\n${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Writes a file in a folder, and gives its path. */
export function fileIn(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}
