import { parentPort, workerData } from 'node:worker_threads';
import type { StateFaultKind } from './state-fault.ts';
import { stateFault } from './state-fault.ts';
import { type RowChanges, StateFile, type StoredRows } from './state-file.ts';

/** A call from the program: its number, and what to do. */
export type StateCall =
  | { readonly call: number; readonly read: string }
  | { readonly call: number; readonly write: string; readonly changes: RowChanges }
  | { readonly call: number; readonly close: true };

/** The answer to a call, or to the start of the thread, which is call 0. */
export interface StateAnswer {
  readonly call: number;
  readonly rows?: StoredRows | undefined;
  readonly fault?: { readonly kind: StateFaultKind; readonly text: string } | undefined;
}

/** The data that the thread is started with. */
export interface StateThreadData {
  readonly file: string;
  readonly now: number;
}

const port = parentPort;
if (port) {
  const { file, now } = workerData as StateThreadData;
  const answer = (call: number, run: () => StoredRows | undefined): void => {
    try {
      port.postMessage({ call, rows: run() } satisfies StateAnswer);
    } catch (error) {
      const { kind, message } = stateFault(error, file);
      port.postMessage({ call, fault: { kind, text: message } } satisfies StateAnswer);
    }
  };
  let states: StateFile | undefined;
  answer(0, () => {
    states = StateFile.open(file);
    states.removeUnused(now);
    return undefined;
  });
  port.on('message', (message: StateCall) => {
    answer(message.call, () => {
      if ('close' in message) {
        states?.close();
        port.close();
        return undefined;
      }
      if ('read' in message) return states?.read(message.read);
      states?.write(message.write, message.changes);
      return undefined;
    });
  });
}
