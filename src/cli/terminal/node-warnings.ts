/** Warnings of Node about itself: a user of this program cannot act on them. */
const HIDDEN: ReadonlySet<string> = new Set(['ExperimentalWarning', 'DeprecationWarning']);

/** Keeps Node's warnings about its own features away from stderr. Any other warning is written as Node writes it. */
export function quietNodeWarnings(write: (text: string) => void): void {
  process.removeAllListeners('warning'); // Node's own writes all of them
  process.on('warning', ({ name, message }) => {
    if (!HIDDEN.has(name)) write(`(node:${process.pid}) ${name}: ${message}\n`);
  });
}
