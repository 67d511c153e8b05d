/** The parts that a program of one file (`tools/release`) has in itself, in place of files of the package. */
export interface OneFile {
  /** The URL of the code that `serve --persist` runs in a thread. */
  readonly stateThread: string;
  /** The URL of the code that `-o jq` runs in a thread. */
  readonly jqThread: string;
  /** The page of `serve --ui`. */
  readonly page: string;
  /** URLs of the entries of the library, by what users import. They share every class with the program. */
  entries(): Promise<Readonly<Record<string, string>>>;
  /** Only where Node is in the file as well. `process.execPath` is then this program, and runs no other. */
  readonly executable?: {
    /** Imports a module from a file: `import()` finds only what is in the program. */
    importFile(url: string): Promise<Record<string, unknown>>;
    /** The command line with which this program is the guard of the programs of hooks. */
    readonly guard: readonly string[];
  };
}

const KEY: unique symbol = Symbol.for('kubectl-informer.one-file');

/** Undefined where the program is a package or a checkout. */
export const oneFile: OneFile | undefined = (globalThis as { readonly [KEY]?: OneFile })[KEY];
