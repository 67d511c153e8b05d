/** The text of a thrown value, with the topmost place in the user's code: `TypeError: Cannot … (at guard.ts:12:5)`. */
export function thrownText(error: unknown): string {
  if (!(error instanceof Error)) return `${String(error)} was thrown, which is not an Error`;
  const place = placeOf(error);
  const what = `${error.name}: ${error.message}`;
  return place === undefined ? what : `${what} (at ${place})`;
}

/** The first frame outside Node and packages, as `file:line:column`. */
function placeOf({ stack = '' }: Error): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.find((line) => /file:\/\/|\(\/|at \//.test(line) && !/node:|node_modules|\/dist\//.test(line));
  const place = own && /(?:file:\/\/)?([^\s()]+:\d+:\d+)\)?$/.exec(own)?.[1];
  return place === undefined || place === '' ? undefined : place.split('/').at(-1);
}
