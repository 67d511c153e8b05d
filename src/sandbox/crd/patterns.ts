const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const compiled = new Map<string, RegExp | undefined>();

/** A pattern in Go's syntax as one of JavaScript's; undefined when it has a form that cannot be said there. Source: RE2 syntax. */
export function goPattern(pattern: string): RegExp | undefined {
  if (!compiled.has(pattern)) {
    if (compiled.size > 5_000) compiled.clear();
    compiled.set(pattern, compile(pattern));
  }
  return compiled.get(pattern);
}

function compile(pattern: string): RegExp | undefined {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(pattern) ?? [];
  const source = rest
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole);
  for (const more of ['u', '']) {
    try {
      return new RegExp(source, flags + more); // without u every sign may be escaped, as in Go
    } catch {}
  }
  return undefined;
}
