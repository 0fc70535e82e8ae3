/**
 * The versions of other projects' packages in a created app: those that Halyard is tested with. A
 * test compares them with the workspace.
 */
export const versions = {
  '@ai-sdk/anthropic': '^4.0.105',
  '@ai-sdk/google': '^4.0.121',
  '@ai-sdk/openai': '^4.0.118',
  '@electric-sql/pglite': '0.5.14',
  '@sinclair/typebox': '^0.34.52',
  '@types/jsonwebtoken': '^9.0.10',
  '@types/node': '^24.0.0',
  ai: '^7.0.173',
  jsonwebtoken: '^9.0.3',
  pg: '^8.23.1',
  'pino-pretty': '^13.2.0',
  typescript: '^7.0.2',
} as const;
