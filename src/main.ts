import { processIo } from './cli/io.ts';
import { versionLine } from './package.ts';

/** The program. What can be answered without loading anything is. Never rejects; the exit code is the process's. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const io = processIo();
  if (argv.length === 1 && argv[0] === '--version') {
    io.stdout.write(versionLine());
    return;
  }
  const { program } = await import('./program.ts');
  await program(argv, io);
}
