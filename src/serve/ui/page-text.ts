import { builtin } from '../../kit/builtin.ts';

/** The page, ready to be sent: its text, and the headers that restrict it. */
export interface UiPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The page with its headers. Its script and its style are the only ones that may run, by their hashes; it may load
 * nothing and connect to its own server only; text never becomes script (Trusted Types). Without a recording the parts
 * about one are not in it.
 */
export function pageOf(whole: string, hasPast = false): UiPage {
  const html = hasPast ? whole : whole.replaceAll(OF_PAST, '');
  const hashes = (tag: 'script' | 'style') =>
    [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, text = '']) => `'sha256-${builtin.crypto().createHash('sha256').update(text).digest('base64')}'`)
      .join(' ');
  const policy = [
    `default-src 'none'`,
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    `img-src data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ];
  return { html, headers: { ...COMMON_HEADERS, 'content-security-policy': policy.join('; ') } };
}

/** The parts of the page about a recording. */
const OF_PAST = /<!-- past -->[\s\S]*?<!-- \/past -->\n?/g;

/** The headers of every answer. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
