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
