/** One value of a Warning header: code, agent, quoted text, perhaps a quoted date. Source: RFC 7234 §5.5. */
const WARNING = /(\d{3}) (?:"[^"]*"|\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/** How many texts are remembered, so that a server which puts names into its warnings cannot fill the memory. */
const REMEMBERED = 1000;

/** The texts of a Warning header, those of code 299 only: others come from proxies. Source: client-go rest/warnings.go. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(WARNING)].filter(([, code, text]) => code === '299' && text).map(([, , text]) => unquote(text as string));
}

/** Passes each text on once. */
export function onceEach(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    if (told.size >= REMEMBERED) told.clear();
    told.add(text);
    tell(text);
  };
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
