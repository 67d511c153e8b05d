// Draws lines of a terminal, with their colours, as SVG.

/** Colours of a light and a dark terminal: 0 to 7, then the bright ones. Their contrast with the ground is 4.5 or more. */
export const THEMES = {
  light: {
    ground: '#ffffff',
    frame: '#d0d7de',
    text: '#1f2328',
    faint: '#656d76',
    colors: ['#1f2328', '#b3261e', '#116329', '#7d4e00', '#0550ae', '#8250df', '#0a6b6b', '#57606a'],
  },
  dark: {
    ground: '#0d1117',
    frame: '#30363d',
    text: '#e6edf3',
    faint: '#8b949e',
    colors: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  },
};

/** A sequence of colours, anything else that is no text, or text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const PARTS = /\x1b\[([\d;]*)m|(\x1b\[[^A-Za-z]*[A-Za-z]|[\x00-\x1a])|([^\x1b\x00-\x1a]+)/g;

const CELL = { width: 7.8, height: 18 };
const MARGIN = 16;

/** A picture of lines with SGR sequences. Longer lines are cut, with a mark. */
export function terminalSvg(lines, { theme, columns, title }) {
  const { ground, frame, text, faint, colors } = THEMES[theme];
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const rows = lines.map((line, row) => {
    let column = 0;
    const parts = spansOf(line, columns).map(({ text: part, bold, dim, color, struck }) => {
      const fill = dim ? faint : color === undefined ? undefined : colors[color % 8];
      const x = (MARGIN + column * CELL.width).toFixed(1);
      const length = [...part].length;
      column += length;
      const looks = [
        `x="${x}"`, // of each part, so that columns meet in any font
        `textLength="${(length * CELL.width).toFixed(1)}"`,
        fill && `fill="${fill}"`,
        bold && 'font-weight="bold"',
        struck && 'text-decoration="line-through"',
      ];
      return `<tspan ${looks.filter(Boolean).join(' ')}>${escaped(part)}</tspan>`;
    });
    return parts.length === 0 ? '' : `<text y="${MARGIN + row * CELL.height + 13}">${parts.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${marked(title)}">
<title>${marked(title)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${ground}" stroke="${frame}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="${text}">
${rows.filter(Boolean).join('\n')}
</g>
</svg>
`;
}

/** The parts of a line that look alike. What is no colour of text is left out. */
export function spansOf(line, columns) {
  const spans = [];
  let look = {};
  let room = columns;
  for (const [, codes, other, text = ''] of line.matchAll(PARTS)) {
    if (codes !== undefined) look = changed(look, codes);
    if (codes !== undefined || other !== undefined || room <= 0) continue;
    const units = [...text];
    const shown = units.length > room ? `${units.slice(0, room - 1).join('')}…` : text;
    room -= units.length;
    spans.push({ ...look, text: shown });
  }
  return spans;
}

function changed(look, codes) {
  let next = look;
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 9) next = { ...next, struck: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 29) next = { ...next, struck: false };
    else if (code === 39) next = { ...next, color: undefined };
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) next = { ...next, color: code % 10 };
  }
  return next;
}

const marked = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Spaces would be joined to one. */
const escaped = (text) => marked(text).replaceAll(' ', '\u00a0');
