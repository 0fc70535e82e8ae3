import { jwtAuth } from '@halyard/auth-jwt';
import { ConfigurationError } from '@halyard/contracts';
import { tokenWindow } from '@halyard/core';
import { mcpClient } from '@halyard/mcp';
import { expect, it } from 'vitest';

const secret = 'a secret of more than thirty-two bytes';
/** As JavaScript passes options: without the compiler's checks. */
const untyped = (options: object): never => options as never;

// A misspelt option would accept tokens that it should refuse.
it.each<readonly [owner: string, unknown: string, nearest: string, make: () => unknown]>([
  ['jwtAuth', 'secrets', 'secret', () => jwtAuth(untyped({ secret, secrets: [] }))],
  [
    '`verifyOptions` of jwtAuth',
    'audiences',
    'audience',
    () => jwtAuth({ secret, verifyOptions: untyped({ audiences: [] }) }),
  ],
])('%s names its unknown option %s', (owner, unknown, nearest, make) => {
  expect(make).toThrow(new ConfigurationError(`${owner} has no option "${unknown}". Did you mean "${nearest}"?`));
});

it.each<readonly [missing: string, says: string, make: () => unknown]>([
  [
    'both the url and the command of an MCP client',
    'MCP client "files" needs a `url` or a `command`',
    () => mcpClient(untyped({ id: 'files' })),
  ],
  [
    'the number of tokens of a window',
    'maxTokens of tokenWindow must be an integer from 1 on',
    () => tokenWindow(untyped({})),
  ],
])('reports without %s: %s', (_missing, says, make) => {
  expect(make).toThrow(new ConfigurationError(says));
});
