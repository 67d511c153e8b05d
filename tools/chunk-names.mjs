// The names of the files in dist, without hashes: the same in every build, so that two builds can be compared and a
// line of a stack says which part of the program it is in.
import path from 'node:path';

/** A function for rolldown's `chunkFileNames`. `src` is the folder of the sources, `entries` has the names of others. */
export function chunkNames(src, entries) {
  const owners = new Map();
  return ({ name, moduleIds, facadeModuleId }) => {
    const last = facadeModuleId ?? moduleIds.at(-1) ?? name;
    const words = nameOf(name, last, src);
    const file = `${words}${entries.includes(words) ? '-shared' : ''}.js`;
    const owner = owners.get(file) ?? last;
    if (owner !== last) throw new Error(`two files of dist would be ${file}: one of ${owner}, one of ${last}`);
    owners.set(file, last);
    return file;
  };
}

/**
 * The name of a group; the place in `src` of the module that is loaded, or of the last one that it brings
 * (`commands-watch`); the package and file of another (`js-yaml-js-yaml`).
 */
function nameOf(name, id, src) {
  if (
    ['core', 'start', 'client', 'asking', 'cluster', 'reading', 'answers', 'watching', 'rolldown-runtime'].includes(
      name,
    )
  )
    return name;
  const own = path.relative(src, id);
  const place = own.startsWith('..') ? (id.split(/node_modules[\\/]/).at(-1) ?? id) : own;
  const words = place
    .replace(/\.\w+$/, '')
    .replace(/[\\/](dist|lib|index)(?=[\\/]|$)/g, '')
    .replace(/[^A-Za-z0-9]+/g, '-');
  return words.replace(/^-+|-+$/g, '').toLowerCase();
}
