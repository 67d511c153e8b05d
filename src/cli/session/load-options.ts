import type { LoadConfigOptions } from '../../client/kubeconfig.ts';
import type { Logger } from '../../kit/logger.ts';
import { camelCased, type FlagValues } from '../args/flag.ts';
import { type connectionFlags, loginFlags } from '../args/shared-flags.ts';
import type { Io } from '../terminal/io.ts';

export type ConnectionFlagValues = FlagValues<typeof connectionFlags>;

/** The connection flags, the environment and the terminal, as the options that find server and user. */
export function loadOptionsOf(flags: ConnectionFlagValues, io: Io, logger: Logger): LoadConfigOptions {
  return {
    ...camelCased(loginFlags, flags),
    requestTimeout: flags['request-timeout'],
    env: io.env,
    logger,
    interactive: process.stdin.isTTY === true,
    onPluginOutput: (text) => void io.stderr.write(text),
  };
}
