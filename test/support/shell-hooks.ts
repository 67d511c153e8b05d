import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from './cli.ts';
import { type Fixture, startFixture } from './fixture.ts';

/** A binding context as a hook reads it. */
export type Context = Record<string, unknown> & {
  readonly objects?: readonly { readonly object: UnknownObject }[];
  readonly object?: UnknownObject;
};

/** The binding of the ConfigMaps of the namespace shop. */
export const MAPS = { name: 'maps', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['shop'] } } };

/** Objects that the fixture, or the server by itself, has. */
const OTHERS = ['kube-root-ca.crt', 'settings'];

/** A cluster, and a folder of hooks for shell-operator. */
export class ShellHooks implements AsyncDisposable {
  readonly fixture: Fixture;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;

  private constructor(fixture: Fixture, folder: string, env: NodeJS.ProcessEnv) {
    this.fixture = fixture;
    this.folder = folder;
    this.env = env;
  }

  static async make(): Promise<ShellHooks> {
    const fixture = await startFixture();
    const runtime = path.join(fixture.folder, 'run');
    await mkdir(runtime, { mode: 0o700 });
    const folder = path.join(fixture.folder, 'hooks');
    await mkdir(folder);
    return new ShellHooks(fixture, folder, { ...fixture.env, XDG_RUNTIME_DIR: runtime });
  }

  /** Writes a hook that appends its contexts to a file, and then does `more`. */
  async add(name: string, config: object, more = ''): Promise<void> {
    await this.script(
      name,
      `#!/bin/sh
if [ "$1" = --config ]; then cat <<'EOF'
${JSON.stringify({ configVersion: 'v1', ...config })}
EOF
exit; fi
printf '%s %s\\n' '${name}' "$(cat "$BINDING_CONTEXT_PATH")" >> '${this.#seenFile}'
${more}
`,
    );
  }

  /** Writes an executable file. */
  async script(name: string, text: string, mode = 0o755): Promise<void> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
  }

  /** The runs so far: the hook, and its contexts. */
  get runs(): { hook: string; contexts: Context[] }[] {
    if (!existsSync(this.#seenFile)) return [];
    const lines = readFileSync(this.#seenFile, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const at = line.indexOf(' ');
      return { hook: line.slice(0, at), contexts: JSON.parse(line.slice(at + 1)) as Context[] };
    });
  }

  /** The contexts so far: `a.sh maps Event Added web`, `a.sh maps Synchronization 2`. */
  get lines(): string[] {
    return this.runs.flatMap(({ hook, contexts }) =>
      contexts.map(({ binding, type, watchEvent, object, objects }) => {
        const names = objects?.map((each) => each.object.metadata.name ?? '').filter((name) => !OTHERS.includes(name));
        return [hook, binding, type, watchEvent, object?.metadata.name, names?.length].filter(isSaid).join(' ');
      }),
    );
  }

  start(...words: string[]): Cli {
    return new Cli(['reconcile', '--shell-operator', this.folder, ...words], { env: this.env });
  }

  async until(line: string): Promise<void> {
    await expect.poll(() => this.lines).toContain(line);
  }

  /** Resolves when the hooks have seen the whole state of their bindings. */
  async ready(cli: Cli): Promise<void> {
    const summary = async () =>
      (await run(['reconcile', 'explain', 'a.sh/maps', '--name', 'hooks'], { env: this.env })).stdout;
    await cli.until(({ stderr }) => stderr.includes(' of '));
    await expect.poll(summary).toMatch(/waits for nothing.* it has \d+ object/);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }

  get #seenFile(): string {
    return path.join(this.fixture.folder, 'seen');
  }
}

const isSaid = (part: unknown) => part !== undefined && part !== '';

/** Ends a program by SIGTERM, and expects that it ends well. */
export async function endedWell(cli: Cli) {
  cli.kill('SIGTERM');
  const end = await cli.ended();
  expect(end.code, end.stderr).toBe(0);
  return end;
}
