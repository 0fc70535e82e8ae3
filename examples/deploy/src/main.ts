import { isHalyardError } from '@halyard/contracts';
import { createApp } from './app.ts';
import { SettingsError } from './environment.ts';
import { readSettings } from './settings.ts';

// Linux ignores a signal to the first process of a container unless the process listens for it. The
// server listens for SIGTERM once it has started; until then there is nothing to finish.
const stopStarting = (): void => process.exit(0);
process.once('SIGTERM', stopStarting);

try {
  const server = await createApp(readSettings());
  await server.listen();
  process.off('SIGTERM', stopStarting);
} catch (error) {
  if (!isHalyardError(error) && !(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
