import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from './processes.ts';

/** A `serve` in a process of its own, ready for questions, until disposal. `text` is what it wrote on stderr. */
export async function serving({ command, args }: Command, env: Readonly<Record<string, string>>) {
  const child = spawn(command, [...args], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] }); // biome-ignore format: one line
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`the serve ended: ${text}`)));
  });
  return {
    pid: child.pid,
    text,
    async [Symbol.asyncDispose]() {
      child.removeAllListeners('exit');
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
