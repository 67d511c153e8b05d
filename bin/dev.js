#!/usr/bin/env node
// Runs the sources as they are, without a build (Node 24).
import { main } from '../src/main.ts';

await main();
