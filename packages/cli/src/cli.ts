#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { run } from './run.ts';

// A reader such as `head` has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
// `halyard dev` leaves the file to the app, which reads it again after each change.
if (process.argv[2] !== 'dev' && existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await run(process.argv.slice(2));
