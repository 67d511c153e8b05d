import type { CommandClass } from '../cli/base-command.ts';
import ConfigShowCommand from './config-show.ts';
import QueryCommand from './query.ts';
import ReconcileCommand from './reconcile.ts';
import SandboxCommand from './sandbox.ts';
import VersionCommand from './version.ts';
import WatchCommand from './watch.ts';

/** Every command by its words. oclif reads this for help; the entry loads just the one that runs. */
export const COMMANDS: Readonly<Record<string, CommandClass>> = {
  watch: WatchCommand,
  query: QueryCommand,
  reconcile: ReconcileCommand,
  sandbox: SandboxCommand,
  'config:show': ConfigShowCommand, // oclif parts words by colons
  version: VersionCommand,
};
