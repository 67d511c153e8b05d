// The commands as oclif finds them: `oclif.commands` in package.json names this file.
import { loadCommands } from '../dist/commands.js';

export const COMMANDS = await loadCommands();
