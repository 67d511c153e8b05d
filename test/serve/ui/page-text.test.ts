import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { COMMON_HEADERS, pageOf } from '../../../src/serve/ui/page-text.ts';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

it('a page allows each of its own scripts and styles by its hash, and nothing else', () => {
  const html = '<style>a{}\n</style><script>one()</script><p>text</p><script>two();\n</script>';
  const { html: sent, headers } = pageOf(html);
  const { 'content-security-policy': policy, ...common } = headers;
  expect([sent, common]).toEqual([html, COMMON_HEADERS]);
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hash('one()')} ${hash('two();\n')}`,
    `style-src ${hash('a{}\n')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});

it('a page without a recording has nothing of the parts about one, and no hash of them', () => {
  const html =
    '<style>a</style><!-- past --><style>b</style><!-- /past --><i></i>\n<!-- past -->\n<script>c</script>\n<!-- /past -->\n';
  const [without, withPast] = [pageOf(html), pageOf(html, true)];
  expect(without.html).toBe('<style>a</style><i></i>\n');
  expect(withPast.html).toBe(html);
  const hashes = ({ headers }: typeof without) => headers['content-security-policy']?.match(/sha256-/g)?.length;
  expect([hashes(without), hashes(withPast)]).toEqual([1, 3]);
});
