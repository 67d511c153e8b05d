import { existsSync } from 'node:fs';
import path from 'node:path';
import { runningServe } from '../cli/serve/running-serve.ts';
import type { ClusterConfig } from '../client/config/cluster-config.ts';
import { humanDuration } from '../kit/duration.ts';
import { presentRuntimeFolder, type RuntimeEnvironment } from '../kit/runtime-folder.ts';
import { VERSION } from '../package.ts';
import { SERVES } from '../serve/about.ts';
import { serveIdentity } from '../serve/folder-key.ts';
import { stateFolder } from '../serve/persist/state-folder.ts';
import { type CheckResult, failedMildly, ok, warning } from './finding.ts';

/** Whether a serve of this cluster and user is running, which answers `query` and `watch`. */
export async function serveFound(config: ClusterConfig, env: NodeJS.ProcessEnv, now: number): Promise<CheckResult> {
  try {
    const running = await runningServe(serveIdentity(config), env);
    if (!running) return ok('none is running; commands ask the cluster');
    const { pid, version, started } = running.about;
    const found = `pid ${pid}, version ${version}, started ${humanDuration(now - Date.parse(started))} ago`;
    if (version === VERSION) return ok(found);
    return warning(`${found}; this program is ${VERSION}`, 'kubectl informer serve stop, then start it again');
  } catch (error) {
    return failedMildly(error);
  }
}

/** Whether the folder of persisted caches, if there is one, is only the user's. */
export function cacheFound(cacheFolder: string): CheckResult {
  if (!existsSync(path.join(cacheFolder, 'state'))) return ok(`${cacheFolder} has no persisted caches`);
  try {
    return ok(`${stateFolder(cacheFolder)} is yours alone`);
  } catch (error) {
    return failedMildly(error);
  }
}

/** Whether the folder of sockets, if there is one, is only the user's. */
export function socketsFound(env: RuntimeEnvironment): CheckResult {
  try {
    const folder = presentRuntimeFolder(env, SERVES);
    return ok(folder === undefined ? 'no folder of sockets yet; serve makes one' : `${folder} is yours alone`);
  } catch (error) {
    return failedMildly(error);
  }
}
