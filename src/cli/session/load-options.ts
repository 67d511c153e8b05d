import { isatty } from 'node:tty';
import type { LoadConfigOptions } from '../../client/kubeconfig.ts';
import type { Logger } from '../../kit/logger.ts';
import { camelCased, type FlagValues } from '../args/flag.ts';
import { type connectionFlags, loginFlags } from '../args/shared-flags.ts';
import type { Io } from '../terminal/io.ts';

export type ConnectionFlagValues = FlagValues<typeof connectionFlags>;

/** The connection flags that say where a config leads, and as whom. */
export type LoginFlagValues = FlagValues<typeof loginFlags> & Partial<Pick<ConnectionFlagValues, 'request-timeout'>>;

/** The connection flags, the environment and the terminal, as the options that find server and user. */
export function loadOptionsOf(flags: LoginFlagValues, io: Io, logger: Logger): LoadConfigOptions {
  return {
    ...camelCased(loginFlags, flags),
    requestTimeout: flags['request-timeout'],
    env: io.env,
    logger,
    interactive: isatty(0), // process.stdin would open the stream
    onPluginOutput: (text) => void io.stderr.write(text),
  };
}
