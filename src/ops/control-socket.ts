import { listen } from '../kit/http-listener.ts';
import type { RuntimeEnvironment } from '../kit/runtime-folder.ts';
import type { InspectedProgram } from './inspected.ts';
import { answerPage } from './pages.ts';
import {
  newProgramFolder,
  type ProgramDescription,
  programsFolder,
  publish,
  removeProgramFolder,
} from './program-folder.ts';
import { runningPrograms } from './running-programs.ts';

/** The private socket of a running program. Disposal closes and removes it. */
export interface ControlSocket extends AsyncDisposable {
  readonly path: string;
  /** Removes it at once, when there is no time to wait. */
  removeNow(): void;
}

/**
 * Opens a socket on which other commands of the same user can look into a running program and change its queue: they
 * find it by its description. What killed programs left behind is removed. Only this user can open it (mode 0600 in folders of mode 0700). Rejects with `config` if
 * there is no place for it that only this user can write.
 */
export async function openControlSocket(
  program: InspectedProgram,
  description: ProgramDescription,
  env: RuntimeEnvironment,
): Promise<ControlSocket> {
  await runningPrograms(env); // removes what killed ones left behind
  const unfinished = newProgramFolder(programsFolder(env));
  try {
    const listener = await listen(
      { path: unfinished.socket },
      { answer: (request) => answerPage(program, request, 'private') },
    );
    const { folder, socket } = publish(unfinished, description);
    return {
      path: socket,
      removeNow: () => removeProgramFolder(folder),
      async [Symbol.asyncDispose]() {
        removeProgramFolder(folder);
        await listener[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    removeProgramFolder(unfinished.folder);
    throw error;
  }
}
