import path from 'node:path';
import { isListening } from '../../serve/client/listening.ts';
import { servesOf } from '../../serve/find.ts';
import type { LoginFlagValues } from '../session/load-options.ts';
import { serveKeyOf } from '../session/program-key.ts';
import type { Io } from '../terminal/io.ts';

/** The recording that a running serve of this cluster and user makes. */
export interface ServeRecording {
  readonly file: string;
  /** The namespace of the context. */
  readonly namespace: string;
  /** Which one it is, for a person. */
  readonly text: string;
}

/** The recording of the serve to which the flags lead. Undefined without one, or if it is not to be used. */
export async function recordingOfServe(
  flags: LoginFlagValues & { readonly 'no-serve': boolean; readonly sandbox?: boolean; readonly scenario?: string | undefined }, // biome-ignore format: one line
  io: Io,
): Promise<ServeRecording | undefined> {
  if (flags['no-serve'] || flags.sandbox || flags.scenario !== undefined) return undefined;
  const recording = servesOf(io.env).filter(({ about }) => about.recording !== undefined);
  if (recording.length === 0) return undefined;
  const found = await serveKeyOf(flags, io);
  const serve = recording.find(({ folder }) => path.basename(folder) === found?.key);
  if (!found || !serve || !(await isListening(serve.socket))) return undefined;
  const { pid, recording: file = '' } = serve.about;
  return {
    file,
    namespace: found.namespace,
    text: `from ${file}, which the serve with pid ${pid} records; --no-serve asks the cluster`,
  };
}
