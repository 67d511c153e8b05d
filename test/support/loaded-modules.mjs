// Preloaded into the program under test: prints on stderr, at its end, which files it has loaded.
import { registerHooks } from 'node:module';

const loaded = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    loaded.add(resolved.url);
    return resolved;
  },
});
process.on('exit', () => process.stderr.write(`\nloaded: ${JSON.stringify([...loaded])}\n`));
