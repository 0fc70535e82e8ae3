import type nodeHttp from 'node:http';

/**
 * `node:http` without an import statement. An import statement reads all exports, and reading `WebSocket` loads undici, which takes
 * 25 ms at start.
 */
export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
