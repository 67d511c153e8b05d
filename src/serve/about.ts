import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A running serve, as it describes itself to other commands of the same user. It holds no credential. */
export interface ServeAbout {
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
  /** Its login runs no plugin, so no variable chooses an account: other commands' variables may differ. */
  readonly anyAccount?: boolean | undefined;
  /** The file into which it records; undefined if it does not. */
  readonly recording?: string | undefined;
}

/** The kind of the runtime folder, and so the name of the folder of all serves of a user. */
export const SERVES = 'serve';

export const ABOUT = 'about.json';

/** The description in a folder; undefined if there is none that can be read. */
export function aboutIn(folder: string): ServeAbout | undefined {
  let about: Partial<ServeAbout> | null = null;
  try {
    about = JSON.parse(readFileSync(path.join(folder, ABOUT), 'utf8'));
  } catch {
    // it ends right now
  }
  return typeof about?.protocol === 'number' && typeof about.pid === 'number' ? (about as ServeAbout) : undefined;
}

/**
 * Whether two connection records lead to the same cluster and user. `anyAccount`: the login runs no plugin, which could choose an
 * account by a variable.
 */
export function isSameConnection(one: string | undefined, other: string | undefined, anyAccount = false): boolean {
  if (one === undefined || other === undefined) return false;
  return one === other || (anyAccount && withoutAccount(one) === withoutAccount(other));
}

/** The account is the last part of a record. */
const withoutAccount = (record: string) => record.slice(0, record.lastIndexOf(',"account":'));
