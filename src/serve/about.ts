import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A running serve, as it describes itself to other commands of the same user. It holds no credential. */
export interface ServeAbout {
  /** The version of its protocol. */
  readonly protocol: number;
  /** The version of its program. */
  readonly version: string;
  readonly pid: number;
  /** When it was started, RFC 3339. */
  readonly started: string;
  readonly server: string;
  readonly context?: string | undefined;
  readonly user?: string | undefined;
  /** See `connectionRecord`. Undefined if a secret is a part of it. */
  readonly record?: string | undefined;
}

/** The kind of the runtime folder, and so the name of the folder of all serves of a user. */
export const SERVES = 'serve';

export const ABOUT = 'about.json';

/** The description in a folder; undefined if there is none that can be read. */
export function aboutIn(folder: string): ServeAbout | undefined {
  try {
    const about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8')) as Partial<ServeAbout> | null;
    return typeof about?.protocol === 'number' && typeof about.pid === 'number' ? (about as ServeAbout) : undefined;
  } catch {
    return undefined; // it ends right now
  }
}
