// Runs the built commands as any oclif program does: oclif's own `execute`, with a config rooted at the package.
import path from 'node:path';
import { execute } from '@oclif/core';

await execute({ dir: path.resolve(import.meta.dirname, '../..') });
