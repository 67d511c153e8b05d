import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One recorded exchange with a real kube-apiserver. */
export interface Exchange {
  readonly title: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly as: 'admin' | 'viewer' | 'anonymous';
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly stream?: readonly { readonly afterMs: number; readonly event: unknown }[];
    readonly closedBy?: 'client' | 'server';
    readonly durationMs?: number;
  };
}

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/wire');

/** The OpenAPI documents of the same server. */
export const OPENAPI_FOLDER = path.resolve(FOLDER, '../openapi');

/** Why the recordings cannot be replayed, or undefined when they can. */
export const recordingsMissing = existsSync(FOLDER) ? undefined : `the recordings are not at ${FOLDER}`;

/** The exchanges of a recording, in the order in which they were made. */
export function recording(file: string): Exchange[] {
  return recordingsMissing ? [] : (JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Exchange[]);
}

export const WATCH_PATH = /[?&]watch=1/;
