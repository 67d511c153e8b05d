import { systemClock } from '../../kit/clock.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { momentText, QUIET_MS, recordedMoment, unseenText } from '../../record/moments.ts';
import { RecordedApi } from '../../record/recorded-api.ts';
import type { Coverage, RecordedSource, Recording } from '../../record/recording.ts';
import { openRecordingOrArchive } from '../../record/recording-or-archive.ts';
import type { CommandLine } from '../args/argv.ts';
import type { ServerInstead } from '../session/session.ts';
import type { Io } from '../terminal/io.ts';
import { writeNotice } from '../terminal/notice.ts';

/** A recording in the place of a cluster. Disposing closes its file. */
export interface RecordedServer extends ServerInstead, Disposable {
  readonly recording: Recording;
  /** The moment that is asked, wall-clock ms. */
  readonly at: number;
  /** Says on stderr what may be missing of a source at this moment. */
  read(source: RecordedSource): void;
}

/** A recording, and the moment of it that is asked. Default: its end. */
export interface RecordedMoment {
  readonly from: string;
  readonly at?: string | undefined;
  /** The flag that names the moment. */
  readonly flag?: string;
}

/**
 * Opens the recording of `--from` at the moment of `--at`. For a moment at which something may be missing, stderr says
 * so, type by type, when it is read. Throws `store` for the file, `argument` for the time.
 */
export async function recordedServer(
  { from, at: text, flag = '--at' }: RecordedMoment,
  given: CommandLine['given'],
  io: Io,
): Promise<RecordedServer> {
  const recording = await openRecordingOrArchive(from);
  try {
    const end = Math.max(0, ...recording.runs.map(({ until }) => until));
    const at = text === undefined ? end : recordedMoment(text, end, flag);
    const [run] = recording.runs;
    if (text !== undefined && run && at < run.began)
      throw new InformerError('argument', `${flag} ${text} is before the recording`, {
        hint: `it begins at ${momentText(run.began)}`,
      });
    if (given.get('at') === undefined && text === undefined) sayEnd(recording, io);
    const read = (source: RecordedSource) => {
      const isRecent = text === undefined && isJustBehind(recording.coverage(source.id, at), at);
      const unseen = isRecent ? undefined : unseenText(recording, source, at);
      if (unseen !== undefined) writeNotice(io, unseen);
    };
    return {
      recording,
      at,
      read,
      transport: new RecordedApi({ recording, at, onRead: read }),
      clock: { ...systemClock, now: () => at },
      explained: (error) => ofRecording(error, recording),
      [Symbol.dispose]: () => recording[Symbol.dispose](),
    };
  } catch (error) {
    recording[Symbol.dispose]();
    throw error;
  }
}

/** Whether a moment is after the last sign of life, and not longer than a quiet watch leaves it. */
const isJustBehind = (coverage: Coverage, at: number) =>
  coverage.kind === 'outside' && coverage.last !== undefined && at >= coverage.last && at - coverage.last <= QUIET_MS;

/** The error of a word of the command line, in the words of a recording. */
export function ofRecording(error: unknown, { sources }: Recording): unknown {
  if (!isInformerError(error, 'discovery')) return error;
  const names = [...new Set(sources.map(({ type }) => formatGroupResource(type.gvr)))];
  return new InformerError('discovery', error.message.replace(/^the server doesn't have a resource type/, LACKS), {
    hint: names.length === 0 ? 'it has no type' : `it has ${names.join(', ')}`,
  });
}

const LACKS = 'the recording does not have';

/** Says of a recording without an orderly end how far it goes. */
export function sayEnd(recording: Recording, io: Io): void {
  const run = recording.runs.at(-1);
  if (run && !run.isEnded)
    writeNotice(
      io,
      `the recording goes on, or its process was killed: it is complete until ${momentText(run.until)}, and the second after that may be missing`,
    );
}
