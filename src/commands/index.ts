import { BaseCommand, type CommandClass } from '../cli/base-command.ts';
import { REGISTRY } from './registry.ts';

/**
 * Every command by its id, loaded: for oclif, by way of `bin/commands.js`. Our own program loads only the command that
 * runs.
 */
export async function loadCommands(): Promise<Record<string, CommandClass>> {
  BaseCommand.registry = REGISTRY;
  return Object.fromEntries(
    await Promise.all(
      Object.entries(REGISTRY).map(async ([name, load]) => [name.replaceAll(' ', ':'), await load()] as const),
    ),
  );
}
