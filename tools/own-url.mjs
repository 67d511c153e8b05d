// A plugin for the build: files that a user bundles to CommonJS have no `import.meta.url`, and must be loadable all the
// same. There they use the place of the program that runs.
const URL_OF_FILE = /\bimport\.meta\.url\b/g;
const FALLBACK = `process.getBuiltinModule('node:url').pathToFileURL(process.execPath).href`;

export const ownUrl = {
  name: 'own-url',
  renderChunk(code) {
    if (!code.includes('import.meta.url')) return null;
    return `const __ownUrl = import.meta.url ?? ${FALLBACK};\n${code.replace(URL_OF_FILE, '__ownUrl')}`;
  },
};
