/** What a program that is one file (`tools/release`) has in itself, in place of files of the package. */
export interface OneFile {
  /** Its URL. Started in a thread, it does what `workerData.thread` says. */
  readonly url: string;
  /** The page of `serve --ui`. */
  readonly page: string;
  /** URLs of the entries of the library, by what users import. They share every class with the program. */
  entries(): Promise<Readonly<Record<string, string>>>;
}

const KEY: unique symbol = Symbol.for('kubectl-informer.one-file');

/** Undefined where the program is a package or a checkout. */
export const oneFile: OneFile | undefined = (globalThis as { readonly [KEY]?: OneFile })[KEY];
