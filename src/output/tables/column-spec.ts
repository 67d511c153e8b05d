/** Splits a specification into columns. A comma inside brackets or quotes does not separate them. */
export function splitColumns(spec: string): string[] {
  const columns = [''];
  let depth = 0;
  let quote = '';
  for (const c of spec) {
    if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '"' || c === "'") quote = c;
    else if ('[('.includes(c)) depth++;
    else if ('])'.includes(c)) depth--;
    if (c === ',' && depth <= 0 && quote === '') columns.push('');
    else columns[columns.length - 1] += c;
  }
  return columns;
}
