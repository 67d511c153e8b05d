import { Writable } from 'node:stream';
import type { Edges } from '../cli/base-command.ts';
import type { Session } from '../cli/session/session.ts';
import { TextSink } from '../cli/terminal/io.ts';

/** The text that a command prints where an agent asks for it. */
export interface PrintedText {
  readonly text: string;
  /** The lines of stderr. */
  readonly notices: readonly string[];
}

/** Runs a command in this process, and gives what it prints. */
export async function printedBy(
  session: Pick<Session, 'io'>,
  signal: AbortSignal,
  run: (edges: Edges) => Promise<unknown>,
): Promise<PrintedText> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const io = { env: session.io.env, stdout: new TextSink(stdout), stderr: new TextSink(stderr) };
  const { NO_CONFIG } = await import('../cli/args/config-file.ts');
  const called = 'kubectl informer';
  await run({ io, signal, atOnce: new Set(), name: 'mcp', called, config: NO_CONFIG, commands: {} });
  io.stdout.flush();
  io.stderr.flush();
  return { text: stdout.text, notices: stderr.text.split('\n').filter((line) => line !== '') };
}

class Collected extends Writable {
  text = '';

  override _write(text: Buffer | string, _: unknown, done: () => void): void {
    this.text += text;
    done();
  }
}
