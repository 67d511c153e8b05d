const { exit } = process;

/** Ends the process at once, also where `process.exit` is kept from the module of a hook. */
export const exitNow = (code?: number): never => exit.call(process, code);
