import path from 'node:path';
import type { Source } from '../../controller/sources/source.ts';
import type { Hook } from '../../hooks/hook.ts';
import { watchFiles } from '../../hooks/run/file-watch.ts';
import type { ReplaceableHook } from '../../hooks/run/replaceable-hook.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { ObjectKey } from '../../model/key.ts';
import { LOW_PRIORITY } from '../../workqueue/work-queue.ts';
import type { CommandSession } from '../session/session.ts';
import type { LoadedHook } from './hook-loading.ts';

export interface ReloadOptions {
  session: CommandSession;
  loaded: LoadedHook;
  hook: ReplaceableHook;
  create(loaded: LoadedHook): Hook;
  /** The keys that run again with a new version. */
  keys(): Iterable<ObjectKey>;
}

/**
 * With `--reload`: when the hook's file changes, or one that it imports, the new version runs from the next key on, and
 * every key is queued again. A version that cannot be loaded is reported with file and line, and the old one stays.
 */
export function reloadSource({ session, loaded, hook, create, keys }: ReloadOptions): Source {
  const name = 'reload';
  let current = loaded;
  const reload = async (files: readonly string[]): Promise<boolean> => {
    const what = files.map((file) => path.basename(file)).join(', ');
    try {
      const next = await current.reload?.load();
      if (!next) return false;
      hook.replace(create(next));
      const remark =
        jsonText(next.config) === jsonText(current.config) ? '' : '; its changed config applies from the next start on';
      current = next;
      session.notice(`${what} changed: the new version runs from now on, for every key${remark}`);
      return true;
    } catch (error) {
      if (session.signal.aborted) return false; // it called process.exit, which ends the program with an error
      const hint = error instanceof InformerError && error.hint !== undefined ? ` (${error.hint})` : '';
      session.notice(`${what} changed, and the version before stays: ${messageOf(error)}${hint}`);
      return false;
    }
  };
  return {
    name,
    async start(emit, { signal, clock }) {
      const onChange = async (files: readonly string[]) => {
        if (!(await reload(files)) || signal.aborted) return;
        for (const key of keys())
          emit(key, { cause: { reason: 'generic', source: name }, isChange: true }, LOW_PRIORITY);
      };
      watchFiles({ files: () => current.reload?.files() ?? [], onChange, signal, clock }).catch((error) => {
        if (!signal.aborted) session.notice(`the hook's file is not watched any more: ${messageOf(error)}`);
      });
    },
  };
}
