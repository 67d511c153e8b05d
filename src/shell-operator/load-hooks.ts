import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runChildProcess } from '../hooks/run/child-process.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { HookFile } from './find-hooks.ts';
import type { OperatorConfig } from './hook-config.ts';
import { readHookConfig } from './read-config.ts';

/** A hook with its configuration. */
export interface OperatorHook extends HookFile {
  readonly config: OperatorConfig;
}

export interface LoadOptions {
  /** The folder of the hooks, in which each is asked. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Asks each hook for its configuration, one after the other. Throws `argument` at the first that has none to use. */
export async function loadHooks(files: readonly HookFile[], options: LoadOptions): Promise<OperatorHook[]> {
  const hooks: OperatorHook[] = [];
  for (const each of files)
    hooks.push({ ...each, config: await readHookConfig(each.name, await configOf(each, options)) });
  return hooks;
}

/** Time for a hook to print its configuration, ms: some load an interpreter and its libraries. */
const LONGEST_CONFIG_MS = 60_000;

async function configOf({ name, file }: HookFile, { folder, env, clock, signal }: LoadOptions): Promise<string> {
  const out: Buffer[] = [];
  const said: string[] = [];
  const late = AbortSignal.timeout(LONGEST_CONFIG_MS);
  const refuse = (why: string, cause?: unknown): never => {
    const hint = said.length > 0 ? said.slice(-3).join(' | ') : `run ${name} --config to see what it prints`;
    throw new InformerError('argument', `the hook ${name} gives no configuration: ${why}`, { cause, hint });
  };
  const end = await runChildProcess(file, {
    args: ['--config'],
    env,
    cwd: folder,
    input: '',
    signal: AbortSignal.any([signal, late]),
    graceMs: 1_000,
    clock,
    onStdout: (chunk) => out.push(chunk),
    onStderrLine: (line) => void (line.trim() === '' || said.push(line)),
  }).catch((error) => {
    signal.throwIfAborted();
    return refuse(late.aborted ? `it took longer than ${LONGEST_CONFIG_MS / 1000} s` : startFault(error, file), error);
  });
  if (end.code !== 0) refuse(end.code === null ? `it was ended by ${end.signal}` : `it exited with ${end.code}`);
  return Buffer.concat(out).toString('utf8');
}

function startFault(error: unknown, file: string): string {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT')
    return /^[^\n]*\r\n/.test(readFileSync(file, 'utf8'))
      ? 'its first line ends as on Windows (CR LF), which no interpreter has in its name'
      : 'the interpreter that its first line names was not found';
  return code === 'EACCES' ? `${path.basename(file)} may not be executed` : messageOf(error);
}
