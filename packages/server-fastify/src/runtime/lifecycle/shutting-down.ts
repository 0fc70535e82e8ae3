import { UnavailableError } from '@halyard/contracts';

export function shuttingDown(): UnavailableError {
  return new UnavailableError('SHUTTING_DOWN', 'The server is shutting down');
}
