/** One value of a Warning header: code, agent, quoted text, and optionally a quoted date. Source: RFC 7234 §5.5. */
const WARNING = /(\d{3}) (?:"[^"]*"|\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/** The most texts that are remembered. A server that puts object names into its warnings must not fill the memory. */
const REMEMBERED = 1000;

/** The texts of a Warning header with code 299. Other codes come from proxies. Source: client-go rest/warnings.go. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(WARNING)]
    .filter(([, code, text]) => code === '299' && text)
    .map(([, , text]) => unquote(text as string));
}

/** A function that calls `warn` for each text the first time only. */
export function onceEach(warn: (text: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    if (reported.has(text)) return;
    if (reported.size >= REMEMBERED) reported.clear();
    reported.add(text);
    warn(text);
  };
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
