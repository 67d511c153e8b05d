const { exit } = process;

/**
 * Ends the process at once, also where `process.exit` is kept from the module of a hook. Without a code,
 * `process.exitCode` counts: Node takes an argument that is undefined as 0.
 */
export const exitNow = (code?: number): never => (code === undefined ? exit.call(process) : exit.call(process, code));
