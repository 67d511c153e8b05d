// oclif's own Config loads ejs, which makes code of text as it is loaded. The build leaves both out; tests of sources
// load them. Nothing here uses a template, so an empty module takes its place.
import { registerHooks } from 'node:module';

const EMPTY = new URL('./nothing.cjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'ejs' ? { url: EMPTY, format: 'commonjs', shortCircuit: true } : next(specifier, context),
});
