import { InformerError } from '../../kit/error.ts';
import type { QueryRequest } from '../protocol.ts';
import type { CallerAccess } from './routes.ts';

/** Whether a caller's expressions see marks in place of values of Secrets: on a port, unless the serve shows Secrets. */
export const seesMarks = (access: CallerAccess, { showsSecrets }: { readonly showsSecrets: boolean }): boolean =>
  access === 'token' && !showsSecrets;

/**
 * Refuses what a caller on a port may not ask: values of Secrets, unless the serve itself was started to show them, and
 * whatever would read a file of the serve's machine. Throws `argument`.
 */
export function refuseBeyondRights(
  { given }: Pick<QueryRequest, 'given'>,
  access: CallerAccess,
  { showsSecrets }: { readonly showsSecrets: boolean },
): void {
  if (access === 'private') return;
  if (!showsSecrets && given['show-secrets'] && given['show-secrets'].values.at(-1) !== 'false')
    throw new InformerError('argument', '--show-secrets is refused on a port: this serve does not show Secrets there', {
      hint: 'ask over the socket, or start serve itself with --show-secrets',
    });
  const output = given.output?.values.at(-1) ?? '';
  if (/^[a-z-]+-file(=|$)/.test(output))
    throw new InformerError(
      'argument',
      `-o ${output.split('=')[0]} is refused on a port: it would read a file of serve`,
      {
        hint: 'send the template itself: -o jsonpath=… or custom-columns=…',
      },
    );
}
