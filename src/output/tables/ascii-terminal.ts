/** Whether the terminal is to get ASCII alone: TERM is dumb, or the locale is not one of UTF-8. */
export function asksForAscii({ TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION }: NodeJS.ProcessEnv): boolean {
  if (TERM === 'dumb' || TERM === 'linux') return true;
  return !WT_SESSION && !/utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
