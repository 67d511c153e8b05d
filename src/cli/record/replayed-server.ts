import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGvr } from '../../model/gvr.ts';
import { gapText, momentText, recordedMoment, unseenText } from '../../record/moments.ts';
import type { MarkedGap, RecordedSource, Recording } from '../../record/recording.ts';
import { openRecordingOrArchive } from '../../record/recording-or-archive.ts';
import { Replay, type ReplayOptions } from '../../record/replay.ts';
import type { CommandLine } from '../args/argv.ts';
import type { ReplayFlags } from '../args/record-flags.ts';
import type { CommandSession, ServerInstead } from '../session/session.ts';
import type { Io } from '../terminal/io.ts';
import { writeNotice } from '../terminal/notice.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { ofRecording, recordedServer, sayEnd } from './recorded-server.ts';

/** A recording that goes by in the place of a cluster. Disposing closes its file. */
export interface ReplayedServer extends ServerInstead, Disposable {
  /** Lets it go by. Its end ends the command. */
  play(session: CommandSession): void;
  /** Names a reader that, at the highest speed, is waited for while it works. */
  follow(isBusy: () => boolean): void;
}

export type ChosenReplay = ReplayFlags & { readonly from: string };

export interface ReplayChoice {
  readonly flags: ChosenReplay;
  readonly given: CommandLine['given'];
  /** The speed without --speed. */
  readonly speed: number;
  /** Answers with the state of one moment. */
  readonly once: boolean;
}

/** A recording that goes by. Disposing closes its file. */
export interface OpenReplay extends Disposable {
  readonly recording: Recording;
  readonly replay: Replay;
  /** Says how far what was read is known to be complete at the end. */
  sayEnd(): void;
}

/** Opens the recording of `--from`. Throws `store` for the file, `argument` for a time or a speed. */
export async function replayedServer({ flags, given, speed, once }: ReplayChoice, io: Io): Promise<ReplayedServer> {
  if (once)
    return {
      ...(await recordedServer({ from: flags.from, at: flags.seek }, given, io)),
      play: () => {},
      follow: () => {},
    };
  let isBusy = () => false;
  const { recording, replay, ...opened } = await openReplay(flags, speed, io, { isBusy: () => isBusy() });
  return {
    transport: replay,
    clock: { ...systemClock, now: () => replay.now },
    explained: (error) => ofRecording(error, recording),
    play(session) {
      const ended = (unlisted: readonly RecordedSource[]) => {
        opened.sayEnd();
        session.end(unlisted[0] ? noList(unlisted[0]) : new StreamEnd('recording'));
      };
      replay.run(session.signal).then(ended, (error) => session.end(error));
    },
    follow: (reader) => {
      isBusy = reader;
    },
    [Symbol.dispose]: opened[Symbol.dispose],
  };
}

/** Opens the recording of `--from` at the moment of `--seek`. Throws `store` for the file, `argument` for a flag. */
export async function openReplay(
  flags: ChosenReplay,
  usual: number,
  io: Io,
  { isBusy, writeServer }: Pick<ReplayOptions, 'isBusy' | 'writeServer'> = {},
): Promise<OpenReplay> {
  const { from, seek } = flags;
  const speed = flags.speed === undefined ? usual : speedOf(flags.speed);
  const recording = await openRecordingOrArchive(from);
  try {
    const { runs } = recording;
    const end = Math.max(0, ...runs.map(({ until }) => until));
    const begin = runs[0]?.began ?? 0;
    const at = seek === undefined ? begin : recordedMoment(seek, end, '--seek');
    if (at < begin || at > end)
      throw new InformerError('argument', `--seek ${seek} is not in the recording`, {
        hint: `it goes from ${momentText(begin)} to ${momentText(end)}`,
      });
    const read = new Set<RecordedSource>();
    const say = (text: string | undefined) => text !== undefined && writeNotice(io, text);
    const onRead = (source: RecordedSource) => {
      if (seek !== undefined) say(unseenText(recording, source, at));
      read.add(source);
    };
    const onGap = ({ type }: RecordedSource, gap: MarkedGap) =>
      say(`${formatGvr(type.gvr)}: recorded with a ${gapText(gap)}`);
    const onHidden = ({ type }: RecordedSource, key: string) =>
      say(`${formatGvr(type.gvr)} ${key} was written to: what was recorded of it from here on is not shown`);
    const options = { recording, from: at, speed, clock: systemClock, onRead, onGap, onHidden, isBusy, writeServer };
    return {
      recording,
      replay: new Replay(options),
      sayEnd() {
        for (const source of read) say(unseenText(recording, source, end));
        sayEnd(recording, io);
      },
      [Symbol.dispose]: () => recording[Symbol.dispose](),
    };
  } catch (error) {
    recording[Symbol.dispose]();
    throw error;
  }
}

const noList = ({ type }: RecordedSource) =>
  new InformerError('store', `${formatGvr(type.gvr)}: no list of it was recorded`, {
    hint: 'the command that recorded ended before it had read all objects of the type',
  });

function speedOf(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY;
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(text)?.[1]);
  if (factor > 0) return factor;
  throw new InformerError('argument', `invalid argument "${text}" for "--speed": expected a factor`, {
    hint: 'such as 1x, 0.5x, 10x or max',
  });
}
