import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

export interface JqCall {
  readonly expression: string;
  readonly texts: string;
  /** The most memory that it may take, bytes. */
  readonly mostBytes: number;
}

/** The result of a call, or why there is none. The thread says `ready`, or why it cannot work, before the first. */
export interface JqReply {
  readonly ready?: true;
  readonly text?: string;
  /** Words of jq, or of the package that could not be loaded. */
  readonly error?: string;
  readonly isOutOfMemory?: boolean;
  /** The output of the expression by `debug` and `stderr`. */
  readonly remarks?: string | undefined;
  /** The memory that the call has left behind, bytes: WebAssembly gives none back. */
  readonly heldBytes?: number;
}

/** The part of the package jq-web that is used. */
interface JqWeb {
  raw(json: string, filter: string, flags: string[]): string | undefined;
}

/** The part of Node's global that is used. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
declare const WebAssembly: { readonly Memory: { readonly prototype: WasmMemory } };

const PAGE_BYTES = 65_536;

let mostBytes = Number.POSITIVE_INFINITY;
let heldBytes = 0;
let isOutOfMemory = false;

/** Refuses memory beyond the limit, as a machine that has no more does. */
function limitMemory(): void {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > mostBytes) {
      isOutOfMemory = true;
      throw new RangeError('beyond the limit');
    }
    const before = grow.call(this, pages);
    heldBytes = this.buffer.byteLength;
    return before;
  };
}

/** The package writes remarks to the console of this thread, behind words for a browser. */
let remarks: string | undefined;
Object.assign(console, {
  warn: (...words: unknown[]) => {
    remarks = String(words.at(-1));
  },
});

function resultOf(jqWeb: JqWeb, { expression, texts }: JqCall): JqReply {
  remarks = undefined;
  try {
    const text = jqWeb.raw(texts, expression, ['-c', '--']) ?? '';
    return { text, remarks, heldBytes };
  } catch (error) {
    const { stderr, message } = error as { stderr?: unknown; message?: unknown };
    return { error: String(typeof stderr === 'string' ? stderr : message), isOutOfMemory, heldBytes };
  }
}

/** By `require`: it is a CommonJS module whose export is a promise. */
const load = async (file: string) => (await createRequire(file)(file)) as JqWeb;

const port = parentPort;
if (port) {
  const answer = (reply: JqReply) => port.postMessage(reply);
  limitMemory();
  load(workerData as string).then(
    (jqWeb) => {
      answer({ ready: true });
      port.on('message', (call: JqCall) => {
        mostBytes = call.mostBytes;
        answer(resultOf(jqWeb, call));
      });
    },
    (error) => answer({ error: String(error) }),
  );
}
