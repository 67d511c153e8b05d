// Builds the page of `serve --ui`: its script and its style in one HTML file, which loads nothing.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'src/serve/ui/page');

/** The text of the page. */
export async function uiPage() {
  const read = (name) => readFile(path.join(folder, name), 'utf8');
  const [html, ...parts] = await Promise.all([
    ...['index.html', 'style.css', 'past.css'].map(read),
    ...['page.ts', 'past.ts'].map(bundled),
  ]);
  const [style, pastStyle, script, pastScript] = parts;
  const tags = {
    '/* style.css */': style.replace(/\n\s*/g, '\n').trim(),
    '/* past.css */': pastStyle.replace(/\n\s*/g, '\n').trim(),
    '/* page.js */': script.trim(),
    '/* past.js */': pastScript.trim(),
  };
  // a function as the replacement: `$&` in a text means nothing
  return Object.entries(tags).reduce((page, [mark, text]) => page.replace(mark, () => text), html);
}

/** The script of the page, or that of its part about a recording, which the server leaves out where there is none. */
async function bundled(name) {
  const built = await rolldown({
    input: path.join(folder, name),
    platform: 'browser',
    transform: { target: 'es2022' },
    tsconfig: path.join(folder, 'tsconfig.json'),
  });
  const { output } = await built.generate({ format: 'iife', minify: true });
  await built.close();
  const [{ code }] = output;
  if (/<\/script|<!--/i.test(code)) throw new Error('the script of the page would end its own element');
  return code;
}
