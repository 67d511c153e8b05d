import { readdirSync } from 'node:fs';
import path from 'node:path';
import { presentRuntimeFolder, type RuntimeEnvironment, socketIn } from '../kit/runtime-folder.ts';
import { aboutIn, isSameConnection, SERVES, type ServeAbout } from './about.ts';

/** A serve that was started and has not removed its folder: it may have been killed. */
export interface FoundServe {
  readonly folder: string;
  readonly socket: string;
  readonly about: ServeAbout;
}

/**
 * The serves of this user, in the order of their keys. It does not ask whether they still run. Throws `config` with the
 * reason if another user could have put them there.
 */
export function servesOf(env: RuntimeEnvironment): FoundServe[] {
  const serves = presentRuntimeFolder(env, SERVES);
  if (serves === undefined) return [];
  return readdirSync(serves)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .sort()
    .map((name) => path.join(serves, name))
    .flatMap((folder) => {
      const about = aboutIn(folder);
      return about ? [{ folder, socket: socketIn(folder), about }] : [];
    });
}

/** The serve with this key. Throws as {@link servesOf} does. */
export function serveWithKey(env: RuntimeEnvironment, key: string): FoundServe | undefined {
  return servesOf(env).find(({ folder }) => path.basename(folder) === key);
}

/**
 * The serve of the cluster and user that a command line leads to: by its connection record, else by the key of its
 * identity, for which `keyOf` reads the kubeconfig. Both are asked for only if some serve is there, and the account
 * only if the serve's login depends on it.
 */
export async function findServe(
  env: RuntimeEnvironment,
  recordOf: (parts: { readonly account: boolean }) => string | undefined,
  keyOf: () => Promise<string | undefined>,
): Promise<FoundServe | undefined> {
  const serves = servesOf(env);
  if (serves.length === 0) return undefined;
  const sameConnection = ({ record, anyAccount = false }: ServeAbout) =>
    isSameConnection(record, recordOf({ account: !anyAccount }), anyAccount);
  const known = serves.find(({ about }) => sameConnection(about));
  if (known) return known;
  const key = await keyOf();
  return serves.find(({ folder }) => path.basename(folder) === key);
}
