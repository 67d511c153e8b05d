import { connect } from 'node:net';

/**
 * Whether a process listens on a socket, also one that was stopped. A socket that a killed process left behind refuses
 * the connection.
 */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isThere: boolean) => {
      resolve(isThere);
      connection.destroy();
    };
    connection.on('connect', () => end(true));
    connection.on('error', (error: NodeJS.ErrnoException) => end(!isNotListening(error)));
  });
}

/** Whether an error says that no process listens. */
export const isNotListening = ({ code = '' }: NodeJS.ErrnoException) =>
  ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code);
